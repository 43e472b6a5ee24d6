/** Limits for the messages of this browser. What is typed stays, also when the dialog is closed, until it is saved. */

import { t } from "../../i18n/index.js";
import { LIMITS, limitsDraft, readLimits } from "../../state/limits.js";
import { createCell } from "../../state/store.js";
import { html, useRef, useState } from "../lib/html.js";
import { useApp, useCell, useStore } from "../lib/store.js";
import { Check, Field, SelectField, TextField, focusFault } from "./fields.js";

/** What was typed and is not saved yet. */
const typed = createCell(null);

const GROUPS = {
  run: ["max_iterations", "max_tool_calls", "max_execution_time_seconds", "max_total_tokens", "max_cost_usd", "on_limit_reached"],
  model: ["temperature", "max_tokens", "estimate_cost_before_execution"],
  tools: ["max_device_config_calls", "max_diagnostic_calls", "max_parallel_tools", "max_retries_per_tool", "retry_on_tool_error", "tool_limits"],
};

export function LimitsPage() {
  const { preferences } = useApp();
  const saved = useStore((state) => state.preferences.limits);
  const draft = useCell(typed) ?? limitsDraft(saved);
  const [asked, setAsked] = useState(false); // faults are shown when somebody wanted to save
  const root = useRef(null);
  const { limits, faults } = readLimits(draft);

  function submit(event) {
    event.preventDefault();
    setAsked(true);
    if (Object.keys(faults).length > 0) return requestAnimationFrame(() => focusFault(root.current));
    preferences.set({ limits });
    typed.set(null);
  }

  return html`
    <form ref=${root} class="settings-form" onSubmit=${submit} novalidate>
      <p class="settings-intro wide">${t("limits.intro")}</p>
      ${Object.entries(GROUPS).map(([group, fields]) => html`
        <h3 key=${group} class="wide">${t(`limits.${group}`)}</h3>
        ${fields.map((name) => html`<${Limit} key=${name} name=${name} value=${draft[name]} fault=${asked ? faults[name] : undefined} type=${(value) => typed.set({ ...draft, [name]: value })} />`)}
      `)}
      <${Foot} unsaved=${useCell(typed) !== null} saved=${asked} clear=${() => typed.set(limitsDraft({}))} />
    </form>
  `;
}

function Limit({ name, value, fault, type }) {
  const { kind, options, whole } = LIMITS[name];
  const field = { label: t(`limits.${name}`), value, fault, type };
  if (kind === "flag") return html`<${Check} label=${field.label} checked=${value} choose=${type} />`;
  if (kind === "choice") return html`<${SelectField} ...${field} choose=${type} options=${choices(name, options)} />`;
  if (kind === "tools") return html`<${ToolLimits} ...${field} />`;
  return html`<${TextField} ...${field} kind=${whole ? "numeric" : "decimal"} placeholder=${usual(name)} />`;
}

const choices = (name, options) => Object.fromEntries([["", t(`limits.${name}.server`)], ...options.map((one) => [one, t(`limits.${name}.${one}`)])]);

/** What holds if the field is left empty. */
function usual(name) {
  if (name === "temperature" || name === "max_tokens") return t("limits.by_model");
  return LIMITS[name].usual === undefined ? t("limits.unlimited") : t("limits.usual", LIMITS[name]);
}

function ToolLimits({ value, type, ...field }) {
  const control = (ties) => html`<textarea ...${ties} rows="3" spellcheck=${false} value=${value} onInput=${(event) => type(event.currentTarget.value)}></textarea>`;
  return html`<${Field} ...${field} wide hint=${t("limits.tool_limits_hint")} control=${control} />`;
}

function Foot({ unsaved, saved, clear }) {
  return html`
    <div class="form-foot dialog-buttons wide">
      <p class="form-state" role="status">${unsaved ? t("limits.unsaved") : saved && t("settings.saved")}</p>
      <button type="button" class="plain" onClick=${clear}>${t("limits.clear")}</button>
      <button type="submit" class="primary">${t("settings.save")}</button>
    </div>
  `;
}
