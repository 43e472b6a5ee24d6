/** What a preset puts into the message field. Pure. */

import { t } from "../../i18n/index.js";

/** @param {import("../../state/presets.js").Preset} preset @returns {string} with its placeholders */
export function templateOf({ kind, text }) {
  if (kind === "message") return text;
  return `${t("presets.run_on", { device: `{{${t("presets.device")}}}` })}\n${text}`;
}
