/** The question about one call: what will be sent, how long there is to decide, and the decision. */

import { html } from "../lib/html.js";

/** @param {{call: import("../../state/model.js").ToolCall, prompt: import("../../state/model.js").Prompt|null}} props  no prompt: it was decided */
export function Question() {
  return html`<section class="prompt"></section>`;
}
