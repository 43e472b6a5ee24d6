/** Differences by device. */

import { html } from "../lib/html.js";
import { DiffBlock } from "./diff_block.js";

/** Nothing where nothing differs. @param {{label: string, changes: import("../../state/edit.js").Change[]}} props */
export function Changes({ label, changes }) {
  if (changes.length === 0) return null;
  return html`
    <div class="changes">
      <p class="changes-title">${label}</p>
      ${changes.map(({ name, lines }) => html`
        <${DiffBlock} key=${name} label=${name ? `${label}: ${name}` : label} lines=${name ? [{ kind: "file", text: name }, ...lines] : lines} />
      `)}
    </div>
  `;
}
