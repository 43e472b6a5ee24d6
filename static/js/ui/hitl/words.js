/** Refusals of the server and times, in words. Pure. */

import { nameOf } from "../../app/people.js";
import { t } from "../../i18n/index.js";
import { refusal } from "../../i18n/server.js";

const ALL = /^modified_args: /; // a refusal about no field in particular names them all

/** Why a decision was not taken. @param {{code: string, message: string, details?: any}} error */
export function faultOf(error) {
  if (error.code === "connection_lost") return t("hitl.fault.connection_lost");
  if (error.code === "already_resolved" && error.details?.by) return t(`hitl.late.${error.details.decision}`, { by: nameOf(error.details.by) });
  const said = detailsOf(error).map((one) => (one.field ? `${one.field}: ${one.message}` : one.message));
  return said.join("\n") || refusal({ code: error.code, message: error.message.replace(ALL, "") });
}

/** The fields that a refusal names, each with what is wrong with it. */
export function detailsOf(error) {
  return error.code === "invalid_argument" && Array.isArray(error.details) ? error.details.filter((one) => one?.message) : [];
}

/** The dangerous lines that a refusal names. */
export function dangersOf(error) {
  if (error.code !== "confirmation_required" || !Array.isArray(error.details)) return null;
  return error.details.flatMap((call) => call.dangerous_commands ?? []);
}

/** `4:05 left`; @param {number} ms */
export function timeLeft(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds === 0) return t("hitl.time_up");
  return t("hitl.time_left", { time: `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}` });
}
