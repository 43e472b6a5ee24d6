/** What a person has typed and not sent: messages per chat, answers to questions per call. It outlives another chat and a reload. */

import { createShelf } from "./shelf.js";

const MESSAGES = 100;
const ANSWERS = 50;

/**
 * @typedef {Object} Answer   what was typed about a call that a person is asked about
 * @property {boolean} [editing]   the editor is open
 * @property {import("../state/edit.js").Draft} [draft]
 * @property {boolean} [rejecting] the reason is asked for
 * @property {string} [reason]
 * @property {string[]} [left]     of a prompt: the calls that are not meant by a decision about several
 * @property {boolean} [sent]      a decision is on its way, or
 * @property {boolean} [taken]     it was taken: a draft beside it is no unsent edit
 */

export function createDrafts({ store }) {
  const messages = createShelf("copilot.draft.", MESSAGES);
  const answers = createShelf("copilot.answer.", ANSWERS);

  function place() {
    const { userId, projectId } = store.get();
    return `${userId}.${projectId}`;
  }

  return {
    /** The message of a chat, or the one that is to stand for an older one. @returns {import("../state/store.js").Cell<string|null>} */
    message: (sessionId, replaced = null) => messages.cell([place(), sessionId ?? "new", replaced].filter(Boolean).join(".")),
    /** @param {string} id  of a call or of a prompt @returns {import("../state/store.js").Cell<Answer|null>} */
    answer: (sessionId, id) => answers.cell(`${place()}.${sessionId}.${id}`),
  };
}
