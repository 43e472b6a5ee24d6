/** The chats of a project: listing, searching, choosing, renaming, pinning. The chosen one is in `location.hash`. */

import { t } from "../i18n/index.js";

const PAGE = 50;

export function createSessions(app) {
  const { store } = app;
  let paging = null; // the next page that is on its way
  const command = (type, fields) => app.connection.command(type, fields);
  const put = (session) => store.dispatch({ type: "session", session });

  /** What a person asked for: that there is no connection has to be said. */
  async function change(type, fields) {
    try {
      put(await command(type, fields));
    } catch (error) {
      throw error.code === "connection_lost" ? new Error(t("chats.offline")) : error;
    }
  }

  async function page(cursor) {
    const { sessions, next_cursor } = await command("sessions.list", { limit: PAGE, ...(cursor && { cursor }) });
    store.dispatch({ type: "sessions", sessions, cursor: next_cursor, more: Boolean(cursor) });
  }

  async function find(query, cursor = null) {
    try {
      const { sessions, next_cursor } = await command("sessions.list", { limit: PAGE, q: query, ...(cursor && { cursor }) });
      store.dispatch({ type: "search_found", query, sessions, cursor: next_cursor, more: cursor !== null });
    } catch (error) {
      if (cursor === null) store.dispatch({ type: "search_failed", query });
      else throw error;
    }
  }

  /** What follows in the list that is shown. */
  function next() {
    const { search, cursor } = store.get();
    return search.query === "" ? page(cursor) : find(search.query, search.cursor);
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
    /** The first page, those that wait for a person and the one that is open, wherever they stand in the list. */
    async list(waiting = []) {
      await page(null);
      const { selected, sessions } = store.get();
      const wanted = new Set([...waiting.map((status) => status.session_id), selected]);
      await Promise.all([...wanted].map((id) => (id === null || sessions[id] ? null : refresh(id))));
    },
    /** Asked for again while it is on its way, it comes once. */
    more() {
      paging ??= next().finally(() => (paging = null));
      return paging;
    },
    /** @param {string} query  empty: all chats again */
    search(query) {
      store.dispatch({ type: "search", query });
      return query === "" ? null : find(query);
    },
    rename: (sessionId, title) => change("sessions.rename", { session_id: sessionId, title }),
    pin: (sessionId, pinned) => change(pinned ? "sessions.pin" : "sessions.unpin", { session_id: sessionId }),
  };
}
