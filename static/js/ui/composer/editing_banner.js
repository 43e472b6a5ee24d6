/** Says that an older message is being edited, and what that means. */

import { t } from "../../i18n/index.js";
import { html } from "../lib/html.js";
import { IconButton } from "../lib/icons.js";

export function EditingBanner({ cancel }) {
  return html`
    <p class="editing" role="status">
      <span>${t("composer.editing")}</span>
      <${IconButton} icon="cross" className="small" label=${t("composer.editing.cancel")} onClick=${cancel} />
    </p>
  `;
}
