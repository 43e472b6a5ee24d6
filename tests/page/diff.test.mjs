/** Differences, edits and verdicts: the pure parts of what a person is asked. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { lineDiff, parseUnified } from "../../static/js/state/diff.js";
import { changesOf, draftOf, readDraft } from "../../static/js/state/edit.js";
import { dangersOf, faultOf, saysAll, timeLeft, verdictOf } from "../../static/js/ui/verdict.js";

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

const ARGS = { device_configs: [{ device_name: "R1", config_commands: ["a", "b"] }, { device_name: "R2", config_commands: ["c"] }] };

test("editing lines: one command a line, empty ones dropped, a device without any left out", () => {
  const draft = draftOf(ARGS);
  assert.deepEqual(draft.devices.map(({ name, text }) => [name, text]), [["R1", "a\nb"], ["R2", "c"]]);
  assert.deepEqual(readDraft(ARGS, draft), { args: ARGS, fault: null });
  draft.devices[0].text = "a\n\n   \n  x  \r\n";
  draft.devices[1].text = " \n";
  const { args } = readDraft(ARGS, draft);
  assert.deepEqual(args, { device_configs: [{ device_name: "R1", config_commands: ["a", "  x"] }] });
  assert.deepEqual(changesOf(ARGS, args).map(({ name, lines }) => [name, shown(lines)]), [["R1", [" a", "-b", "+  x"]], ["R2", ["-c"]]]);
  draft.devices[0].text = "";
  assert.match(readDraft(ARGS, draft).fault, /no line left/);
  assert.equal(ARGS.device_configs[0].config_commands.length, 2, "the call itself is left alone");
});

test("editing other tools: JSON, checked", () => {
  const args = { node_ids: ["PC2"] };
  const draft = draftOf(args);
  assert.equal(draft.devices, null);
  assert.deepEqual(readDraft(args, draft), { args, fault: null });
  assert.match(readDraft(args, { devices: null, text: '{"node_ids": [' }).fault, /no JSON/);
  for (const text of ["[]", "null", "3"]) assert.match(readDraft(args, { devices: null, text }).fault, /JSON object/);
  assert.deepEqual(changesOf(args, args), []);
  assert.deepEqual(shown(changesOf(args, { node_ids: ["PC1"] })[0].lines), [" {", '   "node_ids": [', '-    "PC2"', '+    "PC1"', "   ]", " }"]);
  assert.equal(draftOf({ device_configs: [{ device_name: "R1", config_commands: [1] }] }).devices, null, "not lines: JSON");
});

const call = (state, fields = {}) => ({ id: "c1", state, output: "{}", executed: null, ...fields });
const by = (decision, reason = null) => ({ decision, by: "ann", reason, args: null });

test("what became of a call, in words", () => {
  assert.equal(verdictOf(call("rejected"), by("rejected", "not now")), "Rejected by ann: “not now”. It did not run.");
  assert.equal(verdictOf(call("rejected", { output: '{"error": "…", "reason": "not now"}' }), null), "Rejected by a person: “not now”. It did not run.");
  assert.match(verdictOf(call("expired"), by("expired")), /in time/);
  assert.match(verdictOf(call("replaced"), by("modified")), /by ann .*did not run/);
  assert.match(verdictOf(call("unknown"), by("confirmed")), /check the device/);
  assert.match(verdictOf(call("stopped"), by("cancelled")), /withdrawn by ann/);
  assert.equal(verdictOf(call("success", { executed: "{}" }), null), "Changed by a person before it ran.");
  assert.equal(verdictOf(call("running"), by("confirmed")), "Confirmed by ann.");
  assert.equal(verdictOf(call("success"), null), "");
  assert.deepEqual(["rejected", "unknown", "success", "stopped"].map((state) => saysAll(call(state), by("confirmed"))), [true, true, false, false]);
});

test("what the server refuses, in words", () => {
  assert.equal(faultOf({ code: "invalid_argument", message: "No.", details: [{ field: "modified_args.node_ids", message: "too short" }] }), "modified_args.node_ids: too short");
  assert.equal(faultOf({ code: "invalid_argument", message: "No.", details: null }), "No.");
  assert.equal(faultOf({ code: "already_resolved", message: "x", details: { decision: "rejected", by: "ann" } }), "Too late: it was rejected by ann.");
  const danger = { device_name: "R1", command: "reload", reason: "Restarts." };
  assert.deepEqual(dangersOf({ code: "confirmation_required", details: [{ tool_call_id: "c1", dangerous_commands: [danger] }] }), [danger]);
  assert.equal(dangersOf({ code: "conflict", details: [] }), null);
});

test("time left", () => {
  assert.deepEqual([300_000, 61_000, 59_001, 400, 0, -5].map(timeLeft), ["5:00 left", "1:01 left", "1:00 left", "0:01 left", "Time is up", "Time is up"]);
});
