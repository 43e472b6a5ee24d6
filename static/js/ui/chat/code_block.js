/** A block of code: its language, a button that copies it. */

import { t } from "../../i18n/index.js";
import { html } from "../lib/html.js";
import { CopyButton } from "./copy_button.js";
import { GrowingText } from "./growing_text.js";

/** @param {{text: string, language: string}} props */
export function CodeBlock({ text, language }) {
  return html`
    <figure class="code">
      <figcaption><span>${language || t("chat.code.text")}</span><${CopyButton} text=${text} label=${t("chat.code.copy")} /></figcaption>
      <pre tabindex="0"><${GrowingText} tag="code" text=${text} /></pre>
    </figure>
  `;
}
