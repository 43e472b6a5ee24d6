/** The events that change a transcript (contract section 6), one function per type: `(transcript, event) -> transcript`. */

import { append, patchAssistant, patchCall, settle } from "./items.js";

const withItems = (transcript, items) => ({ ...transcript, items });

const ENDINGS = {
  stopped: ["stopped", "Stopped"],
  failed: ["error", "The run failed."],
  limited: ["info", "The run ended at one of its limits."],
};

const FOLDS = {
  run_started(transcript, event) {
    const outbox = withoutTaken(transcript.outbox, event);
    const items = append(transcript.items, { kind: "user", id: event.message_id, text: event.message });
    return { ...transcript, items, outbox };
  },

  content(transcript, event) {
    return withItems(transcript, patchAssistant(transcript.items, event.message_id, (item) => ({
      ...item, text: item.text + event.content,
    })));
  },

  reasoning(transcript, event) {
    return withItems(transcript, patchAssistant(transcript.items, event.message_id, (item) => ({
      ...item, reasoning: item.reasoning + event.content,
    })));
  },

  tool_call(transcript, event) {
    const { id, function: { name, arguments: args, complete } } = event.tool_call;
    const whole = complete === true;
    return withItems(transcript, patchCall(transcript.items, id, name, event.message_id, (call) => {
      if (call.complete) return call;
      return { ...call, name, args, complete: whole, state: whole ? "ready" : "writing" };
    }));
  },

  tool_start(transcript, event) {
    return onCall(transcript, event, { state: "running", complete: true });
  },

  tool_progress(transcript, event) {
    const { done, total, message, device_name: device = null } = event;
    return onCall(transcript, event, { state: "running", progress: { done, total, message, device } });
  },

  tool_end(transcript, event) {
    const fields = { state: event.status, complete: true, progress: null, output: event.tool_output, duration: event.duration_ms };
    if (event.executed_args) fields.executed = JSON.stringify(event.executed_args);
    return onCall(transcript, event, fields);
  },

  limit_reached(transcript, event) {
    return notice(transcript, event, "info", event.message, event.limit);
  },

  error(transcript, event) {
    return notice(transcript, event, "error", event.error, event.code);
  },

  done(transcript, event) {
    const settled = withItems(transcript, settle(transcript.items, event.outcome === "stopped" ? "stopped" : "unknown"));
    if (event.outcome === "completed") return settled;
    const stopped = event.outcome === "stopped" ? dropQueued(settled) : settled;
    if (event.outcome !== "stopped" && isExplained(stopped, event.run_id)) return stopped;
    const [tone, text] = ENDINGS[event.outcome] ?? ["info", `The run ended: ${event.outcome}`];
    return notice(stopped, event, tone, text, "done");
  },
};

/** Folds one event; types that say nothing about a transcript, or that nobody knows, leave it as it is. */
export function foldEvent(transcript, event) {
  return Object.hasOwn(FOLDS, event.type) ? FOLDS[event.type](transcript, event) : transcript;
}

/** A stop also clears what is queued behind the run: those messages will not be answered. */
export function dropQueued(transcript) {
  const outbox = transcript.outbox.map((entry) =>
    entry.state === "queued" ? { ...entry, state: "failed", error: "Not sent: the run before it was stopped." } : entry);
  return { ...transcript, outbox };
}

/** The outgoing message that this run answers, by its id or, while the server's reply is under way, by its text. */
function withoutTaken(outbox, event) {
  const byId = outbox.findIndex((entry) => entry.message_id === event.message_id);
  const at = byId >= 0 ? byId : outbox.findIndex((entry) => entry.state === "sending" && entry.text === event.message);
  return at < 0 ? outbox : outbox.toSpliced(at, 1);
}

function isExplained(transcript, runId) {
  return transcript.items.some((item) => item.kind === "notice" && item.id.startsWith(`${runId}:`));
}

function onCall(transcript, event, fields) {
  const home = transcript.items.findLast((item) => item.kind === "assistant")?.id ?? event.run_id;
  const change = (call) => ({ ...call, ...fields });
  return withItems(transcript, patchCall(transcript.items, event.tool_call_id, event.tool_name, home, change));
}

function notice(transcript, event, tone, text, code) {
  const id = `${event.run_id}:${tone}:${code}`;
  return withItems(transcript, append(transcript.items, { kind: "notice", id, tone, text, code: code ?? null }));
}
