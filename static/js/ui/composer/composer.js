/** The message field. */

import { html, useRef } from "../lib/html.js";
import { useApp } from "../lib/store.js";

export function Composer() {
  const { chat, report } = useApp();
  const field = useRef(null);
  function submit(event) {
    event.preventDefault();
    report(chat.send(field.current.value));
  }
  return html`<form class="composer" onSubmit=${submit}><textarea ref=${field} id="composer-text"></textarea><button>Send</button></form>`;
}
