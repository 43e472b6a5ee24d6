/** Which events a transcript takes: history and the feed overlap, and neither may show a token twice or lose one. */

import { foldEvent } from "./fold.js";
import { itemsOf } from "./history.js";
import { emptyTranscript } from "./model.js";

/** @typedef {import("./model.js").Transcript} Transcript */

/** An event of the feed for this transcript. */
export function receive(transcript, event, epoch) {
  if (transcript.loading) return { ...transcript, buffer: [...transcript.buffer, event] };
  if (!transcript.loaded || transcript.stale) return transcript;
  return take(transcript, event, epoch);
}

/**
 * Folds what history does not hold yet. A merged frame that history holds a part of cannot be split: its text is
 * known only as a whole, so the transcript becomes stale and history is read again.
 */
function take(transcript, event, epoch) {
  if (transcript.stale) return transcript;
  if (transcript.epoch === epoch && typeof event.seq === "number") {
    if (event.seq <= transcript.seq) return transcript;
    if ((event.first_seq ?? event.seq) <= transcript.seq) return { ...transcript, stale: true };
  }
  return foldEvent(transcript, event);
}

/** From here on events wait until history says which of them it holds. */
export function requested(transcript = emptyTranscript(), request = 0) {
  return { ...transcript, loaded: false, loading: true, stale: false, error: null, buffer: [], request };
}

/** An answer to an older request than the last one says nothing about the events in the buffer. */
export function isCurrent(transcript, request = 0) {
  return transcript.loading && transcript.request === request;
}

/** @param {Object} history ConversationHistory */
export function loaded(transcript, history, run, epoch) {
  const items = itemsOf(history.messages, run);
  const said = history.messages.filter((message) => message.role === "user");
  const taken = new Set(said.flatMap((message) => [message.id, message.metadata?.client_message_id]));
  const fresh = {
    ...emptyTranscript(true),
    items,
    outbox: transcript.outbox.filter((entry) => !taken.has(entry.message_id) && !taken.has(entry.client_message_id)),
    hasMore: history.has_more === true,
    epoch: history.epoch ?? null,
    seq: history.seq ?? 0,
  };
  return transcript.buffer.reduce((so_far, event) => take(so_far, event, epoch), fresh);
}

/** Older messages, which end where the known ones begin. */
export function prepended(transcript, history) {
  const known = new Set(transcript.items.map((item) => item.id));
  const older = itemsOf(history.messages, null).filter((item) => !known.has(item.id));
  return { ...transcript, items: joined(older, transcript.items), hasMore: history.has_more === true };
}

/** A page may begin with results whose calls stand at the end of the page before: they come together here. */
function joined(older, newer) {
  const results = new Map(newer.flatMap((item) => item.calls ?? []).map((call) => [call.id, call]));
  const asked = new Set(older.flatMap((item) => item.calls ?? []).map((call) => call.id));
  const whole = ({ name, args, ...call }) => ({ ...call, ...results.get(call.id), name, args });
  const withResults = older.map((item) => (item.calls?.some((call) => results.has(call.id)) ? { ...item, calls: item.calls.map(whole) } : item));
  const orphan = (item) => item.calls?.length > 0 && item.text === "" && item.calls.every((call) => asked.has(call.id));
  return [...withResults, ...newer.filter((item) => !orphan(item))];
}

/** A session that is not there (yet): what waits to be sent stays, the rest is nothing. */
export function failed(transcript, error) {
  if (error.code === "not_found" && transcript.outbox.length > 0) {
    const fresh = { ...emptyTranscript(true), outbox: transcript.outbox };
    return transcript.buffer.reduce((so_far, event) => take(so_far, event, null), fresh);
  }
  return { ...transcript, loading: false, buffer: [], error: error.message };
}
