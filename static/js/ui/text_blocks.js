/**
 * A model's text as blocks: the little of Markdown that chat answers use. Pure, so it can be tested without a page.
 *
 * @typedef {{type: "paragraph", text: string, start: number}
 *   | {type: "heading", level: number, text: string, start: number}
 *   | {type: "code", language: string, text: string, closed: boolean, start: number}
 *   | {type: "list", ordered: boolean, from: number, items: {text: string, depth: number}[], start: number}
 *   | {type: "table", head: string[], rows: string[][], start: number}
 *   | {type: "rule", start: number}} Block   `start`: where in the text it begins
 */

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+-]*)[^`]*$/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])(?:\s+(.*))?$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const TABLE_LINE = /^\s*\|?[\s:|-]*-[\s:|-]*\|?\s*$/;

/** @returns {Block[]} */
export function parseBlocks(text, offset = 0) {
  const lines = linesOf(text, offset);
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    if (lines[at].text.trim() === "") at += 1;
    else {
      const [block, next] = readBlock(lines, at);
      blocks.push({ ...block, start: lines[at].start });
      at = next;
    }
  }
  return blocks;
}

function linesOf(text, offset) {
  let start = offset;
  return text.split("\n").map((line) => {
    const entry = { text: line.replace(/\r$/, ""), start };
    start += line.length + 1;
    return entry;
  });
}

function readBlock(lines, at) {
  const line = lines[at].text;
  if (FENCE.test(line)) return readCode(lines, at);
  const heading = HEADING.exec(line);
  if (heading) return [{ type: "heading", level: heading[1].length, text: heading[2] }, at + 1];
  if (RULE.test(line)) return [{ type: "rule" }, at + 1];
  if (ITEM.test(line)) return readList(lines, at);
  if (isTable(lines, at)) return readTable(lines, at);
  return readParagraph(lines, at);
}

function readCode(lines, at) {
  const [, fence, language] = FENCE.exec(lines[at].text);
  const body = [];
  for (let next = at + 1; next < lines.length; next += 1) {
    const line = lines[next].text.trim();
    if (line.startsWith(fence) && line.replaceAll(fence[0], "") === "") {
      return [{ type: "code", language, text: body.join("\n"), closed: true }, next + 1];
    }
    body.push(lines[next].text);
  }
  return [{ type: "code", language, text: body.join("\n"), closed: false }, lines.length];
}

function readList(lines, at) {
  const ordered = /^\s*\d/.test(lines[at].text);
  const from = ordered ? Number.parseInt(lines[at].text, 10) : 1;
  const items = [];
  let next = at;
  for (; next < lines.length; next += 1) {
    const line = lines[next].text;
    const item = ITEM.exec(line);
    if (item && !RULE.test(line)) {
      const depth = Math.min(3, Math.floor(item[1].replaceAll("\t", "    ").length / 2));
      if (depth === 0 && /^\d/.test(item[2]) !== ordered) break;
      items.push({ text: item[3] ?? "", depth });
    } else if (line.trim() === "") {
      if (!ITEM.test(lines[next + 1]?.text ?? "")) break;
    } else if (/^\s/.test(line)) items.at(-1).text += `\n${line.trim()}`;
    else break;
  }
  return [{ type: "list", ordered, from, items }, next];
}

function isTable(lines, at) {
  return lines[at].text.includes("|") && at + 1 < lines.length && lines[at + 1].text.includes("|") && TABLE_LINE.test(lines[at + 1].text);
}

function readTable(lines, at) {
  const head = cells(lines[at].text);
  const rows = [];
  let next = at + 2;
  for (; next < lines.length && lines[next].text.includes("|"); next += 1) rows.push(cells(lines[next].text));
  return [{ type: "table", head, rows }, next];
}

function cells(line) {
  return line.trim().replace(/^\|/, "").replace(/\|$/, "").split("|").map((cell) => cell.trim());
}

function readParagraph(lines, at) {
  let next = at + 1;
  while (next < lines.length && !startsBlock(lines, next)) next += 1;
  return [{ type: "paragraph", text: lines.slice(at, next).map((line) => line.text).join("\n") }, next];
}

function startsBlock(lines, at) {
  const line = lines[at].text;
  return line.trim() === "" || FENCE.test(line) || HEADING.test(line) || RULE.test(line) || /^\s{0,3}([-*+]|1[.)])\s+\S/.test(line)
    || isTable(lines, at);
}

/**
 * Pieces of a line: code, bold, italic and plain text.
 * @returns {{type: "text"|"code"|"strong"|"em", text: string}[]}
 */
export function parseInline(text) {
  const pieces = [];
  const pattern = /(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)|\*\*(?=\S)([\s\S]*?\S)\*\*|(?<![\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*])/g;
  let last = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > last) pieces.push({ type: "text", text: text.slice(last, match.index) });
    if (match[2] !== undefined) pieces.push({ type: "code", text: match[2].trim() });
    else if (match[3] !== undefined) pieces.push({ type: "strong", text: match[3] });
    else pieces.push({ type: "em", text: match[4] });
    last = match.index + match[0].length;
  }
  if (last < text.length) pieces.push({ type: "text", text: text.slice(last) });
  return pieces;
}
