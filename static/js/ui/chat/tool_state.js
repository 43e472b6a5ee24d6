/** How a card shows where its call stands. */

import { t } from "../../i18n/index.js";

const ICONS = {
  asking: "ask", decided: "check", held: "dash", success: "check", error: "cross", rejected: "cross",
  replaced: "dash", expired: "dash", limited: "dash", stopped: "stop", unknown: "ask",
};
const BUSY = new Set(["writing", "ready", "running"]);

/**
 * @param {string} phase  of `phaseOf`
 * @param {import("../../state/model.js").Decision|null} decision
 * @returns {{icon: string|null, label: string}} no icon: it goes on
 */
export function toolState(phase, decision) {
  const rejected = phase === "decided" && decision.decision === "rejected";
  if (rejected) return { icon: "cross", label: t("chat.call.decided_rejected") };
  if (BUSY.has(phase)) return { icon: null, label: t(`chat.call.${phase}`) };
  return Object.hasOwn(ICONS, phase) ? { icon: ICONS[phase], label: t(`chat.call.${phase}`) } : { icon: "dash", label: phase };
}
