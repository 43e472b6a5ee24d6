/** The keys of the message field. */

import { lastMessage } from "../../state/composing.js";

/** Each says whether it was its key. */
const KEYS = {
  Enter({ shiftKey, ctrlKey, metaKey }, { submit, send }) {
    if (shiftKey) return false;
    if (ctrlKey || metaKey) send("interrupt");
    else submit();
    return true;
  },
  Escape(_, { draft }) {
    if (draft.editing) draft.clear();
    return draft.editing !== null;
  },
  ArrowUp(_, { app, draft }) {
    const state = app.store.get();
    const last = draft.text === "" && !draft.editing ? lastMessage(state) : null;
    if (last) app.editing.set({ sessionId: state.selected, messageId: last.id, text: last.text });
    return last !== null;
  },
};

/** Keys that an input method takes for itself: Enter chooses a word there. */
const isComposing = (event) => event.isComposing || event.keyCode === 229;

/** @param {KeyboardEvent} event @param {Object} writing  `app`, `draft`, `submit`, `send` */
export function onFieldKey(event, writing) {
  if (!isComposing(event) && KEYS[event.key]?.(event, writing)) event.preventDefault();
}
