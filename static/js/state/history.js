/** A session's history (OpenAI messages) as a transcript's items: the same shape that folded events give. */

import { append, newAssistant, newCall, newUser, patchCall, tidyArgs } from "./items.js";

/**
 * @param {Object[]} messages  oldest first
 * @param {import("./model.js").Run|null} run  the session's live run: its calls without a result still go on
 */
export function itemsOf(messages, run) {
  const items = messages.reduce((so_far, message) => add(so_far, message, run), []);
  return run ? answering(items, run) : items;
}

function add(items, message, run) {
  const metadata = message.metadata ?? {};
  if (message.role === "user") return append(items, userOf(message, metadata));
  if (message.role === "tool") return addResult(items, message, metadata);
  return message.role === "assistant" ? append(items, assistantOf(message, metadata, run)) : items;
}

function userOf({ id, content }, metadata) {
  const { run_id: runId = null, outcome = null, limits = [], usage = null, duration_ms: duration = null, undoable } = metadata;
  const error = metadata.error ? { code: metadata.error.code ?? null, message: metadata.error.message } : null;
  return newUser(id, { text: content ?? "", runId, outcome, error, limits, usage, duration, undoable: undoable === true });
}

/** The newest message is the one that the live run answers. */
function answering(items, { run_id: runId }) {
  const at = items.findLastIndex((item) => item.kind === "user");
  return at < 0 || items[at].runId !== null || items[at].outcome !== null ? items : items.with(at, { ...items[at], runId });
}

function assistantOf(message, { partial, incomplete, cut, reasoning }, run) {
  const calls = (message.tool_calls ?? []).map((call) => callOf(call, partial === true, run));
  return newAssistant(message.id, {
    text: message.content ?? "",
    reasoning: typeof reasoning === "string" ? reasoning : "",
    partial: partial === true,
    incomplete: incomplete === true,
    cut: cut === true,
    calls,
  });
}

function callOf(call, partial, run) {
  const open = partial ? "writing" : "ready";
  const args = call.function.arguments ?? "";
  return newCall(call.id, call.function.name, {
    args: partial ? args : tidyArgs(args),
    complete: !partial,
    state: run || partial ? open : "unknown",
  });
}

/** A partial result stands for a call without one, which may have started. A page may begin with results: their calls are on the one before. */
function addResult(items, message, metadata) {
  const { id, tool_call_id: callId, name = "tool", content: output = "" } = message;
  if (metadata.partial === true) {
    return metadata.started === true ? patchCall(items, callId, name, id, (call) => ({ ...call, state: "running" })) : items;
  }
  const asked = items.some((item) => item.calls?.some((call) => call.id === callId));
  const known = asked ? items : append(items, newAssistant(id, { partial: false, calls: [newCall(callId, name)] }));
  return patchCall(known, callId, name, id, (call) => ({
    ...call,
    complete: true,
    progress: null,
    state: metadata.status ?? (looksFailed(output) ? "error" : "success"),
    output,
    executed: metadata.executed_args ? JSON.stringify(metadata.executed_args) : null,
    duration: metadata.duration_ms || null,
  }));
}

/** For histories that do not say how a call ended: a result that is only an error. */
function looksFailed(output) {
  try {
    const value = JSON.parse(output);
    return value !== null && typeof value === "object" && !Array.isArray(value) && Boolean(value.error);
  } catch {
    return false;
  }
}
