/** The lab beside the chat. */

import { html } from "../lib/html.js";

export function LabPanel({ inert }) {
  return html`<aside class="lab" id="lab" inert=${inert}></aside>`;
}
