/** Messages of this page on their way to the server, each in its transcript's `outbox`. */

import { emptyTranscript } from "./model.js";

/** @typedef {import("./model.js").State} State */

/** A new message. A session that nobody knows yet begins with it. @param {State} state */
export function sent(state, action) {
  return put(state, action, state.transcripts[action.sessionId] ?? emptyTranscript(true));
}

/** A message that an earlier life of the page could not send: it says nothing about what else its session holds. */
export function restored(state, action) {
  const transcript = state.transcripts[action.sessionId] ?? emptyTranscript();
  const isThere = transcript.outbox.some((entry) => entry.client_message_id === action.clientMessageId);
  return isThere ? state : put(state, action, transcript);
}

/** @param {{result: {message_id: string, status: "started"|"queued"}}} action */
export function accepted(state, { sessionId, clientMessageId, result }) {
  const items = state.transcripts[sessionId]?.items ?? [];
  if (items.some((item) => item.kind === "user" && item.id === result.message_id)) return dropped(state, { sessionId, clientMessageId });
  const status = result.status === "queued" ? "queued" : "sent";
  return patched(state, sessionId, clientMessageId, { message_id: result.message_id, state: status, error: null, code: null });
}

/** There is no connection: it will be sent when there is one. */
export function delayed(state, { sessionId, clientMessageId }) {
  return patched(state, sessionId, clientMessageId, { state: "waiting" });
}

export function refused(state, { sessionId, clientMessageId, error }) {
  return patched(state, sessionId, clientMessageId, { state: "failed", error: error.message, code: error.code ?? null });
}

export function dropped(state, { sessionId, clientMessageId }) {
  return onOutbox(state, sessionId, (outbox) => outbox.filter((entry) => entry.client_message_id !== clientMessageId));
}

function put(state, { sessionId, clientMessageId, text, replaces = null, error = null }, transcript) {
  const fault = { error: error?.message ?? null, code: error?.code ?? null };
  const entry = { client_message_id: clientMessageId, message_id: null, text, replaces, state: error ? "failed" : "sending", ...fault };
  return { ...state, transcripts: { ...state.transcripts, [sessionId]: { ...transcript, outbox: [...transcript.outbox, entry] } } };
}

function patched(state, sessionId, clientMessageId, fields) {
  return onOutbox(state, sessionId, (outbox) =>
    outbox.map((entry) => (entry.client_message_id === clientMessageId ? { ...entry, ...fields } : entry)));
}

function onOutbox(state, sessionId, change) {
  const transcript = state.transcripts[sessionId];
  if (!transcript) return state;
  return { ...state, transcripts: { ...state.transcripts, [sessionId]: { ...transcript, outbox: change(transcript.outbox) } } };
}
