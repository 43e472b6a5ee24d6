/** Differences of texts and unified diffs. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { lineDiff, parseUnified } from "../../static/js/state/diff.js";

const SIGNS = { same: " ", add: "+", del: "-" };
const shown = (lines) => lines.map(({ kind, text }) => SIGNS[kind] + text);
const letters = (old, fresh) => shown(lineDiff([...old], [...fresh])).join("");

test("a difference is the shortest one, and both sides come out of it", () => {
  assert.equal(letters("abc", "abc"), " a b c");
  assert.equal(letters("", "ab"), "+a+b");
  assert.equal(letters("ab", ""), "-a-b");
  assert.equal(letters("abcd", "axcd"), " a-b+x c d");
  assert.equal(letters("abcabba", "cbabac").match(/ /g).length, 4);
  for (let round = 0; round < 300; round += 1) {
    const word = () => Array.from({ length: Math.floor(Math.random() * 9) }, () => "abc"[Math.floor(Math.random() * 3)]);
    const [old, fresh] = [word(), word()];
    const lines = lineDiff(old, fresh);
    assert.deepEqual(lines.filter((line) => line.kind !== "add").map((line) => line.text), old);
    assert.deepEqual(lines.filter((line) => line.kind !== "del").map((line) => line.text), fresh);
  }
});

test("texts that are too long to compare count as changed", () => {
  const lines = lineDiff(Array.from({ length: 2100 }, (_, at) => `a${at}`), Array.from({ length: 2100 }, (_, at) => `b${at}`));
  assert.deepEqual([lines.length, lines[0].kind, lines.at(-1).kind], [4200, "del", "add"]);
});

test("a unified diff: headers are told from lines that look like them", () => {
  const text = "--- R1\n+++ R1 new\n@@ -1,3 +1,2 @@\n a\n--- b\n-c\n+++ d\n--- R2\n+++ R2 new\n@@ -1 +1 @@\n-x\n+y\n";
  assert.deepEqual(parseUnified(text).map(({ kind, text: line }) => [kind, line]), [
    ["file", "--- R1"], ["file", "+++ R1 new"], ["hunk", "@@ -1,3 +1,2 @@"], ["same", "a"], ["del", "-- b"], ["del", "c"], ["add", "++ d"],
    ["file", "--- R2"], ["file", "+++ R2 new"], ["hunk", "@@ -1 +1 @@"], ["del", "x"], ["add", "y"],
  ]);
});

test("a hunk's section stays in its header; what is no unified diff is shown as it stands", () => {
  const hunk = "@@ -3,2 +3,3 @@ interface GigabitEthernet0/0";
  assert.deepEqual(parseUnified(`--- R1\n+++ R1\n${hunk}\n no ip address\n-shutdown\n+ip address dhcp\n+no shutdown`).at(2), { kind: "hunk", text: hunk });
  assert.deepEqual(parseUnified("@@ -1,9 +1,9 @@\n-only\n"), [{ kind: "same", text: "@@ -1,9 +1,9 @@" }, { kind: "same", text: "-only" }]);
});
