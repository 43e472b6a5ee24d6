/** Blocks of lines, clipped when they are long. */

import { h, setChildren, setText } from "./dom.js";

const LONG = 14; // lines that are shown of a clipped output

export function createOutput(className = "") {
  const block = createBlock(className);
  return {
    root: block.root,
    update(text) {
      setText(block.pre, text);
      block.show(text === "" ? 0 : text.split("\n").length);
    },
  };
}

const SIGNS = { add: "+", del: "-", same: " ", file: "", hunk: "" };

/** Lines of a difference. The sign before each is text: colour alone tells nothing to some. */
export function createDiff(label) {
  const block = createBlock("diff", label);
  return {
    root: block.root,
    /** @param {import("../state/diff.js").DiffLine[]} lines */
    update(lines) {
      setChildren(block.pre, lines.map(({ kind, text }) => h("span", { class: `line-${kind}` }, `${SIGNS[kind]}${text}\n`)));
      block.show(lines.length);
    },
  };
}

/** Shown open until it is clipped: `show` is told how many lines there are. */
function createBlock(className, label = null) {
  const pre = h("pre", { tabindex: "0", role: label && "group", "aria-label": label });
  const more = h("button", { type: "button", class: "more", on: { click: toggle } });
  const root = h("div", { class: `output ${className}`, hidden: true }, pre, more);
  let open = false;
  let lines = 0;

  function toggle() {
    open = !open;
    show(lines);
  }

  function show(count) {
    lines = count;
    root.hidden = lines === 0;
    const long = lines > LONG + 2;
    more.hidden = !long;
    root.classList.toggle("clipped", long && !open);
    more.setAttribute("aria-expanded", String(open));
    setText(more, open ? "Show less" : `Show all ${lines} lines`);
  }

  return { root, pre, show };
}
