/** A message of this page that its run has not taken up yet, or that was refused. */

import { t } from "../../i18n/index.js";
import { refusal } from "../../i18n/server.js";
import { html, memo } from "../lib/html.js";
import { useApp } from "../lib/store.js";

const WORDS = { waiting: "chat.outgoing.waiting", sending: "chat.outgoing.sending", queued: "chat.outgoing.queued" };
const KNOWN = new Set(["run_stopped", "session_busy", "hitl_pending", "too_many_runs", "not_found", "shutting_down", "unauthorized", "conflict"]);
const MAY_INTERRUPT = new Set(["hitl_pending", "session_busy"]);

/** @param {{entry: import("../../state/model.js").Outgoing}} props */
export const Outgoing = memo(({ entry }) => html`
  <article class="message user outgoing" data-state=${entry.state} aria-label=${t("chat.you")}>
    <div class="bubble">${entry.text}</div>
    ${entry.state === "failed" ? html`<${Refused} entry=${entry} />` : WORDS[entry.state] && html`<${UnderWay} entry=${entry} />`}
  </article>
`);

function UnderWay({ entry }) {
  const { chat } = useApp();
  return html`
    <p class="outgoing-state">
      <span>${t(WORDS[entry.state])}</span>
      ${entry.state === "waiting" && html`<button type="button" class="link" onClick=${() => chat.drop(entry)}>${t("chat.discard")}</button>`}
    </p>
  `;
}

function Refused({ entry }) {
  const { chat } = useApp();
  const why = KNOWN.has(entry.code) ? t(`chat.refused.${entry.code}`) : refusal({ code: entry.code, message: entry.error });
  return html`
    <p class="outgoing-state" role="alert">
      <span class="outgoing-text">${why}</span>
      ${MAY_INTERRUPT.has(entry.code) && html`<button type="button" class="link" onClick=${() => chat.retry(entry, "interrupt")}>${t("chat.interrupt")}</button>`}
      <button type="button" class="link" onClick=${() => chat.retry(entry)}>${t("chat.send_again")}</button>
      <button type="button" class="link" onClick=${() => chat.drop(entry)}>${t("chat.discard")}</button>
    </p>
  `;
}
