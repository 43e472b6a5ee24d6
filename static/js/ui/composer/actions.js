/** The buttons that send, and the one that stops. */

import { t } from "../../i18n/index.js";
import { isAnswering } from "../../state/select.js";
import { useFocusHeir } from "../lib/focus.js";
import { html, useRef } from "../lib/html.js";
import { Icon } from "../lib/icons.js";
import { useApp, useStore } from "../lib/store.js";

/**
 * @param {Object} props
 * @param {import("../../state/composing.js").Mode} props.mode
 * @param {boolean} props.ready  there is something that may be sent
 * @param {(onBusy?: "interrupt") => void} props.send
 * @param {{current: HTMLElement}} props.interrupt  the button that does not wait for the answer
 * @param {{current: HTMLElement}} props.field
 */
export function Actions({ mode, ready, send, interrupt, field }) {
  const mayInterrupt = mode === "asks" || (mode === "running" && ready);
  return html`
    <div class="composer-actions">
      <${Stop} offline=${mode === "offline"} field=${field} />
      ${mayInterrupt && html`<button ref=${interrupt} type="button" class="interrupt" disabled=${!ready} aria-describedby="composer-hint"
        onClick=${() => send("interrupt")}>${t("composer.interrupt")}</button>`}
      ${mode !== "asks" && html`<${Send} mode=${mode} ready=${ready} />`}
    </div>
  `;
}

function Send({ mode, ready }) {
  if (mode === "running" && ready) return html`<button class="send queue"><${Icon} name="send" />${t("composer.queue")}</button>`;
  const label = mode.startsWith("editing") ? t("composer.replace") : t("composer.send");
  return html`<button class="send" aria-label=${label} title=${label} disabled=${!ready}><${Icon} name="send" /></button>`;
}

function Stop({ offline, field }) {
  return useStore(isAnswering) && html`<${StopButton} offline=${offline} field=${field} />`;
}

/** Who stopped goes on in the field. */
function StopButton({ offline, field }) {
  const { chat, report } = useApp();
  const button = useRef(null);
  useFocusHeir(button, () => field.current);
  return html`
    <button ref=${button} type="button" class="stop" aria-label=${t("composer.stop")} title=${t("composer.stop")} disabled=${offline}
      onClick=${() => report(chat.stop())}><${Icon} name="stop" /></button>
  `;
}
