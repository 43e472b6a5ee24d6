/**
 * Differences of texts, line by line. Pure.
 *
 * @typedef {{kind: "same"|"add"|"del"|"file"|"hunk", text: string}} DiffLine
 */

const MOST = 4_000_000; // cells of the table; beyond it, all lines count as changed

/** The shortest way from the old lines to the new ones. @returns {DiffLine[]} */
export function lineDiff(old, fresh) {
  const most = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < most && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  return [
    ...mark("same", old.slice(0, head)),
    ...middle(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)),
    ...mark("same", old.slice(old.length - tail)),
  ];
}

const mark = (kind, lines) => lines.map((text) => ({ kind, text }));

function middle(old, fresh) {
  if (old.length === 0 || fresh.length === 0 || old.length * fresh.length > MOST) return [...mark("del", old), ...mark("add", fresh)];
  const common = commonTable(old, fresh);
  const width = fresh.length + 1;
  const lines = [];
  let [a, b] = [0, 0];
  while (a < old.length && b < fresh.length) {
    if (old[a] === fresh[b]) {
      lines.push({ kind: "same", text: old[a] });
      a += 1;
      b += 1;
    } else if (common[(a + 1) * width + b] >= common[a * width + b + 1]) lines.push({ kind: "del", text: old[a++] });
    else lines.push({ kind: "add", text: fresh[b++] });
  }
  return [...lines, ...mark("del", old.slice(a)), ...mark("add", fresh.slice(b))];
}

/** Cell (a, b): how many lines the rest of `old` from a and the rest of `fresh` from b have in common. */
function commonTable(old, fresh) {
  const width = fresh.length + 1;
  const table = new Uint32Array((old.length + 1) * width);
  for (let a = old.length - 1; a >= 0; a -= 1) {
    for (let b = fresh.length - 1; b >= 0; b -= 1) {
      const at = a * width + b;
      table[at] = old[a] === fresh[b] ? table[at + width + 1] + 1 : Math.max(table[at + width], table[at + 1]);
    }
  }
  return table;
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const KINDS = { "+": "add", "-": "del" };

/** A unified diff's lines; a removed line that looks like a file's header is told apart by the hunk's counts. @returns {DiffLine[]} */
export function parseUnified(text) {
  let [old, fresh] = [0, 0];
  return text.replace(/\n$/, "").split("\n").map((line) => {
    const hunk = HUNK.exec(line);
    if (old <= 0 && fresh <= 0) {
      if (!hunk) return { kind: "file", text: line };
      [old, fresh] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
      return { kind: "hunk", text: line };
    }
    const kind = KINDS[line[0]] ?? "same";
    if (kind !== "add") old -= 1;
    if (kind !== "del") fresh -= 1;
    return { kind, text: line.slice(1) };
  });
}
