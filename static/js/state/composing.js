/** What becomes of a message that is sent now. Pure. */

import { currentProject, currentRun, currentTranscript, promptOf } from "./select.js";

/**
 * @typedef {"none"|"closed"|"idle"|"offline"|"running"|"asks"|"editing"|"editing_busy"} Mode
 *   `none`, `closed`: no project, or a closed one, has a chat to write to; `offline`: it is kept until there is a connection; `running`: it queues or interrupts;
 *   `asks`: it withdraws the open question; `editing`: it stands for an older message, which takes an idle chat
 */

/** @param {import("./model.js").State} state @param {boolean} editing @returns {Mode} */
export function modeOf(state, editing) {
  const project = currentProject(state);
  if (project?.status !== "opened") return project ? "closed" : "none";
  const run = currentRun(state);
  if (editing) return run ? "editing_busy" : "editing";
  if (state.connection === "reconnecting") return "offline";
  if (promptOf(state, state.selected)) return "asks";
  return run ? "running" : "idle";
}

/** Whether a mode takes a message. */
export const takes = (mode) => mode !== "none" && mode !== "closed";

const NEAR = 0.9; // of the most that a message may have: from here on its length is said

/**
 * @param {number|undefined} most  characters
 * @returns {number|null} how many are left, less than 0 if there are too many; null while that is no matter
 */
export function charactersLeft(text, most) {
  if (!most || text.length < most * NEAR) return null;
  const left = most - [...text].length; // the server counts characters, `length` halves of some
  return left <= most * (1 - NEAR) ? left : null;
}

/** What a person may change next: none while a later message is on its way or waits. It is sent when its answer has ended. */
export function lastMessage(state) {
  const { items = [], outbox = [] } = currentTranscript(state) ?? {};
  if (outbox.some((entry) => entry.state !== "failed")) return null;
  return items.findLast((item) => item.kind === "user") ?? null;
}
