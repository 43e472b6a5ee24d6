/**
 * Differences of texts, line by line. Pure.
 *
 * @typedef {{kind: "same"|"add"|"del"|"file"|"hunk", text: string}} DiffLine
 */

import { diffArrays } from "diff/array";
import { parsePatch } from "diff/parse";

const MOST = 400; // changed lines; beyond it, looking for common ones takes too long and all count as changed

/** The shortest way from the old lines to the new ones. @returns {DiffLine[]} */
export function lineDiff(old, fresh) {
  const parts = diffArrays(old, fresh, { maxEditLength: MOST }) ?? [{ value: old, removed: true }, { value: fresh, added: true }];
  return parts.flatMap(({ value, added, removed }) => mark(added ? "add" : removed ? "del" : "same", value));
}

const mark = (kind, lines) => lines.map((text) => ({ kind, text }));

const KINDS = { "+": "add", "-": "del" };

/** A unified diff's lines; what is none is shown as it stands. @returns {DiffLine[]} */
export function parseUnified(text) {
  const lines = text.replace(/\n$/, "").split("\n");
  try {
    return walk(lines, parsePatch(text).flatMap((file) => file.hunks));
  } catch {
    return mark("same", lines);
  }
}

/** The parsed hunks say which lines are theirs; headers are taken from the text, which says more in them. */
function walk(lines, hunks) {
  const shown = [];
  let at = 0;
  for (const hunk of hunks) {
    const start = lines.findIndex((line, index) => index >= at && line.startsWith("@@ "));
    const body = hunk.lines.map((line) => ({ kind: KINDS[line[0]] ?? "same", text: line.slice(1) }));
    shown.push(...mark("file", lines.slice(at, start)), { kind: "hunk", text: lines[start] }, ...body);
    at = start + 1 + hunk.lines.length;
  }
  return [...shown, ...mark("file", lines.slice(at))];
}
