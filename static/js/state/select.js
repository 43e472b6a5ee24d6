/** What views read from the state. */

import { matching } from "./search.js";

/** Computes anew only when one of the inputs is another value: views see the same object meanwhile. */
function remembered(inputs, compute) {
  let [before, value] = [[], undefined];
  return (state) => {
    const now = inputs(state);
    if (now.some((one, at) => !Object.is(one, before[at]))) [before, value] = [now, compute(state)];
    return value;
  };
}

/** As the server sorts them: where two were changed in the same moment, by their ids. */
const inOrder = (sessions) => sessions.sort((a, b) =>
  Number(b.pinned) - Number(a.pinned) || falling(a.updated_at ?? "", b.updated_at ?? "") || falling(a.id, b.id));

const falling = (a, b) => Number(a < b) - Number(a > b);

const shown = (state, sessions) => inOrder(sessions.filter((session) => !state.hidden[session.session_id]));

/** Pinned first, then the newest. */
export const sortedSessions = remembered(
  (state) => [state.sessions, state.hidden],
  (state) => shown(state, Object.values(state.sessions)),
);

/** The list of chats: all, or those that a search found. */
export const listedSessions = remembered(
  (state) => [state.sessions, state.hidden, state.search],
  (state) => (state.search.query === "" ? sortedSessions(state) : shown(state, matching(state))),
);

/**
 * The rows of the list. `run`: the status of a run that does not wait for a person; `waiting`: calls that do.
 * @type {(state: import("./model.js").State) => {session: Object, selected: boolean, run: string|null, waiting: number}[]}
 */
export const sessionRows = remembered(
  (state) => [listedSessions(state), state.selected, state.runs, state.asking],
  (state) => listedSessions(state).map((session) => {
    const { session_id: id } = session;
    const waiting = waitingCalls(state, id);
    return { session, selected: state.selected === id, run: waiting === 0 ? state.runs[id]?.status ?? null : null, waiting };
  }),
);

/** The title of the browser's tab: how many chats wait for a person, which one is shown. */
export function pageTitle(state, name) {
  const waiting = waitingSessions(state);
  const title = state.sessions[state.selected]?.title;
  return `${waiting > 0 ? `(${waiting}) ` : ""}${title ? `${title} · ` : ""}${name}`;
}

export function currentProject(state) {
  return state.projects.find((project) => project.project_id === state.projectId) ?? null;
}

export function currentTranscript(state) {
  return state.selected === null ? null : state.transcripts[state.selected] ?? null;
}

export function currentRun(state) {
  return state.selected === null ? null : state.runs[state.selected] ?? null;
}

/** Whether the chosen chat answers, or is about to: a message of this page has a connection and is taken up next. */
export function isAnswering(state) {
  const outbox = currentTranscript(state)?.outbox ?? [];
  return currentRun(state) !== null || outbox.some((entry) => entry.state === "sending" || entry.state === "sent");
}

/** The open question of a session. */
export function promptOf(state, sessionId) {
  return state.asking[sessionId]?.prompt ?? null;
}

/** How many calls of a session wait for a person. */
export function waitingCalls(state, sessionId) {
  return Object.keys(promptOf(state, sessionId)?.tools ?? {}).length;
}

/** How many sessions wait for a person. */
export function waitingSessions(state) {
  return Object.entries(state.asking).filter(([id, one]) => one.prompt !== null && !state.hidden[id]).length;
}

/**
 * Where a call stands: its own state, or, while a person is asked about its answer, `asking` (this one is asked about),
 * `decided` (by a person, others are not yet) or `held` (it needs nobody and waits for the others).
 * @param {import("./model.js").Asking|null} asking  of its session
 */
export function phaseOf(call, asking) {
  if (!asking?.prompt || call.output !== null) return call.state;
  if (asking.prompt.tools[call.id]) return "asking";
  return asking.decisions[call.id] ? "decided" : "held";
}

/** The project to open: the wanted one by id or name, the last one, `demo`, the first opened one. */
export function pickProject(projects, wanted, last) {
  const find = (key) => key && projects.find((project) => project.project_id === key || project.name === key);
  return find(wanted) || find(last) || find("demo") || projects.find((project) => project.status === "opened") || projects[0] || null;
}

/**
 * Whether the model is at work without anything on screen that shows it.
 * @param {import("./model.js").Transcript|null} transcript
 */
export function isThinking(transcript, run) {
  if (!transcript || !run || run.status === "waiting") return false;
  const last = transcript.items.at(-1);
  if (last?.kind !== "assistant") return true;
  return last.calls.length > 0 && last.calls.every((call) => call.output !== null);
}
