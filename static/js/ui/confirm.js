/** Asks a yes-or-no question. @returns {Promise<boolean>} */

import { h } from "./dom.js";

export function confirm(question, text, yes) {
  return new Promise((resolve) => {
    const dialog = h("dialog", { class: "dialog", "aria-labelledby": "confirm-title" },
      h("form", { method: "dialog" },
        h("h2", { id: "confirm-title" }, question),
        h("p", {}, text),
        h("div", { class: "dialog-buttons" },
          h("button", { value: "no", class: "plain" }, "Cancel"),
          h("button", { value: "yes", class: "danger" }, yes))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
