/** What is to be sent, line by line, with what is dangerous about it. */

import { sentence } from "../../i18n/server.js";
import { html } from "../lib/html.js";

/** @param {{tool: Object}} props  PendingTool */
export function Lines({ tool }) {
  const { devices, others } = markedLines(tool);
  return html`
    ${others.length > 0 && html`<${Dangers} dangers=${others} />`}
    ${devices.length > 0 && html`<div class="devices">${devices.map((device, at) => html`<${Device} key=${at} ...${device} />`)}</div>`}
  `;
}

/** Each danger stands at its line; `others` are those that are no line of their own. */
function markedLines(tool) {
  const others = [...(tool.dangerous_commands ?? [])];
  const devices = (tool.devices ?? []).map(({ device_name: name, platform, lines }) => ({
    name, platform, lines: lines.map((text) => ({ text, danger: taken(others, name, text) })),
  }));
  return { devices, others };
}

function taken(dangers, name, text) {
  const at = dangers.findIndex((one) => one.device_name === name && one.command.trim() === text.trim());
  return at < 0 ? null : dangers.splice(at, 1)[0];
}

function Device({ name, platform, lines }) {
  return html`
    <section class="device" aria-label=${name}>
      <div class="device-head"><strong class="device-name">${name}</strong><span class="device-kind">${platform}</span></div>
      <ol class="lines">${lines.map(({ text, danger }, at) => html`
        <li key=${at} class=${danger && "dangerous"}><code>${text}</code>${danger && html`<span class="reason">${sentence(danger.reason)}</span>`}</li>
      `)}</ol>
    </section>
  `;
}

/** @param {{dangers: {device_name: string, command: string, reason: string}[]}} props */
export function Dangers({ dangers }) {
  return html`
    <ul class="dangers">${dangers.map(({ device_name: name, command, reason }, at) => html`
      <li key=${at} class="dangerous">${name && html`<strong>${name}: </strong>`}<code>${command}</code><span class="reason">${sentence(reason)}</span></li>
    `)}</ul>
  `;
}
