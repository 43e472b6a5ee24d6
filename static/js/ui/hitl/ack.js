/** The deliberate step before something dangerous. */

import { t } from "../../i18n/index.js";
import { html } from "../lib/html.js";

/** @param {{checked: boolean, change: (checked: boolean) => void, spot: string}} props */
export function Ack({ checked, change, spot }) {
  return html`
    <label class="ack">
      <input type="checkbox" checked=${checked} data-spot=${spot} onChange=${(event) => change(event.target.checked)} />
      <span>${t("hitl.ack")}</span>
    </label>
  `;
}
