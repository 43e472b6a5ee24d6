/** What the chosen chat has used: tokens in a line, and opened, what each model cost and which tools ran. */

import { t } from "../../i18n/index.js";
import { currentRun } from "../../state/select.js";
import { billsOf, tokensOf, toolsOf } from "../../state/usage.js";
import { count, money, short, toolTitle } from "../lib/format.js";
import { html } from "../lib/html.js";
import { useStore } from "../lib/store.js";

export function Usage() {
  const session = useStore((state) => state.sessions[state.selected] ?? null);
  const usage = useStore((state) => currentRun(state)?.usage ?? null);
  const tokens = tokensOf(session, usage);
  if (tokens.total === 0) return null;
  const shown = Object.fromEntries(Object.entries(tokens).map(([key, value]) => [key, short(value)]));
  return html`
    <details class="usage" id="tokens">
      <summary aria-label=${`${t("usage.title")}: ${t("usage.short", shown)}`}>${t("usage.short", shown)}</summary>
      <div class="usage-more" tabindex="0" role="group" aria-label=${t("usage.title")}>
        <${Bills} bills=${billsOf(session)} />
        <${Tools} tools=${toolsOf(session)} />
      </div>
    </details>
  `;
}

function Bills({ bills }) {
  if (bills.length === 0) return null;
  return html`
    ${bills.map((bill) => html`<${Bill} key=${bill.model} bill=${bill} />`)}
    <p>${t("usage.billed")}</p>
  `;
}

function Bill({ bill }) {
  const rows = {
    calls: count(bill.calls), input: count(bill.input), output: count(bill.output),
    cost: bill.cost === null ? t("usage.unknown") : money(bill.cost),
  };
  return html`
    <h2>${bill.model}</h2>
    <dl>${Object.entries(rows).map(([key, value]) => html`<div key=${key}><dt>${t(`usage.${key}`)}</dt><dd>${value}</dd></div>`)}</dl>
  `;
}

function Tools({ tools }) {
  if (tools.length === 0) return null;
  return html`
    <h2>${t("usage.tools")}</h2>
    <dl>${tools.map(([name, times]) => html`<div key=${name}><dt>${toolTitle(name)}</dt><dd>${count(times)}</dd></div>`)}</dl>
  `;
}
