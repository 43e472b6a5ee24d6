/** The lab beside the chat: a picture of the topology, and the same in words. */

import { t } from "../../i18n/index.js";
import { currentProject } from "../../state/select.js";
import { html, useEffect, useState } from "../lib/html.js";
import { IconButton } from "../lib/icons.js";
import { useApp, useStore } from "../lib/store.js";
import { useBusy } from "./busy.js";
import { Devices } from "./devices.js";
import { Links } from "./links.js";
import { Picture } from "./picture.js";

/** @param {{inert: boolean}} props  nothing is drawn, or loaded, while the panel is closed */
export function LabPanel({ inert }) {
  const [wide, setWide] = useState(false);
  return html`
    <aside class="lab" id="lab" aria-label=${t("lab.panel")} inert=${inert} data-wide=${wide && !inert ? "" : null}>
      ${!inert && html`<${Content} wide=${wide} flip=${() => setWide(!wide)} />`}
    </aside>
  `;
}

function Content({ wide, flip }) {
  const app = useApp();
  const project = useStore(currentProject);
  const open = project?.status === "opened";
  return html`
    <div class="lab-head">
      <h2>${project?.name ?? t("lab.title")}</h2>
      ${open && html`
        <${IconButton} icon="refresh" className="small" label=${t("lab.refresh")} onClick=${() => app.report(app.lab.read())} />
        <${IconButton} icon=${wide ? "shrink" : "grow"} className="small" label=${t("lab.wide")} aria-pressed=${String(wide)} onClick=${flip} />
      `}
    </div>
    ${open ? html`<${Lab} wide=${wide} key=${project.project_id} />` : project && html`<p class="lab-note">${t("lab.closed")}</p>`}
  `;
}

function Lab({ wide }) {
  const lab = useStore((state) => state.lab);
  const busy = useBusy();
  const [chosen, setChosen] = useState(null);
  const choose = (id) => setChosen((before) => (before === id ? null : id));
  useEffect(() => {
    if (chosen && !lab?.nodes.some((node) => node.node_id === chosen)) setChosen(null);
  }, [lab]);
  if (!lab) return null;
  return html`
    ${lab.error && html`<p class="lab-note" role="alert">${lab.error}</p>`}
    ${lab.nodes.length === 0 && !lab.error && html`<p class="lab-note">${t("lab.empty")}</p>`}
    ${lab.nodes.length > 0 && html`
      <div class="lab-body">
        <${Picture} lab=${lab} busy=${busy} chosen=${chosen} choose=${choose} wide=${wide} />
        <div class="lab-words">
          <${Devices} lab=${lab} busy=${busy} chosen=${chosen} choose=${choose} />
          <${Links} lab=${lab} />
        </div>
      </div>
    `}
  `;
}
