/** What is to be sent, line by line, with what is dangerous about it. */

import { h } from "./dom.js";

/** @param {Object} tool  PendingTool @returns {HTMLElement[]} */
export function promptLines(tool) {
  const dangers = [...(tool.dangerous_commands ?? [])];
  const devices = (tool.devices ?? []).map((device) => deviceLines(device, dangers));
  return dangers.length > 0 ? [dangerList(dangers), ...devices] : devices;
}

/** Takes the dangers that it shows out of `dangers`. */
function deviceLines({ device_name: name, platform, lines }, dangers) {
  const rows = lines.map((line) => {
    const at = dangers.findIndex((one) => one.device_name === name && one.command.trim() === line.trim());
    const [danger] = at >= 0 ? dangers.splice(at, 1) : [];
    return h("li", { class: danger && "dangerous" }, h("code", {}, line), danger && h("span", { class: "reason" }, danger.reason));
  });
  return h("section", { class: "device", "aria-label": name },
    h("div", { class: "device-head" }, h("strong", { class: "device-name" }, name), h("span", { class: "device-kind" }, platform ?? "")),
    h("ol", { class: "lines" }, ...rows));
}

/** Dangers that are no line of their own. */
export function dangerList(dangers) {
  return h("ul", { class: "dangers" }, ...dangers.map((one) =>
    h("li", { class: "dangerous" }, one.device_name && h("strong", {}, `${one.device_name}: `), h("code", {}, one.command),
      h("span", { class: "reason" }, one.reason))));
}
