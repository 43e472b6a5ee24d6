/** A line below the field: what Enter does now, and where all keys are listed. */

import { t } from "../../i18n/index.js";
import { takes } from "../../state/composing.js";
import { html } from "../lib/html.js";
import { IconButton } from "../lib/icons.js";
import { keyName } from "../lib/shortcuts.js";
import { useApp } from "../lib/store.js";
import { openHelp } from "../shortcuts.js";

/** @param {{mode: import("../../state/composing.js").Mode}} props */
export function Hint({ mode }) {
  const app = useApp();
  const words = !takes(mode) ? "" : t(`composer.hint.${mode}`, { interrupt: keyName(["Ctrl", "Enter"]) });
  return html`
    <div class="hint" data-mode=${mode}>
      <p id="composer-hint">${words}</p>
      <${IconButton} icon="keyboard" className="small" label=${t("keys.title")} onClick=${() => openHelp(app)} />
    </div>
  `;
}
