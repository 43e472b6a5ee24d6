/**
 * Editing a call's arguments: lines per device where the tool takes lines, or all of them as JSON. Pure.
 *
 * @typedef {{name: string, key: string, text: string}} DeviceDraft   one command a line
 * @typedef {{view: "lines"|"json", devices: DeviceDraft[]|null, text: string}} Draft  both ways of writing; `view`: which one counts
 * @typedef {{code: "empty"|"object"}|{code: "json", fault: import("./json_fault.js").JsonFault}} Fault
 * @typedef {{name: string, lines: import("./diff.js").DiffLine[]}} Change
 */

import { lineDiff } from "./diff.js";
import { jsonFault } from "./json_fault.js";

const KEYS = ["config_commands", "commands"];

/** @returns {Draft} */
export function draftOf(args) {
  const devices = draftsOf(args);
  return { view: devices ? "lines" : "json", devices, text: pretty(args) };
}

/** @returns {{args: Object|null, fault: Fault|null}} the arguments that a draft stands for, or what is wrong with it */
export function readDraft(draft) {
  const { args, fault } = draft.view === "lines" ? { args: withLines(draft.devices.filter(isFilled)), fault: null } : readJson(draft.text);
  if (fault) return { args: null, fault };
  return linesIn(args) === 0 ? { args: null, fault: { code: "empty" } } : { args, fault: null };
}

/**
 * The draft in its other way of writing. Who goes there and back finds what was typed, blank lines and all.
 * @returns {Draft|null} null where it cannot be written so
 */
export function turned(draft) {
  const devices = draftsOf(readJson(draft.text).args);
  const same = isSame(devices && withLines(devices), draft.devices && withLines(draft.devices));
  if (draft.view === "lines") return { ...draft, view: "json", text: same ? draft.text : pretty(withLines(draft.devices)) };
  return devices && { ...draft, view: "lines", devices: same ? draft.devices : devices };
}

/** Names in arguments that none of the lab's nodes has. @param {{name: string, node_id: string}[]} nodes */
export function strangers(args, nodes) {
  const known = new Set(nodes.flatMap((node) => [node.name, node.node_id]));
  const named = [...listIn(args?.device_configs).map((config) => config?.device_name), ...listIn(args?.node_ids)];
  return [...new Set(named.filter((name) => typeof name === "string" && known.size > 0 && !known.has(name)))];
}

/**
 * What the server found wrong, by the device whose lines it is about; the rest is about the whole.
 * @param {{field?: string|null, message?: string}[]} details
 * @returns {{devices: Object<number, string>, rest: string[]}}
 */
export function placeFaults(draft, details) {
  const sent = (draft.view === "lines" ? draft.devices : []).flatMap((device, at) => (isFilled(device) ? [at] : []));
  const placed = { devices: {}, rest: [] };
  for (const { field, message } of details.filter((one) => one?.message)) {
    const [list, index] = String(field ?? "").split(".");
    const at = list === "device_configs" ? sent[index] : undefined;
    if (at === undefined) placed.rest.push(field ? `${field}: ${message}` : message);
    else placed.devices[at] = [placed.devices[at], message].filter(Boolean).join("\n");
  }
  return placed;
}

/** What differs, by device where both sides have devices; nothing if nothing does. @returns {Change[]} */
export function changesOf(old, fresh) {
  const [before, after] = [draftsOf(old), draftsOf(fresh)];
  if (!before || !after) return different([{ name: "", lines: lineDiff(pretty(old).split("\n"), pretty(fresh).split("\n")) }]);
  const names = [...new Set([...before, ...after].map((device) => device.name))];
  const lines = (devices, name) => devices.filter((device) => device.name === name).flatMap((device) => linesOf(device.text));
  return different(names.map((name) => ({ name, lines: lineDiff(lines(before, name), lines(after, name)) })));
}

/** Whether a draft stands for other arguments than the call's own. */
export function isChanged(args, draft) {
  const { args: fresh } = readDraft(draft);
  return fresh === null || changesOf(args, fresh).length > 0;
}

const different = (changes) => changes.filter((change) => change.lines.some((line) => line.kind !== "same"));
const listIn = (value) => (Array.isArray(value) ? value : []);
const isSame = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const pretty = (args) => JSON.stringify(args, null, 2);

/** Empty lines are nobody's commands. */
function linesOf(text) {
  return text.split(/\r\n?|\n/).map((line) => line.trimEnd()).filter((line) => line.trim() !== "");
}

const isFilled = (device) => linesOf(device.text).length > 0;

function withLines(devices) {
  return { device_configs: devices.map(({ name, key, text }) => ({ device_name: name, [key]: linesOf(text) })) };
}

/** How many lines arguments hold that are nothing but lines; null for others. */
function linesIn(args) {
  const drafts = args?.device_configs?.length === 0 ? [] : draftsOf(args);
  return drafts && drafts.reduce((sum, device) => sum + linesOf(device.text).length, 0);
}

function readJson(text) {
  const fault = jsonFault(text);
  if (fault) return { args: null, fault: { code: "json", fault } };
  const args = JSON.parse(text);
  if (args !== null && typeof args === "object" && !Array.isArray(args)) return { args, fault: null };
  return { args: null, fault: { code: "object" } };
}

/** The devices of arguments that hold nothing but lines for them; null for others. @returns {DeviceDraft[]|null} */
function draftsOf(args) {
  const configs = listIn(args?.device_configs);
  if (configs.length === 0 || Object.keys(args).length > 1) return null;
  const drafts = configs.map(draftOfDevice);
  return drafts.every(Boolean) ? drafts : null;
}

function draftOfDevice(config) {
  const key = KEYS.find((one) => Array.isArray(config?.[one]) && config[one].every((line) => typeof line === "string"));
  if (!key || typeof config.device_name !== "string" || Object.keys(config).length > 2) return null;
  return { name: config.device_name, key, text: config[key].join("\n") };
}
