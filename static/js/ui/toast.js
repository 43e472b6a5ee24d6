/** A short word about something that failed and has no place of its own. */

import { byId, h } from "./dom.js";

export function toast(text) {
  const node = h("p", { class: "toast" }, text);
  byId("toasts").append(node);
  setTimeout(() => node.remove(), 6000);
}
