/** What a person has typed about a question: it stays while another chat is looked at, and over a reload. */

import { useApp, useCell, useStore } from "../lib/store.js";

const NOTHING = {};

/**
 * @param {string} id  of the call or the prompt
 * @returns {{value: import("../../app/drafts.js").Answer, patch: (fields: Object) => void, forget: () => void, forgetTaken: () => void}}
 */
export function useAnswer(id) {
  const { drafts } = useApp();
  const sessionId = useStore((state) => state.selected);
  const cell = drafts.answer(sessionId, id);
  const value = useCell(cell) ?? NOTHING;
  return {
    value,
    patch: (fields) => cell.set({ ...cell.get(), ...fields }),
    forget: () => cell.set(null),
    /** The question is closed. */
    forgetTaken: () => cell.get()?.taken && cell.set(null),
  };
}

/** Takes a decision. Unless it fails, what was typed beside it is no unsent edit: it goes with the question. */
export async function decideWith(answer, decide) {
  answer.patch({ sent: true });
  try {
    await decide();
    answer.patch({ taken: true });
  } catch (error) {
    answer.patch({ sent: false });
    throw error;
  }
}
