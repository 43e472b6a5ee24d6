/** Reads a session's history into the state. */

import { said } from "./words.js";

const LIMIT = 100;

export function createHistory(app) {
  let requests = 0;

  /** The last messages; events that come meanwhile wait in the reducer. */
  async function load(sessionId) {
    const request = ++requests;
    app.store.dispatch({ type: "history_requested", sessionId, request });
    try {
      const connection = app.connection;
      await connection.ready();
      const history = await connection.command("sessions.history", { session_id: sessionId, limit: LIMIT });
      app.store.dispatch({ type: "history_loaded", sessionId, request, history });
      if (history.messages.some((message) => message.role === "tool")) app.report(app.hitl.recall(sessionId));
    } catch (error) {
      if (error.code !== "connection_lost") app.store.dispatch({ type: "history_failed", sessionId, request, error: { code: error.code, message: said(error) } });
      if (error.code === "not_found") app.sessions.missing(sessionId);
    }
  }

  async function loadOlder(sessionId) {
    const first = app.store.get().transcripts[sessionId]?.items[0];
    if (!first) return;
    const fields = { session_id: sessionId, limit: LIMIT, before: first.id };
    const history = await app.connection.command("sessions.history", fields);
    app.store.dispatch({ type: "history_older", sessionId, history });
  }

  return { load, loadOlder };
}
