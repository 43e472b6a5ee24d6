/** Changes to a transcript's items. Each function returns a new array; untouched items keep their identity. */

/** @typedef {import("./model.js").Item} Item @typedef {import("./model.js").ToolCall} ToolCall */

const OPEN = new Set(["writing", "ready", "running"]);

/** @returns {ToolCall} */
export function newCall(id, name, fields = {}) {
  return { id, name, args: "", executed: null, complete: false, state: "writing", progress: null, output: null, duration: null, ...fields };
}

export function newAssistant(id, fields = {}) {
  return { kind: "assistant", id, text: "", reasoning: "", partial: true, calls: [], ...fields };
}

/** @param {Item[]} items */
export function append(items, item) {
  return items.some((known) => known.kind === item.kind && known.id === item.id) ? items : [...items, item];
}

/** Changes the assistant message `id`, which is made at the end where there is none. */
export function patchAssistant(items, id, change) {
  const at = items.findLastIndex((item) => item.kind === "assistant" && item.id === id);
  if (at >= 0) return items.with(at, change(items[at]));
  return [...items.map(finished), change(newAssistant(id))];
}

/** Changes the call `id` wherever it stands; a call nobody announced goes to the message `messageId`. */
export function patchCall(items, id, name, messageId, change) {
  const at = items.findLastIndex((item) => item.kind === "assistant" && item.calls.some((call) => call.id === id));
  if (at >= 0) {
    const calls = items[at].calls.map((call) => (call.id === id ? change(call) : call));
    return items.with(at, { ...items[at], calls });
  }
  return patchAssistant(items, messageId, (item) => ({ ...item, calls: [...item.calls, change(newCall(id, name))] }));
}

/** Nothing of a run goes on after its end: streaming ends, and a call without a result gets `state`. */
export function settle(items, state) {
  return items.map((item) => {
    if (item.kind !== "assistant" || !item.calls.some((call) => OPEN.has(call.state))) return finished(item);
    const calls = item.calls.map((call) => (OPEN.has(call.state) ? { ...call, complete: true, state } : call));
    return { ...item, partial: false, calls };
  });
}

function finished(item) {
  return item.partial ? { ...item, partial: false } : item;
}
