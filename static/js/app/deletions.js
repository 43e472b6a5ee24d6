/** Deleting chats so that it can be undone: the chat is hidden at once, and deleted when the word about it has gone, or the page does. */

import { t } from "../i18n/index.js";
import { api } from "../net/api.js";
import { titleOf } from "./words.js";

export function createDeletions(app) {
  const { store } = app;
  const waiting = new Map(); // session id -> {undo, commit}

  const hide = (sessionId, hidden) => store.dispatch({ type: "session_hidden", sessionId, hidden });

  async function erase(projectId, sessionId) {
    try {
      await api.deleteSession(projectId, sessionId);
    } catch (error) {
      if (error.code !== "not_found") {
        hide(sessionId, false);
        throw error;
      }
    }
    if (store.get().projectId === projectId) store.dispatch({ type: "session_gone", sessionId });
  }

  function remove(sessionId) {
    const { projectId, selected, sessions } = store.get();
    hide(sessionId, true);
    if (selected === sessionId) app.sessions.open(null);

    function undo() {
      if (!waiting.delete(sessionId)) return;
      hide(sessionId, false);
      if (selected === sessionId && store.get().selected === null) app.sessions.open(sessionId);
    }

    function commit() {
      if (waiting.delete(sessionId)) app.report(erase(projectId, sessionId));
    }

    const action = { label: t("chats.undo"), run: undo };
    const close = app.toasts.show(t("chats.deleted", { title: titleOf(sessions[sessionId]) }), { tone: "info", action, gone: commit });
    waiting.set(sessionId, { undo, commit, close });
  }

  return {
    remove,
    /** Brings the last one back, if it is not too late. */
    undo() {
      const last = [...waiting.values()].at(-1);
      last?.undo();
      last?.close();
    },
    /** The page is being left. */
    flush() {
      for (const { commit } of [...waiting.values()]) commit();
    },
  };
}
