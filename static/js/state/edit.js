/**
 * Editing a call's arguments: lines per device where the tool takes lines, JSON for the others. Pure.
 *
 * @typedef {{name: string, key: string, text: string}} DeviceDraft   one command a line
 * @typedef {{devices: DeviceDraft[]|null, text: string}} Draft       `text`: JSON, where there are no devices
 * @typedef {{name: string, lines: import("./diff.js").DiffLine[]}} Change
 */

import { lineDiff } from "./diff.js";

const KEYS = ["config_commands", "commands"];

/** @returns {Draft} */
export function draftOf(args) {
  const devices = devicesOf(args);
  return { devices: devices?.map(({ name, key, lines }) => ({ name, key, text: lines.join("\n") })) ?? null, text: pretty(args) };
}

/** @returns {{args: Object|null, fault: string|null}} the arguments that a draft stands for, or what is wrong with it */
export function readDraft(args, draft) {
  return draft.devices ? readLines(args, draft.devices) : readJson(draft.text);
}

function readLines(args, devices) {
  const configs = args.device_configs
    .map((config, at) => ({ ...config, [devices[at].key]: linesOf(devices[at].text) }))
    .filter((config, at) => config[devices[at].key].length > 0);
  if (configs.length === 0) return { args: null, fault: "There is no line left to send. Reject the call if nothing shall be sent." };
  return { args: { ...args, device_configs: configs }, fault: null };
}

function readJson(text) {
  try {
    const args = JSON.parse(text);
    if (args !== null && typeof args === "object" && !Array.isArray(args)) return { args, fault: null };
    return { args: null, fault: "The arguments have to be a JSON object: { … }" };
  } catch (error) {
    return { args: null, fault: `This is no JSON: ${error.message}` };
  }
}

/** Empty lines are nobody's commands. */
function linesOf(text) {
  return text.split(/\r\n?|\n/).map((line) => line.trimEnd()).filter((line) => line.trim() !== "");
}

/** What differs, by device where both sides have devices; nothing if nothing does. @returns {Change[]} */
export function changesOf(old, fresh) {
  const [before, after] = [devicesOf(old), devicesOf(fresh)];
  if (!before || !after) return different([{ name: "", lines: lineDiff(pretty(old).split("\n"), pretty(fresh).split("\n")) }]);
  const names = [...new Set([...before, ...after].map((device) => device.name))];
  const lines = (devices, name) => devices.filter((device) => device.name === name).flatMap((device) => device.lines);
  return different(names.map((name) => ({ name, lines: lineDiff(lines(before, name), lines(after, name)) })));
}

const different = (changes) => changes.filter((change) => change.lines.some((line) => line.kind !== "same"));

/** The devices of arguments that hold nothing but lines for them; null for others. */
function devicesOf(args) {
  const configs = args?.device_configs;
  if (!Array.isArray(configs) || configs.length === 0) return null;
  const devices = configs.map((config) => {
    const key = KEYS.find((one) => Array.isArray(config?.[one]) && config[one].every((line) => typeof line === "string"));
    return typeof config?.device_name === "string" && key ? { name: config.device_name, key, lines: config[key].flatMap(linesOf) } : null;
  });
  return devices.every(Boolean) ? devices : null;
}

const pretty = (args) => JSON.stringify(args, null, 2);
