/** Live runs by session, and what events say about sessions. */

import { emptyTranscript, without } from "./model.js";
import { forgetFound } from "./search.js";
import { trimmed } from "./visits.js";

/** @param {import("./model.js").State} state */
export function trackRun(state, event) {
  const { session_id: id, run_id } = event;
  const run = state.runs[id];
  switch (event.type) {
    case "run_started":
      return { ...state, runs: { ...state.runs, [id]: { run_id, session_id: id, status: "running", usage: null } } };
    case "usage":
      return run ? patchRun(state, run, { usage: event.usage }) : state;
    case "hitl_required":
      return patchRun(state, run ?? { run_id, session_id: id, usage: null }, { status: "waiting" });
    case "hitl_resolved":
      return run && (event.remaining ?? []).length === 0 ? patchRun(state, run, { status: "running" }) : state;
    case "done":
      return run?.run_id === run_id ? { ...state, runs: without(state.runs, id) } : state;
    default:
      return state;
  }
}

function patchRun(state, run, fields) {
  return { ...state, runs: { ...state.runs, [run.session_id]: { ...run, ...fields } } };
}

export function trackSession(state, event) {
  switch (event.type) {
    case "session_created":
      return startTranscript(putSession(touch(state, event), event.session), event.session);
    case "session_updated":
      return putSession(touch(state, event), event.session);
    case "session_deleted":
      return forgetSession(touch(state, event), event.session_id);
    default:
      return state;
  }
}

function touch(state, event) {
  return { ...state, touched: { ...state.touched, [event.session_id]: true } };
}

export function putSession(state, session) {
  const id = session.session_id ?? session.thread_id;
  return { ...state, sessions: { ...state.sessions, [id]: { ...session, session_id: id } } };
}

/** What a command answered; an event that said before that the session is gone is right. */
export function putAnswer(state, session) {
  const id = session.session_id;
  return state.touched[id] && !state.sessions[id] ? state : putSession(state, session);
}

/** Out of sight, or back: nothing else changes. */
export function hideSession(state, { sessionId, hidden }) {
  return { ...state, hidden: hidden ? { ...state.hidden, [sessionId]: true } : without(state.hidden, sessionId) };
}

/** One page of sessions from the server; what events said since it was asked is newer. */
export function putPage(state, { sessions, cursor, more }) {
  const kept = Object.entries(state.sessions).filter(([id]) => more || state.touched[id]);
  const listed = { ...state, sessions: Object.fromEntries(kept), cursor: cursor ?? null, listed: true };
  return sessions.filter((session) => !state.touched[session.session_id]).reduce(putSession, listed);
}

/** A session that begins under our eyes has no history to load: its events are all of it. */
function startTranscript(state, session) {
  const id = session.session_id ?? session.thread_id;
  if (state.transcripts[id] || session.message_count > 0) return state;
  return trimmed({ ...state, transcripts: { ...state.transcripts, [id]: emptyTranscript(true) } });
}

export function forgetSession(state, id) {
  return {
    ...state,
    sessions: without(state.sessions, id),
    transcripts: without(state.transcripts, id),
    runs: without(state.runs, id),
    asking: without(state.asking, id),
    hidden: without(state.hidden, id),
    search: forgetFound(state.search, id),
    visits: state.visits.filter((one) => one !== id),
    selected: state.selected === id ? null : state.selected,
  };
}
