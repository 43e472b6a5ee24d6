/** The chats of a project: listing, choosing, renaming, pinning, deleting. The chosen one is in `location.hash`. */

const PAGE = 50;

export function createSessions(app) {
  const { store } = app;
  const command = (type, fields) => app.connection.command(type, fields);
  const put = (session) => store.dispatch({ type: "session", session });

  async function page(cursor) {
    const { sessions, next_cursor } = await command("sessions.list", cursor ? { limit: PAGE, cursor } : { limit: PAGE });
    store.dispatch({ type: "sessions", sessions, cursor: next_cursor, more: Boolean(cursor) });
  }

  async function refresh(sessionId) {
    try {
      put(await command("sessions.get", { session_id: sessionId }));
    } catch (error) {
      if (error.code !== "not_found" && error.code !== "connection_lost") throw error;
    }
  }

  function select(sessionId) {
    if (store.get().selected === sessionId) return;
    store.dispatch({ type: "selected", sessionId });
    if (sessionId === null) return;
    if (!store.get().transcripts[sessionId]?.loaded) app.history.load(sessionId);
  }

  /** Puts the choice into the address; `hashchange` does the rest. */
  function open(sessionId) {
    location.hash = sessionId ?? "";
    select(sessionId);
  }

  /** The address names a session that does not exist: an empty chat instead, unless it is just being made. */
  function missing(sessionId) {
    const state = store.get();
    if (state.selected === sessionId && !state.transcripts[sessionId]?.outbox.length) open(null);
  }

  return {
    open,
    select,
    refresh,
    missing,
    /** The first page, and those that wait for a person, wherever they stand in the list. */
    async list(waiting = []) {
      await page(null);
      await Promise.all(waiting.map(({ session_id: id }) => (store.get().sessions[id] ? null : refresh(id))));
    },
    more: () => page(store.get().cursor),
    rename: async (sessionId, title) => put(await command("sessions.rename", { session_id: sessionId, title })),
    pin: async (sessionId, pinned) => put(await command(pinned ? "sessions.pin" : "sessions.unpin", { session_id: sessionId })),
    async remove(sessionId) {
      await command("sessions.delete", { session_id: sessionId });
      store.dispatch({ type: "session_gone", sessionId });
      if (location.hash.slice(1) === sessionId) open(null);
    },
  };
}
