/** The devices as a list: the picture's equal for keyboards and screen readers. */

import { t } from "../../i18n/index.js";
import { byName } from "../../state/topology.js";
import { html, names, useEffect, useRef } from "../lib/html.js";
import { DeviceDetails } from "./device_details.js";

const STATES = new Set(["started", "stopped", "suspended"]);

export function Devices({ lab, busy, chosen, choose }) {
  return html`
    <h3>${t("lab.devices", { count: lab.nodes.length })}</h3>
    <ul class="nodes">
      ${byName(lab.nodes).map((node) => html`
        <${Device} key=${node.node_id} node=${node} lab=${lab} busy=${busy.has(node.node_id)} open=${chosen === node.node_id} choose=${choose} />
      `)}
    </ul>
  `;
}

function Device({ node, lab, busy, open, choose }) {
  const root = useRef(null);
  const id = `device-${node.node_id}`;
  useEffect(() => {
    if (open) root.current.scrollIntoView({ block: "nearest" });
  }, [open]);
  return html`
    <li class=${names("device", { open })} ref=${root}>
      <button type="button" class="device-row" id=${`${id}-row`} aria-expanded=${String(open)} aria-controls=${id} data-busy=${String(busy)} onClick=${() => choose(node.node_id)}>
        <span class="dot" data-node=${node.status}></span>
        <span class="node-name">${node.name}</span>
        <span class="node-kind">${node.platform ?? node.node_type ?? ""}</span>
        <span class="node-state">${busy ? t("lab.busy") : stateText(node.status)}</span>
      </button>
      ${open && html`<${DeviceDetails} id=${id} node=${node} lab=${lab} busy=${busy} choose=${choose} />`}
    </li>
  `;
}

const stateText = (status) => (STATES.has(status) ? t(`lab.${status}`) : status);
