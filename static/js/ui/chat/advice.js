/** What can be done about an error, by its code. */

import { t } from "../../i18n/index.js";
import { openSettings } from "../dialogs.js";
import { html } from "../lib/html.js";
import { useApp } from "../lib/store.js";

const settings = (page) => ({ label: "chat.next.settings", act: (app) => openSettings(app, { page }) });
const MODELS = settings("models");
const LIMITS = { ...settings("limits"), label: "chat.next.limits" };
const NEW_CHAT = { label: "chat.next.new_chat", act: (app) => app.sessions.open(null) };
const LOGIN = { label: "chat.next.login", act: (app) => app.login.set(true) };
const AGAIN = { label: "chat.next.retry", act: (app, item) => app.chat.replace(item.id, item.text) };
/** What the run has done must not be forgotten: the model reads it and goes on. */
const GO_ON = { label: "chat.next.go_on", act: (app) => app.chat.send(t("chat.next.go_on_text")) };

/** What has to be done first: only then another attempt helps. */
const FIRST = {
  llm_auth: [MODELS],
  llm_not_configured: [MODELS],
  llm_context_length: [NEW_CHAT, MODELS],
  token_expired: [LOGIN],
  limit_reached: [LIMITS],
  invalid_argument: [LIMITS],
};
/** What may help where another attempt does not. */
const ELSE = { llm_rate_limited: [MODELS], llm_bad_response: [MODELS], llm_unavailable: [MODELS] };

/**
 * @param {Object} props
 * @param {import("../../state/model.js").UserItem} props.item  its run failed
 * @param {number} props.tools  how many calls ran
 */
export function Advice({ item, tools }) {
  const app = useApp();
  const { code } = item.error;
  const steps = [...(FIRST[code] ?? []), tools > 0 ? GO_ON : AGAIN, ...(ELSE[code] ?? [])];
  return html`
    <p class="advice">${steps.map(({ label, act }) => html`<button type="button" key=${label} class="link" onClick=${() => act(app, item)}>${t(label)}</button>`)}</p>
  `;
}
