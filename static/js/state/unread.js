/**
 * What a person has not looked at yet. Pure.
 *
 * @typedef {Object} Seen
 * @property {string} since   ISO 8601: a chat that is not in `chats` is unread if its last message is newer
 * @property {Object<string, {count: number, at: string}>} chats  `message_count` and `last_message_at` when it was last looked at, the newest look last
 */

const MOST = 300; // chats that are remembered one by one

/** @param {Seen} seen @param {Object} session  ChatSession */
export function isUnread(seen, session) {
  const known = seen.chats[session.session_id];
  if (known) return session.message_count > known.count;
  return session.message_count > 0 && isLater(session.last_message_at, seen.since);
}

/** Somebody looks at the chat as it is now. @returns {Seen} the same object if that is nothing new */
export function looked(seen, session) {
  const known = seen.chats[session.session_id];
  if (known?.count === session.message_count) return seen;
  const { [session.session_id]: _, ...others } = seen.chats;
  const look = { count: session.message_count, at: session.last_message_at };
  return bounded({ ...seen, chats: { ...others, [session.session_id]: look } });
}

/** The oldest looks are forgotten; that their chats were read is remembered by the date. */
function bounded(seen) {
  const looks = Object.entries(seen.chats);
  if (looks.length <= MOST) return seen;
  const gone = looks.slice(0, looks.length - MOST);
  const since = gone.reduce((latest, [, { at }]) => (isLater(at, latest) ? at : latest), seen.since);
  return { since, chats: Object.fromEntries(looks.slice(-MOST)) };
}

const isLater = (a, b) => Date.parse(a ?? "") > Date.parse(b);
