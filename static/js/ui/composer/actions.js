/** The buttons that send, and the one that stops. */

import { t } from "../../i18n/index.js";
import { currentRun } from "../../state/select.js";
import { html } from "../lib/html.js";
import { Icon } from "../lib/icons.js";
import { useApp, useStore } from "../lib/store.js";

/**
 * @param {Object} props
 * @param {import("../../state/composing.js").Mode} props.mode
 * @param {boolean} props.ready  there is something that may be sent
 * @param {(onBusy?: "interrupt") => void} props.send
 * @param {{current: HTMLElement}} props.interrupt  the button that does not wait for the answer
 */
export function Actions({ mode, ready, send, interrupt }) {
  const mayInterrupt = mode === "asks" || (mode === "running" && ready);
  return html`
    <div class="composer-actions">
      <${Stop} offline=${mode === "offline"} />
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

function Stop({ offline }) {
  const { chat, report } = useApp();
  const running = useStore((state) => currentRun(state) !== null);
  return running && html`
    <button type="button" class="stop" aria-label=${t("composer.stop")} title=${t("composer.stop")} disabled=${offline}
      onClick=${() => report(chat.stop())}><${Icon} name="stop" /></button>
  `;
}
