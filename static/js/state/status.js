/** What the page says of its connection. Pure. */

const WORDS = new Map([[true, "status.caught_up"], [false, "status.reloaded"], [null, null]]);

/** What is worth a word for a while after a hello: its text's key, or null. @param {import("./model.js").State["greeting"]} greeting */
export const wordOf = ({ recovered }) => WORDS.get(recovered) ?? null;

/**
 * @param {Pick<import("./model.js").State, "connection"|"link">} state
 * @param {boolean} online  whether the browser has a network; a server on the same machine needs none, so it decides nothing
 * @param {string|null} word
 * @returns {string} a text's key
 */
export function statusOf({ connection, link }, online, word) {
  if (connection === "connected") return word ?? (link.way === "stream" ? "status.stream" : "status.connected");
  if (connection === "idle") return "status.idle";
  if (link.retryAt !== null && !online) return "status.offline";
  return link.stopping ? "status.stopping" : `status.${connection}`;
}
