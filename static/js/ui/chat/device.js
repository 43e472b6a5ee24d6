/** One device's part of a tool call: its commands, then what came of them. */

import { t } from "../../i18n/index.js";
import { html, names } from "../lib/html.js";
import { Output } from "./output.js";

const STATES = new Set(["success", "partial_success", "failed"]);
const NODES = new Set(["started", "stopped", "suspended", "deleted"]);
const MANY = 3; // commands that fit into a line; more are read line by line

/** @param {{work: import("../../state/tool_data.js").DeviceWork, tool: string}} props */
export function Device({ work, tool }) {
  const { name, commands, status, state, output } = work;
  const fault = faultOf(work);
  const text = output.replace(/^\n+|\s+$/g, "");
  return html`
    <section class="device" aria-label=${name}>
      <div class="device-head">
        <strong class="device-name">${name}</strong>
        ${commands.length > 0 && html`<span class=${names("commands", { many: commands.length > MANY })}>${commands.map((command, at) => html`<code key=${at}>${command}</code>`)}</span>`}
        ${state !== null && html`<span class="device-kind">${NODES.has(state) ? t(`lab.${state}`) : state}</span>`}
        ${status !== null && html`<span class="pill" data-status=${status}>${STATES.has(status) ? t(`chat.device.${status}`) : status}</span>`}
      </div>
      ${fault !== "" && html`<p class="device-error">${fault}</p>`}
      ${text !== "" && html`<${Output} text=${text} file=${`${name}-${tool}`} />`}
    </section>
  `;
}

function faultOf({ error, blocked }) {
  const refused = blocked.length > 0 ? t("chat.device.refused", { commands: blocked.join(", ") }) : "";
  return [error, refused].filter(Boolean).join("\n");
}
