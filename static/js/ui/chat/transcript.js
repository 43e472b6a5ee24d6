/** The conversation. */

import { t } from "../../i18n/index.js";
import { currentTranscript } from "../../state/select.js";
import { html } from "../lib/html.js";
import { useStore } from "../lib/store.js";

export function Transcript() {
  const transcript = useStore(currentTranscript);
  return html`<div class="scroll" tabindex="-1"><div class="transcript" role="log" aria-label=${t("app.conversation")}>${transcript?.items.map((item) => html`<p key=${item.id}>${item.text}</p>`)}</div></div>`;
}
