/** What is known of one device: type, console, wiring, and the last lines that the copilot saw there. */

import { t } from "../../i18n/index.js";
import { freePorts, neighbours } from "../../state/topology.js";
import { copy } from "../lib/clipboard.js";
import { closeDrawers } from "../lib/drawers.js";
import { html } from "../lib/html.js";
import { IconButton } from "../lib/icons.js";
import { useApp } from "../lib/store.js";
import { ConsoleTail } from "./console_tail.js";

const ANY_ADDRESS = new Set(["0.0.0.0", "::", ""]);
const QUESTIONS = ["ask_state", "ask_config", "ask_neighbours"];

export function DeviceDetails({ id, node, lab, busy, choose }) {
  const free = freePorts(lab, node);
  return html`
    <div class="device-details" id=${id} role="group" aria-label=${node.name}>
      <dl>
        <dt>${t("lab.type")}</dt><dd>${[...new Set([node.node_type, node.platform])].filter(Boolean).join(" · ")}</dd>
        <${Console} node=${node} />
        <${Wiring} lab=${lab} node=${node} choose=${choose} />
        ${free.length > 0 && html`<dt>${t("lab.free")}</dt><dd>${free.join(", ")}</dd>`}
      </dl>
      <${Questions} name=${node.name} />
      <${ConsoleTail} node=${node} busy=${busy} />
    </div>
  `;
}

function Console({ node }) {
  const app = useApp();
  if (!node.console) return null;
  const host = ANY_ADDRESS.has(node.console_host ?? "") ? location.hostname : node.console_host;
  const address = `${host} ${node.console}`;
  const take = async () => (await copy(`telnet ${address}`)) && app.toasts.show(t("lab.copied"), { tone: "info" });
  return html`
    <dt>${t("lab.console")}</dt>
    <dd class="console-address">
      <code>${node.console_type ?? "telnet"} ${address}</code>
      ${(node.console_type ?? "telnet") === "telnet" && html`<${IconButton} icon="copy" className="small" label=${t("lab.copy")} onClick=${() => app.report(take())} />`}
    </dd>
  `;
}

function Wiring({ lab, node, choose }) {
  const wires = neighbours(lab, node.node_id);
  if (wires.length === 0) return null;
  return html`
    <dt>${t("lab.wiring")}</dt>
    <dd>
      <ul class="wires">
        ${wires.map((wire) => html`
          <li key=${wire.id}>
            ${wire.port} <span class="wire-arrow" role="img" aria-label=${t("lab.to")}>→</span>
            <button type="button" class="link" onClick=${() => go(choose, wire.node.node_id)}>${wire.node.name}</button> ${wire.farPort}
          </li>
        `)}
      </ul>
    </dd>
  `;
}

/** The keyboard goes along to the other device. */
function go(choose, id) {
  choose(id);
  document.getElementById(`device-${id}-row`)?.focus();
}

/** They fill the message field: nothing happens to a device by a click. */
function Questions({ name }) {
  const app = useApp();

  function ask(text) {
    const draft = app.drafts.message(app.store.get().selected);
    draft.set([draft.get(), text].filter(Boolean).join("\n"));
    closeDrawers();
    document.getElementById("composer-text")?.focus();
  }

  return html`
    <div class="device-asks" role="group" aria-label=${t("lab.ask", { name })}>
      ${QUESTIONS.map((key) => html`
        <button type="button" class="plain small" key=${key} onClick=${() => ask(t(`lab.${key}_text`, { name }))}>${t(`lab.${key}`, { name })}</button>
      `)}
    </div>
  `;
}
