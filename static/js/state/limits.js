/**
 * The limits that a person sets for new messages: the form's texts, and the fields of the protocol that they stand for. Pure.
 *
 * @typedef {Object<string, string|boolean>} LimitsDraft   by field; "": what the server does by itself
 */

import { t } from "../i18n/index.js";
import { readNumber } from "./numbers.js";

const WHOLE = { kind: "number", whole: true };
const FLAG = { kind: "flag", inControls: true };

/** Ranges of the protocol. `usual`: what the server does where nothing is set; `inControls`: it stands in `controls`. */
export const LIMITS = {
  max_iterations: { ...WHOLE, min: 1, max: 100, usual: 20 },
  max_tool_calls: { ...WHOLE, min: 1, max: 50 },
  max_execution_time_seconds: { ...WHOLE, min: 1, max: 3600, inControls: true },
  max_total_tokens: { ...WHOLE, min: 1, inControls: true },
  max_cost_usd: { kind: "number", above: 0, inControls: true },
  on_limit_reached: { kind: "choice", options: ["warn", "fail", "continue"], usual: "warn", inControls: true },
  temperature: { kind: "number", min: 0, max: 2 },
  max_tokens: { ...WHOLE, min: 1 },
  max_device_config_calls: { ...WHOLE, min: 0, max: 50, inControls: true },
  max_diagnostic_calls: { ...WHOLE, min: 0, max: 50, inControls: true },
  max_parallel_tools: { ...WHOLE, min: 1, max: 20, usual: 5, inControls: true },
  retry_on_tool_error: FLAG,
  max_retries_per_tool: { ...WHOLE, min: 0, max: 5, usual: 1, inControls: true },
  estimate_cost_before_execution: FLAG,
  tool_limits: { kind: "tools", min: 0, max: 50, whole: true, inControls: true },
};

/** @param {Object} limits  fields of a ChatRequest @returns {LimitsDraft} */
export function limitsDraft(limits) {
  const flat = { ...limits, ...limits.controls };
  return Object.fromEntries(Object.entries(LIMITS).map(([name, { kind }]) => [name, textOf(flat[name], kind)]));
}

function textOf(value, kind) {
  if (kind === "flag") return value === true;
  if (kind === "tools") return Object.entries(value ?? {}).map(([tool, most]) => `${tool}: ${most}`).join("\n");
  return value === undefined ? "" : String(value);
}

/** @param {LimitsDraft} draft @returns {{limits: Object, faults: Object<string, string>}} fields of a ChatRequest without what is not set */
export function readLimits(draft) {
  const read = Object.entries(LIMITS).map(([name, field]) => [name, field, readField(draft[name], field)]);
  const set = read.filter(([, , { value }]) => value !== null);
  const pick = (inside) => Object.fromEntries(set.filter(([, field]) => Boolean(field.inControls) === inside).map(([name, , { value }]) => [name, value]));
  const controls = pick(true);
  return {
    limits: { ...pick(false), ...(Object.keys(controls).length > 0 && { controls }) },
    faults: Object.fromEntries(read.filter(([, , { fault }]) => fault !== null).map(([name, , { fault }]) => [name, fault])),
  };
}

function readField(typed, field) {
  if (field.kind === "number") return readNumber(typed, field);
  if (field.kind === "tools") return readTools(typed, field);
  return { value: typed || null, fault: null };
}

/** One tool a line: `stop_gns3_node: 2`. */
function readTools(text, range) {
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  const read = lines.map((line) => {
    const [, tool, most] = /^(\w+)\s*[:：=]\s*(.+)$/.exec(line) ?? [];
    return { line, tool, ...(tool ? readNumber(most, range) : { value: null, fault: t("limits.tool_form") }) };
  });
  const wrong = read.find(({ fault }) => fault !== null);
  if (wrong) return { value: null, fault: `${wrong.line} – ${wrong.fault}` };
  return { value: read.length > 0 ? Object.fromEntries(read.map(({ tool, value }) => [tool, value])) : null, fault: null };
}
