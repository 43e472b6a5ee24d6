/** The head of a card: what is called, for which devices, where it stands. */

import { saysAll } from "../hitl/verdict.js";
import { duration, toolTitle } from "../lib/format.js";
import { html, memo } from "../lib/html.js";
import { Icon } from "../lib/icons.js";
import { toolState } from "./tool_state.js";

export const ToolSummary = memo(({ call, phase, decision, devices }) => {
  const { icon, label } = toolState(phase, decision);
  const took = saysAll(call, decision) ? "" : duration(call.duration);
  return html`
    <summary>
      <span class="tool-mark">${icon === null ? html`<span class="spinner" />` : html`<${Icon} name=${icon} />`}</span>
      <span class="tool-title" title=${call.name}>${toolTitle(call.name)}</span>
      <span class="tool-about">${devices}</span>
      <span class="tool-state">${phase === "success" && took !== "" ? html`<span class="visually-hidden">${label}</span>` : label}${took !== "" && html`<span class="tool-took">${took}</span>`}</span>
      <${Icon} name="chevron" />
    </summary>
  `;
});
