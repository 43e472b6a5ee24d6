/** Which devices the running tools touch. Pure. */

import { parsePartial } from "./partial_json.js";
import { deviceWork } from "./tool_data.js";

/** The names and ids that a call's arguments mention. @param {import("./model.js").ToolCall} call @returns {string[]} */
export function targetsOf(call) {
  const args = parsePartial(call.executed ?? call.args) ?? {};
  const items = [...listOf(args.nodes), ...listOf(args.links)].flatMap((item) => [item?.node_id, item?.node_a, item?.node_b, item?.link_id]);
  const named = [...deviceWork(call).map((work) => work.name), ...listOf(args.node_ids), ...items];
  return [...new Set(named.filter((one) => typeof one === "string" && one !== ""))];
}

const listOf = (value) => (Array.isArray(value) ? value : []);

/** What the running calls of a session touch, in small letters: as the feed told it, and as history did. */
function touched(state, id) {
  const told = Object.values(state.work[id] ?? {}).filter((work) => work.running).flatMap((work) => work.targets);
  const calls = (state.transcripts[id]?.items ?? []).flatMap((item) => item.calls ?? []).filter((call) => call.state === "running");
  return [...told.map((target) => target.toLowerCase()), ...calls.flatMap(known)];
}

/**
 * The ids of the busy nodes, sorted, a line each: a text, so that it is the same value while nothing changed.
 * @param {import("./model.js").State} state @returns {string}
 */
export function busyNodes(state) {
  if (!state.lab) return "";
  const targets = new Set(Object.keys(state.runs).flatMap((id) => touched(state, id)));
  if (targets.size === 0) return "";
  const named = (text) => targets.has(text.toLowerCase());
  const ends = state.lab.links.filter((link) => named(link.link_id)).flatMap((link) => link.nodes.map((end) => end.node_id));
  const busy = (node) => named(node.name) || named(node.node_id) || ends.includes(node.node_id);
  return state.lab.nodes.filter(busy).map((node) => node.node_id).sort().join("\n");
}

const seen = new WeakMap();

/** `targetsOf` in small letters, worked out once for each call: this is asked at each frame. */
function known(call) {
  if (!seen.has(call)) seen.set(call, targetsOf(call).map((target) => target.toLowerCase()));
  return seen.get(call);
}
