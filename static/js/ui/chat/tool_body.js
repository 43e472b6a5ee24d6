/** What a card shows when it is open: progress, the question, what was decided, each device's part, arguments and output. */

import { t } from "../../i18n/index.js";
import { changesOf } from "../../state/edit.js";
import { parsePartial } from "../../state/partial_json.js";
import { pretty } from "../../state/tool_data.js";
import { Changes } from "../hitl/changes.js";
import { Question } from "../hitl/question.js";
import { saysAll, verdictOf } from "../hitl/verdict.js";
import { toolTitle } from "../lib/format.js";
import { html } from "../lib/html.js";
import { Device } from "./device.js";
import { Output } from "./output.js";

export function ToolBody({ call, phase, prompt, decision, work }) {
  const asking = phase === "asking";
  const changes = changesMade(call, decision);
  const verdict = asking ? "" : verdictOf(call, decision);
  const asked = asking || decision !== null;
  return html`
    <div class="tool-body">
      <${Progress} progress=${call.progress} />
      ${verdict !== "" && html`<p class="verdict">${verdict}</p>`}
      ${asked && html`<${Question} call=${call} prompt=${prompt} />`}
      <${Changes} label=${t("chat.call.changed")} changes=${changes} />
      ${!asking && html`<${Devices} work=${work} changed=${changes.length > 0} tool=${call.name} />`}
      ${!asking && changes.length === 0 && work.length === 0 && html`<${Arguments} call=${call} />`}
      ${!work.some((device) => device.answered) && !saysAll(call, decision) && html`<${Result} call=${call} />`}
    </div>
  `;
}

function Progress({ progress }) {
  if (!progress) return null;
  const { done, total, device, message } = progress;
  return html`
    ${message && html`<p class="tool-note">${device ? t("chat.call.progress", { device, message }) : message}</p>`}
    ${total > 1 && html`<progress max=${total} value=${done} aria-label=${t("chat.call.progress_label")} />`}
  `;
}

/** Where the changes are shown, they show the lines as well. */
function Devices({ work, changed, tool }) {
  const shown = work.filter((device) => device.answered || !changed).map((device) => (changed ? { ...device, commands: [] } : device));
  return shown.length > 0 && html`<div class="devices">${shown.map((device) => html`<${Device} key=${device.name} work=${device} tool=${tool} />`)}</div>`;
}

function Arguments({ call }) {
  const text = pretty(call.args);
  return text.trim() !== "" && text.trim() !== "{}" && html`<${Output} className="args" text=${text} file=${call.name} />`;
}

function Result({ call }) {
  return call.output !== null && call.output !== "" && html`<${Output} text=${pretty(call.output)} file=${toolTitle(call.name)} />`;
}

/** What a person made of the model's arguments. */
function changesMade(call, decision) {
  const final = call.executed ? JSON.parse(call.executed) : decision?.args ?? null;
  return final ? changesOf(parsePartial(call.args) ?? {}, final) : [];
}
