/** A button that copies a text and says that it did. */

import { t } from "../../i18n/index.js";
import { copy } from "../lib/clipboard.js";
import { html, useEffect, useState } from "../lib/html.js";
import { Icon } from "../lib/icons.js";

const SHOWN = 1600; // ms

/** @param {{text: string, label: string}} props  `label`: its name for who does not see what it stands beside */
export function CopyButton({ text, label }) {
  const [outcome, say] = useState(null);
  useEffect(() => {
    if (outcome === null) return undefined;
    const timer = setTimeout(() => say(null), SHOWN);
    return () => clearTimeout(timer);
  }, [outcome]);
  const { icon, word } = outcome ?? { icon: "copy", word: t("chat.copy") };

  async function press() {
    say((await copy(text)) ? { icon: "check", word: t("chat.copied") } : { icon: "cross", word: t("chat.copy_failed") });
  }

  return html`
    <button type="button" class="copy" aria-label=${label} onClick=${press}><${Icon} name=${icon} /><span aria-hidden="true">${word}</span></button>
    <span class="visually-hidden" role="status">${outcome?.word}</span>
  `;
}
