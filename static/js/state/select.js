/** What views read from the state. */

/** Pinned first, then the newest. */
export function sortedSessions(state) {
  return Object.values(state.sessions).sort((a, b) =>
    Number(b.pinned) - Number(a.pinned) || String(b.updated_at).localeCompare(String(a.updated_at)));
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
  return Object.values(state.asking).filter((one) => one.prompt !== null).length;
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
  if (last.calls.some((call) => call.output === null)) return false;
  return last.calls.length > 0 || !last.partial;
}
