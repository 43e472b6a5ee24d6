/** The lab's links in words. */

import { t } from "../../i18n/index.js";
import { portOf, wiring } from "../../state/topology.js";
import { html } from "../lib/html.js";

export function Links({ lab }) {
  const links = wiring(lab);
  const names = new Map(lab.nodes.map((node) => [node.node_id, node.name]));
  return html`
    <h3>${t("lab.links", { count: links.length })}</h3>
    <ul class="links">
      ${links.map(({ link_id: id, nodes: [a, b] }) => html`
        <li key=${id}>
          <${End} name=${names.get(a.node_id)} port=${portOf(a)} />
          <span class="link-line" role="img" aria-label=${t("lab.to")}></span>
          <${End} name=${names.get(b.node_id)} port=${portOf(b)} />
        </li>
      `)}
    </ul>
  `;
}

const End = ({ name, port }) => html`<span class="link-end"><b>${name}</b> ${port}</span>`;
