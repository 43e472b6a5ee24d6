/** The list of chats. */

import { html } from "../lib/html.js";

export function Sidebar({ inert }) {
  return html`<nav class="sidebar" id="sidebar" inert=${inert}></nav>`;
}
