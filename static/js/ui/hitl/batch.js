/** Several calls wait: one decision for all of them. */

import { html } from "../lib/html.js";

/** @param {{prompt: import("../../state/model.js").Prompt}} props */
export function Batch() {
  return html`<section class="prompt batch"></section>`;
}
