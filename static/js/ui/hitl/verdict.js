/** What became of a call that a person was asked about, or that did not run, in words. Pure. */

import { nameOf } from "../../app/people.js";
import { t } from "../../i18n/index.js";

/**
 * @param {import("../../state/model.js").ToolCall} call
 * @param {import("../../state/model.js").Decision|null} decision
 * @returns {string} empty where the card itself says enough
 */
export function verdictOf(call, decision) {
  const by = nameOf(decision?.by) ?? t("hitl.somebody");
  switch (call.state) {
    case "rejected":
      return rejected(by, decision?.reason ?? reasonIn(call.output));
    case "expired":
      return t("hitl.verdict.expired");
    case "replaced":
      return t("hitl.verdict.replaced", { by });
    case "limited":
      return t("hitl.verdict.limited");
    case "unknown":
      return t("hitl.verdict.unknown");
    case "stopped":
      return decision?.decision === "cancelled" ? t("hitl.verdict.withdrawn", { by }) : "";
    default:
      return decided(call, decision, by);
  }
}

const rejected = (by, reason) => (reason ? t("hitl.verdict.rejected_because", { by, reason }) : t("hitl.verdict.rejected", { by }));

function decided(call, decision, by) {
  if (call.executed !== null || decision?.decision === "modified") return t("hitl.verdict.changed", { by });
  return decision?.decision === "confirmed" ? t("hitl.verdict.confirmed", { by }) : "";
}

function reasonIn(output) {
  try {
    return JSON.parse(output)?.reason ?? null;
  } catch {
    return null;
  }
}

const SILENT = new Set(["rejected", "expired", "replaced", "limited", "unknown"]);

/** Whether the verdict says all that the output says. */
export function saysAll(call, decision) {
  return SILENT.has(call.state) || (call.state === "stopped" && decision?.decision === "cancelled");
}
