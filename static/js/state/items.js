/** Changes to a transcript's items. Each function returns a new array; untouched items keep their identity. */

/** @typedef {import("./model.js").Item} Item @typedef {import("./model.js").ToolCall} ToolCall */

const OPEN = new Set(["writing", "ready", "running"]);

/** @returns {import("./model.js").UserItem} */
export function newUser(id, fields = {}) {
  return { kind: "user", id, text: "", runId: null, outcome: null, error: null, limits: [], usage: null, duration: null, undoable: false, ...fields };
}

/** @returns {import("./model.js").AssistantItem} */
export function newAssistant(id, fields = {}) {
  return { kind: "assistant", id, text: "", reasoning: "", partial: true, incomplete: false, cut: false, calls: [], ...fields };
}

/** @returns {ToolCall} */
export function newCall(id, name, fields = {}) {
  return { id, name, args: "", executed: null, complete: false, state: "writing", progress: null, output: null, duration: null, ...fields };
}

/** @param {Item[]} items */
export function append(items, item) {
  return items.some((known) => known.kind === item.kind && known.id === item.id) ? items : [...items, item];
}

/** Where the user's message `id` stands, -1 where it does not. */
export function placeOf(items, id) {
  return items.findLastIndex((item) => item.kind === "user" && item.id === id);
}

/** Changes the message that the run `runId` answers; its page of history may not be here. */
export function patchTurn(items, runId, fields) {
  const at = items.findLastIndex((item) => item.kind === "user" && item.runId === runId);
  return at < 0 ? items : items.with(at, { ...items[at], ...fields(items[at]) });
}

/** Changes the assistant message `id`, which is made at the end where there is none. */
export function patchAssistant(items, id, change) {
  const at = items.findLastIndex((item) => item.kind === "assistant" && item.id === id);
  if (at >= 0) return items.with(at, change(items[at]));
  return [...cutOff(items).map(finished), change(newAssistant(id))];
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

/** A model call has ended: so has its answer. History tells broken calls after the whole ones. `cut`: by a limit of length */
export function finishAnswer(items, cut = false) {
  const at = items.findLastIndex((item) => item.kind === "assistant");
  if (at < 0 || !items[at].partial) return items;
  const { calls, incomplete } = items[at];
  const inOrder = incomplete ? calls : [...calls.filter(isWhole), ...calls.filter((call) => !isWhole(call))];
  return items.with(at, { ...items[at], partial: false, cut, calls: inOrder });
}

/** An answer without calls that another one follows in its run, or a stop, broke off: a whole one would have been the last. */
export function cutOff(items) {
  const last = items.at(-1);
  if (last?.kind !== "assistant" || last.calls.length > 0 || last.incomplete) return items;
  return items.with(-1, { ...last, incomplete: true });
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

/** The server writes arguments in a form of its own: those that are whole have one form here. */
export function tidyArgs(text) {
  const value = objectOf(text);
  return value === null ? text : JSON.stringify(value);
}

const isWhole = (call) => objectOf(call.args) !== null;

function objectOf(text) {
  try {
    const value = JSON.parse(text || "{}");
    return value !== null && typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
