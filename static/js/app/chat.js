/** Sending and stopping. A message is sent again once after a lost connection: its id makes that harmless. */

import { newId } from "./ids.js";

export function createChat(app) {
  const { store } = app;

  async function deliver(fields, attempts = 2) {
    const connection = app.connection;
    await connection.ready();
    try {
      return await connection.command("chat.send", fields);
    } catch (error) {
      if (error.code !== "connection_lost" || attempts === 1) throw error;
      return deliver(fields, attempts - 1);
    }
  }

  async function sendTo(sessionId, text, onBusy = "enqueue") {
    const clientMessageId = newId();
    store.dispatch({ type: "send", sessionId, clientMessageId, text });
    if (store.get().selected !== sessionId) app.sessions.open(sessionId);
    const fields = { message: text, session_id: sessionId, client_message_id: clientMessageId, on_busy: onBusy };
    try {
      const result = await deliver(fields);
      store.dispatch({ type: "send_accepted", sessionId, clientMessageId, result });
    } catch (error) {
      store.dispatch({ type: "send_failed", sessionId, clientMessageId, error });
    }
  }

  function drop(entry) {
    store.dispatch({ type: "send_dropped", sessionId: store.get().selected, clientMessageId: entry.client_message_id });
  }

  return {
    /** To the chosen session, or to a new one. */
    send: (text) => sendTo(store.get().selected ?? newId(), text),
    /** @param {"enqueue"|"interrupt"} [onBusy] */
    retry(entry, onBusy) {
      drop(entry);
      return sendTo(store.get().selected, entry.text, onBusy);
    },
    drop,
    async stop() {
      const sessionId = store.get().selected;
      await app.connection.command("chat.stop", { session_id: sessionId });
      store.dispatch({ type: "stop_accepted", sessionId });
    },
  };
}
