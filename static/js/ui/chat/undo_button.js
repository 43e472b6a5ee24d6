/** Asks the copilot to put the devices back as they were before a run. */

import { t } from "../../i18n/index.js";
import { html, useState } from "../lib/html.js";
import { Icon } from "../lib/icons.js";
import { useApp } from "../lib/store.js";

/** @param {{runId: string}} props */
export function UndoButton({ runId }) {
  const app = useApp();
  const [busy, setBusy] = useState(false);

  async function undo() {
    setBusy(true);
    await app.report(app.runs.undo(runId));
    setBusy(false);
  }

  return html`<button type="button" class="undo" disabled=${busy} onClick=${undo}><${Icon} name="undo" />${t("chat.undo")}</button>`;
}
