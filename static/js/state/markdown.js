/** A growing Markdown text as blocks: what is finished stays the same object, only the end is read again. Pure. */

import { Lexer } from "marked";

const OPEN = 2; // blocks at the end that more text may still change: the "2" below a list is an item of it once a dot follows
const SILENT = new Set(["space", "def"]);

/**
 * @typedef {{start: number, token: Object}} Block  `start`: where in the text it begins; `token`: of marked
 * @typedef {{text: string, whole: boolean, blocks: Block[], links: Object}} Markdown  `links`: addresses by name, for the links that name one
 */

/** @type {Markdown} */
export const NO_MARKDOWN = { text: "", whole: true, blocks: [], links: {} };

/**
 * @param {Markdown} before
 * @param {string} given   the text so far
 * @param {boolean} whole  nothing more will come: what a later line said about an earlier one holds now
 * @returns {Markdown}
 */
export function grown(before, given, whole) {
  const text = given.includes("\r") ? given.replace(/\r\n?/g, "\n") : given;
  if (text === before.text && whole === before.whole) return before;
  const goesOn = text.startsWith(before.text);
  const kept = goesOn && !whole ? before.blocks.slice(0, -OPEN) : [];
  const from = kept.length > 0 ? before.blocks[kept.length].start : 0;
  const { blocks, links } = read(text.slice(from), from, kept.length > 0 ? before.links : {});
  const old = goesOn && Object.keys(links).length === 0 ? before.blocks.slice(kept.length) : [];
  return { text, whole, links, blocks: [...kept, ...blocks.map((block, at) => same(old[at], block))] };
}

function read(text, from, links) {
  const lexer = new Lexer({ gfm: true });
  lexer.tokens.links = { ...links };
  const blocks = [];
  let start = from;
  for (const token of lexer.lex(text)) {
    if (!SILENT.has(token.type)) blocks.push({ start, token });
    start += token.raw.length;
  }
  return { blocks, links: lexer.tokens.links };
}

function same(old, block) {
  if (old?.start !== block.start) return block;
  const token = reused(old.token, block.token);
  return token === old.token ? old : { ...block, token };
}

/** What says the same is the same object, also within a list that grows. */
function reused(old, fresh) {
  if (!old || old.type !== fresh.type || old.loose !== fresh.loose) return fresh;
  if (old.raw === fresh.raw) return old;
  return fresh.items ? { ...fresh, items: fresh.items.map((item, at) => reused(old.items[at], item)) } : fresh;
}
