/** Live runs by session, and what events say about sessions. */

import { emptyTranscript, without } from "./model.js";
import { forgetFound } from "./search.js";
import { trimmed } from "./visits.js";

const NOTHING_USED = { input_tokens: 0, output_tokens: 0, total_tokens: 0, llm_calls: 0 };

/** @returns {import("./model.js").Run} */
const newRun = (fields) => ({
  status: "running", usage: null, spent: null, limits: null, estimate: null, retry: null, startedAt: null, waited: 0, waitingSince: null, ...fields,
});

/** `hello.runs`: what is known of a run beyond that stays known. */
export function greetedRuns(known, live) {
  return Object.fromEntries(live.filter((run) => run.status !== "queued").map(({ started_at: startedAt, ...run }) => {
    const before = known[run.session_id];
    const same = before?.run_id === run.run_id ? before : { startedAt: Date.parse(startedAt) || null };
    return [run.session_id, newRun({ ...same, ...run })];
  }));
}

/**
 * @param {import("./model.js").State} state
 * @param {number|null} at  when the event came, in ms of the server's clock
 */
export function trackRun(state, event, at) {
  const { session_id: id, run_id } = event;
  const run = state.runs[id];
  switch (event.type) {
    case "run_started":
      return put(state, newRun({ run_id, session_id: id, usage: NOTHING_USED, spent: 0, limits: event.limits ?? null, estimate: event.estimate ?? null, startedAt: at }));
    case "hitl_required":
      return put(state, paused(run ?? newRun({ run_id, session_id: id, startedAt: at }), at));
    case "done":
      return run?.run_id === run_id ? { ...state, runs: without(state.runs, id) } : state;
    default:
      return run && run.run_id === run_id ? put(state, goneOn(run, event, at)) : state;
  }
}

function goneOn(run, event, at) {
  const goes = run.retry ? { ...run, retry: null } : run;
  switch (event.type) {
    case "usage":
      return { ...goes, usage: event.usage, spent: spentAfter(run, event.usage) };
    case "llm_retry":
      return { ...goes, retry: event };
    case "hitl_resolved":
      return (event.remaining ?? []).length === 0 ? resumed(goes, at) : goes;
    default:
      return goes;
  }
}

/** The plain sum over all model calls, which a budget is about: `usage` has the input of the last one only. */
function spentAfter({ spent, usage: before }, { input_tokens: input, output_tokens: output }) {
  return spent === null ? null : spent + input + output - before.output_tokens;
}

const paused = (run, at) => ({ ...run, status: "waiting", waitingSince: run.waitingSince ?? at });

function resumed({ waited, waitingSince, ...run }, at) {
  return { ...run, status: "running", waited: waited + (waitingSince === null ? 0 : at - waitingSince), waitingSince: null };
}

/** @param {{sessionId: string, limits: Object}} action  what `run.limits` said is in force */
export function limited(state, { sessionId, limits }) {
  const run = state.runs[sessionId];
  return run ? put(state, { ...run, limits }) : state;
}

function put(state, run) {
  return state.runs[run.session_id] === run ? state : { ...state, runs: { ...state.runs, [run.session_id]: run } };
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

function putSession(state, session) {
  const id = session.session_id ?? session.thread_id;
  return { ...state, sessions: { ...state.sessions, [id]: { ...session, session_id: id } } };
}

/** What a command answered. Answers and events come in any order, and whatever changes a session has its event: those are right. */
export function putAnswer(state, session) {
  return state.touched[session.session_id] ? state : putSession(state, session);
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
    work: without(state.work, id),
    asking: without(state.asking, id),
    hidden: without(state.hidden, id),
    search: forgetFound(state.search, id),
    visits: state.visits.filter((one) => one !== id),
    selected: state.selected === id ? null : state.selected,
  };
}
