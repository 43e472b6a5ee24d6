/** Shows a growing text: finished blocks are left alone, the last ones are brought up to date in place. */

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { morph } from "./morph.js";
import { parseBlocks, parseInline } from "./text_blocks.js";

const OPEN_BLOCKS = 2; // a list that a blank line ended may yet go on: the last two blocks can still change

export function createTextView() {
  const root = h("div", { class: "prose" });
  let shown = "";
  let starts = [];

  function update(text) {
    if (text === shown) return;
    const kept = text.startsWith(shown) ? Math.max(0, starts.length - OPEN_BLOCKS) : 0;
    const from = kept > 0 ? starts[kept] : 0;
    const blocks = parseBlocks(text.slice(from), from);
    blocks.forEach((block, at) => place(root, kept + at, blockNode(block)));
    while (root.children.length > kept + blocks.length) root.lastChild.remove();
    starts = [...starts.slice(0, kept), ...blocks.map((block) => block.start)];
    shown = text;
  }

  return { root, update };
}

function place(root, at, fresh) {
  const known = root.children[at];
  if (known) morph(known, fresh);
  else root.append(fresh);
}

const NODES = {
  paragraph: (block) => h("p", {}, ...inline(block.text)),
  heading: (block) => h(block.level <= 2 ? "h3" : "h4", {}, ...inline(block.text)),
  rule: () => h("hr"),
  code: (block) => codeBlock(block.text, block.language),
  list: (block) => list(block.items, block.ordered, block.from),
  table: (block) => table(block),
};

const blockNode = (block) => NODES[block.type](block);

function inline(text) {
  return parseInline(text).map((piece) => {
    if (piece.type === "text") return piece.text;
    return piece.type === "strong" ? h("strong", {}, ...inline(piece.text)) : h(piece.type, {}, piece.text);
  });
}

export function codeBlock(text, language = "") {
  return h("figure", { class: "code" },
    h("figcaption", {}, h("span", {}, language || "text"),
      h("button", { type: "button", class: "copy", data: { copy: "" }, "aria-label": "Copy code" }, icon("copy"), h("span", {}, "Copy"))),
    h("pre", { tabindex: "0" }, h("code", {}, text)));
}

/** Items deeper than the first become lists of their own, inside the item before them. */
function list(items, ordered, from = 1) {
  const root = h(ordered ? "ol" : "ul", { start: ordered && from !== 1 ? from : null });
  const base = Math.min(...items.map((item) => item.depth));
  let at = 0;
  while (at < items.length) {
    let end = at + 1;
    while (end < items.length && items[end].depth > base) end += 1;
    const nested = items.slice(at + 1, end);
    root.append(h("li", {}, ...inline(items[at].text), nested.length > 0 && list(nested, false)));
    at = end;
  }
  return root;
}

function table({ head, rows }) {
  const row = (tag, texts) => h("tr", {}, ...head.map((_, at) => h(tag, {}, ...inline(texts[at] ?? ""))));
  return h("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Table" },
    h("table", {}, h("thead", {}, row("th", head)), h("tbody", {}, ...rows.map((cells) => row("td", cells)))));
}
