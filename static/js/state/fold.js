/** The events that change a transcript (contract section 6), one function per type: `(transcript, event) -> transcript`. */

import { cutOff, finishAnswer, newUser, patchAssistant, patchCall, patchTurn, placeOf, settle, tidyArgs } from "./items.js";

const withItems = (transcript, items) => ({ ...transcript, items });

/** Fields that `done` gives a message; history has them in the message's metadata. */
const ending = ({ outcome, usage = null, duration_ms: duration = null, undoable }) => ({ outcome, usage, duration, undoable: undoable === true });

const FOLDS = {
  run_started(transcript, event) {
    const { message_id: id, run_id: runId, message: text } = event;
    const outbox = withoutTaken(transcript.outbox, event);
    if (placeOf(transcript.items, id) >= 0) return { ...transcript, outbox };
    const left = withoutReplaced(transcript.items, event.replaces_message_id);
    if (left === null) return { ...transcript, outbox, stale: true };
    return { ...transcript, outbox, items: [...left, newUser(id, { text, runId })] };
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
      return { ...call, name, args: whole ? tidyArgs(args) : args, complete: whole, state: whole ? "ready" : "writing" };
    }));
  },

  /** After each model call, before its tools run. */
  usage: (transcript, event) => finished(transcript, event.cut === true),

  /** An answer that no model gave has no usage. */
  hitl_required: (transcript) => finished(transcript),

  tool_start(transcript, event) {
    return onCall(finished(transcript), event, { state: "running", complete: true });
  },

  tool_progress(transcript, event) {
    const { done, total, message, device_name: device = null } = event;
    return onCall(transcript, event, { state: "running", progress: { done, total, message, device } });
  },

  tool_end(transcript, event) {
    const fields = { state: event.status, complete: true, progress: null, output: event.tool_output, duration: event.duration_ms || null };
    if (event.executed_args) fields.executed = JSON.stringify(event.executed_args);
    return onCall(transcript, event, fields);
  },

  limit_reached(transcript, event) {
    const { limit, value, message } = event;
    return onTurn(transcript, event, ({ limits }) => ({ limits: [...limits, { limit, value, message }] }));
  },

  error(transcript, event) {
    return onTurn(transcript, event, () => ({ error: { code: event.code ?? null, message: event.error } }));
  },

  done(transcript, event) {
    const broken = event.outcome === "stopped" || event.outcome === "failed";
    const items = settle(broken ? cutOff(transcript.items) : transcript.items, event.outcome === "stopped" ? "stopped" : "unknown");
    const ended = onTurn(withItems(transcript, items), event, () => ending(event));
    return event.outcome === "stopped" ? dropQueued(ended) : ended;
  },
};

/** Folds one event; types that say nothing about a transcript, or that nobody knows, leave it as it is. */
export function foldEvent(transcript, event) {
  return Object.hasOwn(FOLDS, event.type) ? FOLDS[event.type](transcript, event) : transcript;
}

/** A stop also clears what is queued behind the run: those messages will not be answered. */
export function dropQueued(transcript) {
  if (!transcript.outbox.some((entry) => entry.state === "queued")) return transcript;
  const outbox = transcript.outbox.map((entry) => (entry.state === "queued" ? { ...entry, state: "failed", code: "run_stopped" } : entry));
  return { ...transcript, outbox };
}

/** Null where the replaced message is not here: it may be older than what is. */
function withoutReplaced(items, replaced) {
  if (!replaced) return items;
  const at = placeOf(items, replaced);
  return at < 0 ? null : items.slice(0, at);
}

/** The outgoing message that this run answers. */
function withoutTaken(outbox, event) {
  const isTaken = (entry) => entry.message_id === event.message_id || entry.client_message_id === event.client_message_id;
  return outbox.some(isTaken) ? outbox.filter((entry) => !isTaken(entry)) : outbox;
}

function onTurn(transcript, event, fields) {
  const items = patchTurn(transcript.items, event.run_id, fields);
  return items === transcript.items ? transcript : withItems(transcript, items);
}

function finished(transcript, cut) {
  const items = finishAnswer(transcript.items, cut);
  return items === transcript.items ? transcript : withItems(transcript, items);
}

/** A call that gets these before its model call has ended belongs to an answer that broke off: it never ran. */
const BROKEN = new Set(["stopped", "error"]);

function onCall(transcript, event, fields) {
  const home = transcript.items.findLast((item) => item.kind === "assistant")?.id ?? event.run_id;
  const items = patchCall(transcript.items, event.tool_call_id, event.tool_name, home, (call) => ({ ...call, ...fields }));
  const last = items.at(-1);
  const broken = BROKEN.has(fields.state) && last.partial && !last.incomplete;
  return withItems(transcript, broken ? items.with(-1, { ...last, incomplete: true }) : items);
}
