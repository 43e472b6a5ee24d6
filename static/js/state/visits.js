/** Which chats were looked at last: their transcripts stay, so that switching is instant; of the others only some do. Pure. */

import { without } from "./model.js";

const MOST = 20; // transcripts that are kept

/** @param {import("./model.js").State} state */
export function visited(state, id) {
  const visits = id === null ? state.visits : [...state.visits.filter((one) => one !== id), id];
  return trimmed({ ...state, visits });
}

/** Drops the transcripts that nobody looked at for the longest time, never one that is needed. */
export function trimmed(state) {
  const held = Object.keys(state.transcripts);
  const over = held.length - MOST;
  if (over <= 0) return state;
  const idle = held.filter((id) => isIdle(state, id)).sort((a, b) => state.visits.indexOf(a) - state.visits.indexOf(b));
  return idle.slice(0, over).reduce(dropped, state);
}

/** Nothing happens there, and nothing in it is known to this page alone. */
function isIdle(state, id) {
  return id !== state.selected && !state.runs[id] && !state.asking[id]?.prompt && state.transcripts[id].outbox.length === 0;
}

/** History brings all of it back, decisions too. */
function dropped(state, id) {
  return {
    ...state,
    transcripts: without(state.transcripts, id),
    asking: without(state.asking, id),
    visits: state.visits.filter((one) => one !== id),
  };
}
