/**
 * What a tool call says about devices, or about other things of the lab: asked (arguments) and answered (output), by name. Pure.
 *
 * @typedef {Object} DeviceWork
 * @property {string} name
 * @property {string[]} commands
 * @property {boolean} answered
 * @property {string|null} status
 * @property {string|null} state  what a node is now
 * @property {string} output
 * @property {string} error
 * @property {string[]} blocked
 */

import { parsePartial } from "./partial_json.js";

/**
 * @param {import("../state/model.js").ToolCall} call
 * @returns {DeviceWork[]} empty for tools that are about nothing in particular
 */
export function deviceWork(call) {
  const asked = askedOf(parsePartial(call.executed ?? call.args));
  const answered = answeredOf(call.output === null ? undefined : parsePartial(call.output));
  const names = [...new Set([...asked, ...answered].map((entry) => entry.device_name))];
  return names.map((name) => {
    const question = asked.filter((entry) => entry.device_name === name);
    return merge(name, question, answered.find((entry) => entry.device_name === name));
  });
}

function merge(name, asked, answer) {
  const commands = asked.flatMap((entry) => entry.commands ?? entry.config_commands ?? []).filter((command) => typeof command === "string");
  return {
    name,
    commands,
    answered: answer !== undefined,
    status: answer?.status ?? null,
    state: answer?.state ?? null,
    output: textOf(answer?.output),
    error: textOf(answer?.error),
    blocked: (answer?.blocked_commands ?? []).map((entry) => textOf(entry?.command ?? entry)),
  };
}

const isItem = (entry) => typeof entry?.name === "string" && typeof entry.status === "string";
const isDevice = (entry) => entry !== null && typeof entry === "object" && typeof entry.device_name === "string";

function askedOf(args) {
  return Array.isArray(args?.device_configs) ? args.device_configs.filter(isDevice) : [];
}

/** A list of device results, or an object that has one among its values; the results of a tool that builds the lab. */
function answeredOf(output) {
  if (Array.isArray(output?.results) && output.results.every(isItem)) return output.results.map((item) => ({ device_name: item.name, ...item }));
  const lists = Array.isArray(output) ? [output] : Object.values(output ?? {}).filter(Array.isArray);
  const found = lists.find((list) => list.length > 0 && list.every(isDevice));
  return found ?? (isDevice(output) ? [output] : []);
}

function textOf(value) {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value.replace(/\r\n?/g, "\n") : JSON.stringify(value, null, 2);
}

/** JSON made readable, an error with nothing but details as its sentence; anything else as it is. */
export function pretty(text) {
  const value = parsePartial(text);
  if (typeof value?.error === "string" && Object.values(value).every((one) => typeof one !== "object")) return value.error;
  return value !== null && typeof value === "object" ? JSON.stringify(value, null, 2) : text;
}
