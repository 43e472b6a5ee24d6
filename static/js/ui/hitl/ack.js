/** The deliberate step before something dangerous. */

import { t } from "../../i18n/index.js";
import { html, useEffect, useRef } from "../lib/html.js";

/**
 * @param {Object} props
 * @param {boolean} props.checked
 * @param {(checked: boolean) => void} props.change
 * @param {string} [props.spot]
 * @param {boolean} [props.takesFocus]  it comes in answer to a press
 */
export function Ack({ checked, change, spot, takesFocus = false }) {
  const box = useRef(null);
  useEffect(() => {
    if (takesFocus) box.current.focus();
  }, []);
  return html`
    <label class="ack">
      <input ref=${box} type="checkbox" checked=${checked} data-spot=${spot} onChange=${(event) => change(event.target.checked)} />
      <span>${t("hitl.ack")}</span>
    </label>
  `;
}
