/** The dialog in which presets are made, changed, deleted and exchanged. */

import { t } from "../../i18n/index.js";
import { Dialog } from "../lib/dialog.js";
import { html, useState } from "../lib/html.js";
import { PresetForm } from "./form.js";
import { PresetList } from "./list.js";

const EMPTY = { name: "", kind: "message", text: "" };

/** @param {{fresh: {text: string}|null, close: () => void}} props  `fresh`: begins with a new preset of this text */
export function Manager({ fresh, close }) {
  const [edited, edit] = useState(fresh && { ...EMPTY, ...fresh });
  const [left, setLeft] = useState(null); // the id of the preset that was edited last: there the keyboard goes on

  function back(id) {
    setLeft(id ?? "new");
    edit(null);
  }

  return html`
    <${Dialog} title=${t("presets.title")} className="preset-dialog" close=${close}>
      ${edited
        ? html`<${PresetForm} preset=${edited} back=${back} />`
        : html`<${PresetList} edit=${edit} add=${() => edit(EMPTY)} left=${left} close=${close} />`}
    <//>
  `;
}
