/** A block of output, clipped when it is long. */

import { h, setText } from "./dom.js";

const LONG = 14; // lines that are shown of a clipped output

export function createOutput(className = "") {
  const pre = h("pre", { tabindex: "0" });
  const more = h("button", { type: "button", class: "more", on: { click: toggle } });
  const root = h("div", { class: `output ${className}`, hidden: true }, pre, more);
  let open = false;
  let lines = 0;

  function toggle() {
    open = !open;
    show();
  }

  function show() {
    const long = lines > LONG + 2;
    more.hidden = !long;
    root.classList.toggle("clipped", long && !open);
    more.setAttribute("aria-expanded", String(open));
    setText(more, open ? "Show less" : `Show all ${lines} lines`);
  }

  return {
    root,
    update(text) {
      setText(pre, text);
      root.hidden = text === "";
      lines = text.split("\n").length;
      show();
    },
  };
}
