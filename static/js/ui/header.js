/** The project chooser and the state of the connection. */

import { t } from "../i18n/index.js";
import { IconButton } from "./lib/icons.js";
import { drawers, flipDrawer } from "./lib/drawers.js";
import { html } from "./lib/html.js";
import { useCell, useStore } from "./lib/store.js";

export function Header() {
  const status = useStore((state) => state.connection);
  const open = useCell(drawers);
  return html`
    <header class="top">
      <${IconButton} icon="menu" className="only-narrow" label=${t("header.chats")} aria-controls="sidebar" aria-expanded=${String(open.sidebar)} onClick=${() => flipDrawer("sidebar")} />
      <p class="status" id="status" role="status" data-status=${status}>${status}</p>
      <${IconButton} icon="lab" label=${t("header.lab")} aria-controls="lab" aria-expanded=${String(open.lab)} onClick=${() => flipDrawer("lab")} />
    </header>
  `;
}
