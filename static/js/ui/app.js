/** The frame of the page: where each part stands. */

import { t } from "../i18n/index.js";
import { RunBar } from "./chat/run_bar.js";
import { Transcript } from "./chat/transcript.js";
import { Composer } from "./composer/composer.js";
import { Header } from "./header.js";
import { LabPanel } from "./lab/lab_panel.js";
import { Dialogs } from "./lib/dialog.js";
import { useDrawers } from "./lib/drawers.js";
import { html, names } from "./lib/html.js";
import { useShortcuts } from "./lib/shortcuts.js";
import { AppContext, useApp, useCell, useStore } from "./lib/store.js";
import { Toasts } from "./lib/toast.js";
import { Login } from "./login.js";
import { Sidebar } from "./sessions/sidebar.js";
import { SHORTCUTS } from "./shortcuts.js";

/** The root: another language draws everything anew. */
export function App({ app }) {
  return html`<${AppContext.Provider} value=${app}><${Screen} /><//>`;
}

function Screen() {
  const app = useApp();
  const language = useStore((state) => state.preferences.language);
  const login = useCell(app.login);
  const dialog = useCell(app.dialog) && !login;
  return html`
    ${login ? html`<${Login} key=${`login-${language}`} />` : html`<${Desk} key=${`desk-${language}`} />`}
    ${dialog && html`<${Dialogs} key=${`dialogs-${language}`} />`}
    ${!dialog && html`<${Toasts} />`}
  `;
}

function Desk() {
  const { open, over, close } = useDrawers();
  useShortcuts(SHORTCUTS);
  return html`
    <div class=${names("app", { "sidebar-open": open.sidebar, "lab-open": open.lab })}>
      <a class="skip" href="#composer-text" onClick=${skip}>${t("app.skip")}</a>
      <${Header} />
      <${Sidebar} inert=${!open.sidebar} />
      <main class="main">
        <${Transcript} />
        <${RunBar} />
        <${Composer} />
      </main>
      <${LabPanel} inert=${!open.lab} />
      ${over && html`<div class="backdrop" onClick=${close}></div>`}
    </div>
  `;
}

/** The address' hash names the chat: it must not become the field's. */
function skip(event) {
  event.preventDefault();
  document.getElementById("composer-text")?.focus();
}
