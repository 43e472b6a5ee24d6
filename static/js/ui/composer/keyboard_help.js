/** The list of all keyboard shortcuts. */

import { t } from "../../i18n/index.js";
import { Dialog } from "../lib/dialog.js";
import { html } from "../lib/html.js";
import { keyName } from "../lib/shortcuts.js";

const CLOSE = { name: "close", keys: ["Escape"] };

/** Keys that belong to a place: the place itself knows them. */
const PLACES = {
  field: [
    { name: "send", keys: ["Enter"] },
    { name: "newline", keys: ["Shift", "Enter"] },
    { name: "interrupt", keys: ["Ctrl", "Enter"] },
    { name: "presets", keys: ["/"] },
    { name: "edit_last", keys: ["ArrowUp"] },
    { name: "cancel_edit", keys: ["Escape"] },
  ],
  list: [
    { name: "rename_chat", keys: ["F2"] },
    { name: "delete_chat", keys: ["Delete"] },
    { name: "undo_delete", keys: ["Ctrl", "Z"] },
  ],
  question: [
    { name: "to_confirm", keys: ["C"] },
    { name: "to_edit", keys: ["E"] },
    { name: "to_reject", keys: ["R"] },
    { name: "back", keys: ["Escape"] },
  ],
};

/** @param {{shortcuts: import("../lib/shortcuts.js").Shortcut[], close: () => void}} props */
export function KeyboardHelp({ shortcuts, close }) {
  return html`
    <${Dialog} title=${t("keys.title")} className="keys" close=${close}>
      <div class="keys-list" tabindex="0" autofocus>
        <${Group} name="everywhere" keys=${[...shortcuts, CLOSE]} />
        ${Object.entries(PLACES).map(([name, keys]) => html`<${Group} key=${name} name=${name} keys=${keys} />`)}
      </div>
      <div class="dialog-buttons"><button type="button" class="plain" onClick=${close}>${t("app.close")}</button></div>
    <//>
  `;
}

function Group({ name, keys }) {
  return html`
    <h3>${t(`keys.${name}`)}</h3>
    <dl>${keys.map(({ name: what, keys: pressed }) => html`
      <div key=${what}><dt>${t(`keys.${what}`)}</dt><dd><kbd>${keyName(pressed)}</kbd></dd></div>
    `)}</dl>
  `;
}
