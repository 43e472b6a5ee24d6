/** Asks for the access token; a good one becomes the server's cookie. */

import { html } from "./lib/html.js";

export function Login() {
  return html`<main class="login"></main>`;
}
