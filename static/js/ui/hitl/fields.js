/** The fields in which a call's arguments are edited: one command a line per device, or all of it as JSON. */

import { t } from "../../i18n/index.js";
import { html, useId } from "../lib/html.js";

const ROWS = { least: 3, most: 18 };

/**
 * @param {Object} props
 * @param {import("../../state/edit.js").Draft} props.draft
 * @param {(draft: import("../../state/edit.js").Draft) => void} [props.change]  none: it can only be read
 * @param {Object<number, string>} [props.faults]  by device
 * @param {string} [props.fault]  about the whole
 */
export function Fields({ draft, change, faults = {}, fault = "" }) {
  if (draft.view === "json") {
    const write = change && ((text) => change({ ...draft, text }));
    return html`<${Field} label=${t("hitl.edit.json")} text=${draft.text} write=${write} fault=${fault} first />`;
  }
  const write = change && ((at, text) => change({ ...draft, devices: draft.devices.with(at, { ...draft.devices[at], text }) }));
  return html`${draft.devices.map(({ name, text }, at) => html`
    <${Field} key=${at} label=${t("hitl.edit.lines", { device: name })} text=${text} write=${write && ((next) => write(at, next))}
      fault=${faults[at] ?? ""} first=${at === 0} />
  `)}${fault && html`<p class="fault" role="status">${fault}</p>`}`;
}

function Field({ label, text, write, fault, first }) {
  const id = useId();
  const rows = Math.min(ROWS.most, Math.max(ROWS.least, text.split("\n").length + 1));
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <textarea id=${id} rows=${rows} wrap="off" spellcheck=${false} autocapitalize="off" autocomplete="off" data-spot=${first && "draft"}
        readOnly=${!write} value=${text} onInput=${(event) => write(event.target.value)}
        aria-invalid=${fault !== ""} aria-describedby=${fault ? `${id}-fault` : null}></textarea>
      <p class="fault" id=${`${id}-fault`} role="status">${fault}</p>
    </div>
  `;
}
