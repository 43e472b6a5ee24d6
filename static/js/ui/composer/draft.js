/** The text in the field: the chat's draft, or the older message that is being edited. */

import { useApp, useCell, useStore } from "../lib/store.js";

/**
 * @typedef {Object} MessageDraft
 * @property {string} about   what the text belongs to
 * @property {{sessionId: string, messageId: string, text: string}|null} editing
 * @property {string} text
 * @property {(text: string) => void} write
 * @property {() => void} clear  it is sent, or not wanted any more
 *
 * @returns {MessageDraft}
 */
export function useDraft() {
  const app = useApp();
  const selected = useStore((state) => state.selected);
  useStore((state) => `${state.userId} ${state.projectId}`); // whose drafts they are
  const open = useCell(app.editing);
  const editing = open?.sessionId === selected ? open : null;
  const cell = app.drafts.message(selected, editing?.messageId);
  return {
    about: `${selected} ${editing?.messageId ?? ""}`,
    editing,
    text: useCell(cell) ?? editing?.text ?? "",
    write: (text) => cell.set(editing ? text : text || null),
    clear() {
      cell.set(null);
      if (editing) app.editing.set(null);
    },
  };
}
