/** A session's history (OpenAI messages) as a transcript's items: the same shape that folded events give. */

import { append, newAssistant, newCall, patchCall } from "./items.js";

/**
 * @param {Object[]} messages  oldest first
 * @param {import("./model.js").Run|null} run  the session's live run: its calls without a result still go on
 */
export function itemsOf(messages, run) {
  return messages.reduce((items, message) => add(items, message, run), []);
}

function add(items, message, run) {
  const metadata = message.metadata ?? {};
  if (message.role === "user") return append(items, { kind: "user", id: message.id, text: message.content ?? "" });
  if (message.role === "tool") return addResult(items, message, metadata);
  if (message.role !== "assistant") return items;
  const partial = metadata.partial === true;
  const calls = (message.tool_calls ?? []).map((call) => callOf(call, partial, run));
  const reasoning = typeof metadata.reasoning === "string" ? metadata.reasoning : "";
  const known = append(items, newAssistant(message.id, { text: message.content ?? "", reasoning, partial, calls }));
  return metadata.incomplete === true ? append(known, cutOff(message.id)) : known;
}

/** Where a stop or a failure ended an answer, as the live transcript marks it. */
function cutOff(id) {
  return { kind: "notice", id: `${id}:incomplete`, tone: "stopped", text: "The answer was cut off here", code: null };
}

/** While a person is asked, nothing of the answer runs. */
function callOf(call, partial, run) {
  const open = partial ? "writing" : run?.status === "waiting" ? "ready" : "running";
  return newCall(call.id, call.function.name, {
    args: call.function.arguments ?? "",
    complete: !partial,
    state: run || partial ? open : "unknown",
  });
}

/** A partial result stands for a call that still runs. */
function addResult(items, message, metadata) {
  if (metadata.partial === true) return items;
  const output = message.content ?? "";
  return patchCall(items, message.tool_call_id, message.name ?? "tool", message.id, (call) => ({
    ...call,
    complete: true,
    progress: null,
    state: metadata.status ?? (looksFailed(output) ? "error" : "success"),
    output,
    executed: metadata.executed_args ? JSON.stringify(metadata.executed_args) : null,
    duration: metadata.duration_ms ?? null,
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
