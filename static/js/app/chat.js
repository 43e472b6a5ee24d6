/** Sending and stopping. What a person sends goes to the outbox, which brings it to the server. */

import { t } from "../i18n/index.js";
import { newId } from "./ids.js";

/**
 * @typedef {Object} SendOptions
 * @property {"enqueue"|"interrupt"} [onBusy]  what becomes of a message while the chat is busy
 * @property {string|null} [replaces]          the user's message that it stands for: that one and all after it go
 */

export function createChat(app) {
  const { store } = app;

  /** A replaced message belongs to an idle chat: it can neither queue nor interrupt. */
  function bodyOf(sessionId, text, { onBusy = "enqueue", replaces = null }) {
    return {
      ...store.get().preferences.limits,
      message: text,
      session_id: sessionId,
      client_message_id: newId(),
      ...(replaces ? { replaces_message_id: replaces, on_busy: "reject" } : { on_busy: onBusy }),
    };
  }

  /** @param {SendOptions} [options] @returns {boolean} whether it was taken */
  function sendTo(sessionId, text, options = {}) {
    const taken = app.outbox.post(bodyOf(sessionId, text, options));
    if (!taken) app.toasts.show(t("composer.too_many"));
    else if (store.get().selected !== sessionId) app.sessions.open(sessionId);
    return taken;
  }

  function drop(entry) {
    app.outbox.forget(entry.client_message_id);
    store.dispatch({ type: "send_dropped", sessionId: store.get().selected, clientMessageId: entry.client_message_id });
  }

  return {
    /** To the chosen session, or to a new one. @param {SendOptions} [options] */
    send: (text, options) => sendTo(store.get().selected ?? newId(), text, options),
    /** The same message or another text in the place of a user's message, and a new answer. */
    replace: (messageId, text) => sendTo(store.get().selected, text, { replaces: messageId }),
    /** A message that was refused, once more. @param {"enqueue"|"interrupt"} [onBusy] */
    retry(entry, onBusy) {
      drop(entry);
      return sendTo(store.get().selected, entry.text, { onBusy, replaces: entry.replaces });
    },
    drop,
    /** Also what is on its way: a message that the server does not know yet cannot be stopped there. */
    async stop() {
      const sessionId = store.get().selected;
      await app.outbox.flush();
      await app.connection.command("chat.stop", { session_id: sessionId });
      store.dispatch({ type: "stop_accepted", sessionId });
    },
  };
}
