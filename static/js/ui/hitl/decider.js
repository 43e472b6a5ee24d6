/** Confirm and Reject. What is dangerous takes a second, deliberate step; a rejection may say why. */

import { t } from "../../i18n/index.js";
import { html, useEffect, useState } from "../lib/html.js";
import { Ack } from "./ack.js";
import { TaskFault, useTask } from "./task.js";

/**
 * @param {Object} props
 * @param {{confirm: string, anyway: string, reject: string}} props.labels  what the buttons say
 * @param {boolean} props.dangerous
 * @param {boolean} [props.disabled]  there is nothing to decide about
 * @param {ReturnType<import("./answer.js").useAnswer>} props.answer
 * @param {(spot: string) => void} props.go
 * @param {(acknowledged: boolean) => Promise<void>} props.confirm
 * @param {(reason: string) => Promise<void>} props.reject
 * @param {any} [props.children]     further buttons
 */
export function Decider({ confirm, reject, ...rest }) {
  const task = useTask();
  const { rejecting, reason = "" } = rest.answer.value;
  return html`
    <div class="decider" aria-busy=${task.busy}>
      ${rejecting
        ? html`<${Why} ...${rest} reason=${reason} send=${() => task.run(() => reject(reason.trim()))} />`
        : html`<${Choice} ...${rest} confirm=${(read) => task.run(() => confirm(read))} />`}
      <${TaskFault} task=${task} />
    </div>
  `;
}

function Choice({ labels, dangerous, disabled = false, answer, go, confirm, children }) {
  const [read, setRead] = useState(false);
  useEffect(() => setRead(false), [dangerous]);

  function ask() {
    go("reason");
    answer.patch({ rejecting: true });
  }

  return html`
    ${dangerous && html`<${Ack} checked=${read} change=${setRead} spot="confirm" />`}
    <div class="decider-buttons">
      <button type="button" class=${dangerous ? "danger" : "primary"} disabled=${disabled || (dangerous && !read)} data-spot="confirm"
        aria-keyshortcuts="C" onClick=${() => confirm(dangerous && read)}>${dangerous ? labels.anyway : labels.confirm}</button>
      ${children}
      <button type="button" class="plain" disabled=${disabled} data-spot="reject" aria-keyshortcuts="R" onClick=${ask}>${labels.reject}</button>
    </div>
  `;
}

function Why({ labels, reason, answer, go, send }) {
  function back() {
    go("reject");
    answer.patch({ rejecting: false });
  }

  function onKey(event) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    back();
  }

  function submit(event) {
    event.preventDefault();
    send();
  }

  return html`
    <form class="why" onSubmit=${submit}>
      <label><span>${t("hitl.reason")}</span>
        <input type="text" maxlength="4000" autocomplete="off" enterkeyhint="send" data-spot="reason" value=${reason}
          onInput=${(event) => answer.patch({ reason: event.target.value })} onKeyDown=${onKey} /></label>
      <button class="plain">${labels.reject}</button>
      <button type="button" class="link" onClick=${back}>${t("hitl.back")}</button>
    </form>
  `;
}
