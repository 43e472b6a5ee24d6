/** The two ways of editing a call: as lines per device, or as JSON. */

import { t } from "../../i18n/index.js";
import { turned } from "../../state/edit.js";
import { html } from "../lib/html.js";

const VIEWS = { lines: "hitl.edit.as_lines", json: "hitl.edit.as_json" };

/** Nothing for arguments that are no lines. @param {{draft: import("../../state/edit.js").Draft, turn: (draft: Object) => void}} props */
export function Views({ draft, turn }) {
  const other = turned(draft);
  if (other === null && draft.devices === null) return null;
  return html`
    <div class="views">
      <div class="segments" role="group" aria-label=${t("hitl.edit.views")}>${Object.entries(VIEWS).map(([view, label]) => html`
        <button key=${view} type="button" aria-pressed=${draft.view === view} disabled=${draft.view !== view && other === null}
          onClick=${() => draft.view === view || turn(other)}>${t(label)}</button>
      `)}</div>
      ${other === null && html`<span class="views-note">${t("hitl.edit.no_lines")}</span>`}
    </div>
  `;
}
