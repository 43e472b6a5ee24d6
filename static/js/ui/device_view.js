/** One device's part of a tool call: its commands, then what came of them. */

import { h, setChildren, setText } from "./dom.js";
import { createOutput } from "./output_view.js";

const LABELS = { success: "OK", partial_success: "Partly", failed: "Failed" };

export function createDeviceView(name) {
  const commands = h("span", { class: "commands" });
  const status = h("span", { class: "pill", hidden: true });
  const error = h("p", { class: "device-error", hidden: true });
  const output = createOutput();
  const root = h("section", { class: "device", "aria-label": name },
    h("div", { class: "device-head" }, h("strong", { class: "device-name" }, name), commands, status), error, output.root);

  return {
    root,
    /** @param {import("./tool_data.js").DeviceWork} work */
    update(work) {
      setCommands(commands, work.commands);
      status.hidden = work.status === null;
      status.dataset.status = work.status ?? "";
      setText(status, LABELS[work.status] ?? work.status ?? "");
      const refused = work.blocked.length > 0 ? `Refused: ${work.blocked.join(", ")}` : "";
      setText(error, [work.error, refused].filter(Boolean).join("\n"));
      error.hidden = error.textContent === "";
      output.update(work.output.replace(/^\n+|\s+$/g, ""));
    },
  };
}

/** A few commands fit into a line; a configuration is read line by line. */
function setCommands(root, texts) {
  root.classList.toggle("many", texts.length > 3);
  setChildren(root, texts.map((text, at) => {
    const node = root.children[at] ?? h("code");
    setText(node, text);
    return node;
  }));
}
