/** The bar over the page: project, connection, settings, and the two side panels. */

import { t } from "../i18n/index.js";
import { openSettings } from "./dialogs.js";
import { drawers, flipDrawer } from "./lib/drawers.js";
import { html } from "./lib/html.js";
import { Icon, IconButton } from "./lib/icons.js";
import { useApp, useCell } from "./lib/store.js";
import { ProjectChooser } from "./projects/chooser.js";
import { ConnectionStatus } from "./status.js";

export function Header() {
  const app = useApp();
  const open = useCell(drawers);
  return html`
    <header class="top">
      <${Toggle} panel="sidebar" icon="menu" label=${t("header.chats")} open=${open.sidebar} className="only-narrow" />
      <h1 class="brand"><span class="brand-mark"><${Icon} name="mark" /></span><span class="brand-name">Copilot</span></h1>
      <${ProjectChooser} />
      <${ConnectionStatus} />
      <${IconButton} icon="sliders" label=${t("header.settings")} aria-haspopup="dialog" onClick=${() => openSettings(app)} />
      <${Toggle} panel="lab" icon="lab" label=${t("header.lab")} open=${open.lab} />
    </header>
  `;
}

function Toggle({ panel, icon, label, open, className }) {
  return html`
    <${IconButton} icon=${icon} label=${label} className=${className} aria-controls=${panel} aria-expanded=${String(open)} onClick=${() => flipDrawer(panel)} />
  `;
}
