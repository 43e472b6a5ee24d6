/**
 * The one pure reducer: `(state, action) -> state`. Events of the feed come as `{type: "event", event}`; every other
 * action is something this page did or was told. An event or an action that nobody knows changes nothing.
 */

import { alreadyResolved, askedBefore, greeted, narrowed, trackAsking } from "./asking.js";
import { NO_GREETING, emptyChats } from "./model.js";
import { dropQueued } from "./fold.js";
import * as outgoing from "./outgoing.js";
import { forgetSession, greetedRuns, hideSession, limited, putAnswer, putPage, trackRun, trackSession } from "./runs.js";
import { found, searchFailed, searched } from "./search.js";
import { changedLab } from "./topology.js";
import * as transcripts from "./transcripts.js";
import { visited } from "./visits.js";
import { trackWork } from "./work.js";

export { initialState } from "./model.js";

/** @typedef {import("./model.js").State} State */

const ACTIONS = {
  connection: (state, { status, link }) => ({ ...state, connection: status, link }),
  hello: onHello,
  user: (state, { userId }) => asUser(state, userId),
  event: (state, { event, at = null }) => onEvent(state, event, at),

  projects: (state, { projects }) => ({ ...state, projects }),
  project_chosen: (state, { projectId }) => ({ ...state, ...emptyChats(), lab: null, connection: "idle", greeting: NO_GREETING, projectId }),
  lab: (state, { lab }) => ({ ...state, lab }),
  preferences: (state, { preferences }) => ({ ...state, preferences }),

  sessions: putPage,
  session: (state, { session }) => putAnswer(state, session),
  session_gone: (state, { sessionId }) => forgetSession(state, sessionId),
  session_hidden: hideSession,
  selected: (state, { sessionId }) => visited({ ...state, selected: sessionId }, sessionId),
  search: searched,
  search_found: found,
  search_failed: searchFailed,

  history_requested: (state, { sessionId, request }) => withTranscript(state, sessionId, (transcript) =>
    transcripts.requested(transcript, request)),
  history_loaded: (state, { sessionId, request, history }) => onRequested(state, sessionId, request, (transcript) =>
    transcripts.loaded(transcript, history, state.runs[sessionId] ?? null, state.feed.epoch)),
  history_failed: (state, { sessionId, request, error }) => onRequested(state, sessionId, request, (transcript) =>
    transcripts.failed(transcript, error)),
  history_older: (state, { sessionId, history }) => onTranscript(state, sessionId, (transcript) =>
    transcripts.prepended(transcript, history)),

  send: outgoing.sent,
  send_restored: outgoing.restored,
  send_accepted: outgoing.accepted,
  send_delayed: outgoing.delayed,
  send_failed: outgoing.refused,
  send_dropped: outgoing.dropped,
  run_limits: limited,
  stop_accepted: (state, { sessionId }) => onTranscript(state, sessionId, dropQueued),

  asked_before: askedBefore,
  already_resolved: alreadyResolved,
  hitl_status: (state, { status }) => narrowed(state, status),
};

/** @param {State} state @returns {State} */
export function reducer(state, action) {
  return Object.hasOwn(ACTIONS, action.type) ? ACTIONS[action.type](state, action) : state;
}

function onHello(before, { hello }) {
  const state = asUser(before, hello.user_id ?? null);
  const runs = greetedRuns(state.runs, hello.runs ?? []);
  const greeting = { recovered: hello.recovered };
  const limits = hello.limits ?? {};
  if (hello.recovered === true) return { ...state, runs, greeting, limits };
  const unloaded = Object.entries(state.transcripts).map(([id, one]) => [id, { ...one, loaded: false, loading: false, buffer: [] }]);
  return {
    ...state,
    runs,
    work: {},
    asking: greeted(state.asking, hello.pending_hitl ?? []),
    greeting,
    limits,
    touched: {},
    feed: { epoch: hello.epoch, seq: hello.seq },
    transcripts: Object.fromEntries(unloaded),
  };
}

/** Another user sees nothing of what the one before had on screen. */
function asUser(state, userId) {
  if (state.userId === null || state.userId === userId) return { ...state, userId };
  return { ...state, ...emptyChats(), selected: state.selected, userId };
}

function onEvent(state, event, at) {
  if (typeof event.seq !== "number" || event.seq <= state.feed.seq) return state;
  let next = { ...state, feed: { ...state.feed, seq: event.seq } };
  if (event.type === "project_updated" && event.project) next = onProject(next, event.project);
  if (event.type === "topology_updated" && state.lab) next = { ...next, lab: changedLab(state.lab, event) };
  if (event.session_id === undefined || event.session_id === null) return next;
  next = trackAsking(trackSession(trackWork(trackRun(next, event, at), event), event), event);
  return onTranscript(next, event.session_id, (transcript) => transcripts.receive(transcript, event, next.feed.epoch));
}

function onProject(state, project) {
  const projects = state.projects.map((known) => (known.project_id === project.project_id ? { ...known, ...project } : known));
  return { ...state, projects };
}

function withTranscript(state, id, change) {
  return { ...state, transcripts: { ...state.transcripts, [id]: change(state.transcripts[id]) } };
}

function onRequested(state, id, request, change) {
  return onTranscript(state, id, (transcript) => (transcripts.isCurrent(transcript, request) ? change(transcript) : transcript));
}

/** As `withTranscript`, where there is one. */
function onTranscript(state, id, change) {
  const known = state.transcripts[id];
  if (!known) return state;
  const changed = change(known);
  return changed === known ? state : { ...state, transcripts: { ...state.transcripts, [id]: changed } };
}
