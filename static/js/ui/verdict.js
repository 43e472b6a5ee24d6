/** What became of a call that a person was asked about, or that did not run, in words. Pure. */

const NOT_RUN = "It did not run.";

/**
 * @param {import("../state/model.js").ToolCall} call
 * @param {import("../state/model.js").Decision|null} decision
 * @returns {string} empty where the card itself says enough
 */
export function verdictOf(call, decision) {
  const by = decision?.by ?? "a person";
  switch (call.state) {
    case "rejected":
      return `Rejected by ${by}${because(decision?.reason ?? reasonIn(call.output))} ${NOT_RUN}`;
    case "expired":
      return `Nobody decided in time. ${NOT_RUN}`;
    case "replaced":
      return `Changed by ${by} and given back to the model. This version did not run.`;
    case "limited":
      return `A limit of this run was reached. ${NOT_RUN}`;
    case "unknown":
      return "The server lost sight of it while it ran. It may have been applied: check the device.";
    case "stopped":
      return decision?.decision === "cancelled" ? `The question was withdrawn by ${by}. ${NOT_RUN}` : "";
    default:
      return decided(call, decision, by);
  }
}

function decided(call, decision, by) {
  if (call.executed !== null || decision?.decision === "modified") return `Changed by ${by} before it ran.`;
  return decision?.decision === "confirmed" ? `Confirmed by ${by}.` : "";
}

const because = (reason) => (reason ? `: “${reason}”.` : ".");

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

/** A refusal of the server, with the fields that it names. */
export function faultOf(error) {
  if (error.code === "connection_lost") return "The connection was lost. Whether the decision arrived will show when it is back.";
  if (error.code === "already_resolved" && error.details?.by) return `Too late: it was ${error.details.decision} by ${error.details.by}.`;
  const fields = error.code === "invalid_argument" && Array.isArray(error.details) ? error.details : [];
  const said = fields.filter((one) => one?.message).map((one) => (one.field ? `${one.field}: ${one.message}` : one.message));
  return said.join("\n") || error.message;
}

/** The dangerous lines that a refusal names. */
export function dangersOf(error) {
  if (error.code !== "confirmation_required" || !Array.isArray(error.details)) return null;
  return error.details.flatMap((call) => call.dangerous_commands ?? []);
}

/** `4:05 left`; @param {number} ms */
export function timeLeft(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds === 0) return "Time is up";
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} left`;
}
