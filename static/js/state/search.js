/**
 * The search over chats: what the server found in titles and messages, and what the known titles say before it has answered. Pure.
 *
 * @typedef {Object} Search
 * @property {string} query       empty: nobody searches
 * @property {"idle"|"asking"|"answered"|"failed"} state
 * @property {Object<string, Object>} found  sessions by their id, also those that the list does not hold
 * @property {string|null} cursor of the next page of matches
 */

import { without } from "./model.js";

/** What was found before stands until the answer to the new words is here. @param {import("./model.js").State} state */
export function searched(state, { query }) {
  const search = query === "" ? { query, state: "idle", found: {}, cursor: null } : { ...state.search, query, state: "asking", cursor: null };
  return { ...state, search };
}

/** An answer to other words than the present ones says nothing. */
export function found(state, { query, sessions, cursor, more }) {
  if (query !== state.search.query) return state;
  const fresh = Object.fromEntries(sessions.map((session) => [session.session_id, session]));
  return { ...state, search: { query, state: "answered", found: { ...(more && state.search.found), ...fresh }, cursor: cursor ?? null } };
}

export function searchFailed(state, { query }) {
  if (query !== state.search.query) return state;
  return { ...state, search: { ...state.search, state: "failed", found: {}, cursor: null } };
}

export function forgetFound(search, id) {
  return search.found[id] ? { ...search, found: without(search.found, id) } : search;
}

/** The chats to show: found ones as the feed knows them now, and those whose title matches. @returns {Object[]} in no order */
export function matching(state) {
  const { query, found: matches } = state.search;
  const words = folded(query);
  const byTitle = Object.values(state.sessions).filter((session) => folded(session.title).includes(words));
  const all = { ...matches, ...Object.fromEntries(byTitle.map((session) => [session.session_id, session])) };
  return Object.values(all).map((session) => state.sessions[session.session_id] ?? session);
}

/** Full and half width, capitals and small letters are the same to who searches. */
const folded = (text) => String(text).normalize("NFKC").toLowerCase();
