/**
 * The shapes of the page's state. Everything here is plain data: no DOM, no sockets.
 *
 * @typedef {"writing"|"ready"|"running"|"success"|"error"|"rejected"|"replaced"|"expired"|"limited"|"stopped"|"unknown"} CallState
 *
 * @typedef {Object} ToolCall
 * @property {string} id
 * @property {string} name
 * @property {string} args         JSON text of the model's arguments, all of it that has come so far
 * @property {string|null} executed  JSON text of the arguments that ran, where a person changed them
 * @property {boolean} complete    whether `args` is all there is
 * @property {CallState} state
 * @property {{done: number, total: number, message: string, device: string|null}|null} progress
 * @property {string|null} output
 * @property {number|null} duration  milliseconds
 *
 * @typedef {Object} UserItem     a message of a person, and how the run that answers it ended
 * @property {"user"} kind
 * @property {string} id
 * @property {string} text
 * @property {string|null} runId
 * @property {"completed"|"stopped"|"failed"|"limited"|null} outcome  null: it goes on, or nobody knows
 * @property {{code: string|null, message: string}|null} error
 * @property {{limit: string, value: number, message: string}[]} limits  those that were reached
 * @property {Object|null} usage   the tokens of the run, once it has ended
 * @property {number|null} duration  milliseconds, once it has ended
 * @property {boolean} undoable    `run.undo` can put back what the run changed
 *
 * @typedef {Object} AssistantItem
 * @property {"assistant"} kind
 * @property {string} id
 * @property {string} text
 * @property {string} reasoning
 * @property {boolean} partial     its model call goes on
 * @property {boolean} incomplete  it broke off: none of its calls ran
 * @property {boolean} cut         a limit of length ended it
 * @property {ToolCall[]} calls
 *
 * @typedef {UserItem|AssistantItem} Item
 *
 * @typedef {Object} Outgoing   a message of this page that its run has not taken up yet
 * @property {string} client_message_id
 * @property {string|null} message_id
 * @property {string} text
 * @property {"waiting"|"sending"|"sent"|"queued"|"failed"} state  `waiting`: for a connection
 * @property {string|null} error
 * @property {string|null} code   of the error
 * @property {string|null} replaces  the id of the user's message that it stands for, which goes with all that came after it
 *
 * @typedef {Object} Prompt       an open question to a person about the calls of one answer
 * @property {string} id          its `hitl_session_id`
 * @property {string} sessionId
 * @property {string|null} expiresAt
 * @property {number} timeout     seconds, 0: none
 * @property {Object<string, Object>} tools  the undecided calls (PendingTool of the protocol) by their id
 *
 * @typedef {Object} Decision
 * @property {"confirmed"|"rejected"|"modified"|"expired"|"cancelled"} decision
 * @property {string} by
 * @property {string|null} reason
 * @property {Object|null} args   what a person made of the arguments, where that is known
 *
 * @typedef {{prompt: Prompt|null, decisions: Object<string, Decision>}} Asking  what a session asks and asked
 *
 * @typedef {Object} Transcript
 * @property {boolean} loaded     `items` are the session's, up to the newest event
 * @property {boolean} loading    history was asked for; events wait in `buffer`
 * @property {number} request     the number of the last request for history
 * @property {boolean} stale      an event came that cannot be told apart from history: load it again
 * @property {string|null} epoch
 * @property {number} seq         of `epoch`: events up to this one are in `items` already
 * @property {Item[]} items
 * @property {Outgoing[]} outbox
 * @property {Object[]} buffer
 * @property {boolean} hasMore
 * @property {string|null} error  why history could not be read
 *
 * @typedef {Object} Run          a run that goes on
 * @property {string} run_id
 * @property {string} session_id
 * @property {"running"|"waiting"} status
 * @property {Object|null} usage    null: not known yet
 * @property {number|null} spent    tokens of all its model calls together; null: not known
 * @property {Object|null} limits   those in force (`run_started.limits`); null: not known yet
 * @property {Object|null} estimate of its first model call, where it was asked for
 * @property {{attempt: number, of: number, delay_seconds: number, code: string, message: string}|null} retry  what it waits for
 * @property {number|null} startedAt     ms of the server's clock
 * @property {number} waited             ms that it waited for people
 * @property {number|null} waitingSince  ms
 *
 * @typedef {{running: boolean, targets: string[]}} Work  a call of a live run: names and ids of what it touches
 *
 * @typedef {Object} State
 * @property {import("../net/connection.js").Status} connection
 * @property {import("../net/connection.js").Link} link
 * @property {{recovered: boolean|null}} greeting  the last hello: null for a first one, true if it went on where it was,
 *   false if history had to be read again
 * @property {{epoch: string|null, seq: number}} feed
 * @property {Object[]} projects
 * @property {string|null} projectId
 * @property {string|null} userId   who this page talks for, from `hello`
 * @property {{max_message?: number}} limits  what this server takes, from `hello`
 * @property {Object<string, Object>} sessions
 * @property {string|null} cursor   of the next page of sessions
 * @property {Object<string, boolean>} touched  sessions that events changed since hello: newer than a list under way
 * @property {boolean} listed       the first page of sessions is here
 * @property {Object<string, Transcript>} transcripts
 * @property {Object<string, Run>} runs   the live run of each session that has one
 * @property {Object<string, Object<string, Work>>} work  by session and call, as far as the feed told it
 * @property {Object<string, Asking>} asking  by session, where anything was asked
 * @property {string|null} selected
 * @property {Object<string, boolean>} hidden  sessions that are about to be deleted: that can still be undone
 * @property {import("./search.js").Search} search
 * @property {string[]} visits  the sessions that were looked at, the last one last
 * @property {{nodes: Object[], links: Object[], error: string|null}|null} lab
 * @property {{language: string|null, theme: "auto"|"light"|"dark", notifications: boolean, limits: Object}} preferences
 */

const NO_PREFERENCES = { language: null, theme: "auto", notifications: false, limits: {} };
const NO_LINK = { way: "socket", retryAt: null, stopping: false };
export const NO_GREETING = { recovered: null };

/** @returns {State} */
export function initialState() {
  return { connection: "connecting", link: NO_LINK, greeting: NO_GREETING, projects: [], lab: null, projectId: null, userId: null, limits: {}, preferences: NO_PREFERENCES, ...emptyChats() };
}

/** What belongs to one project and goes when another is chosen. */
export function emptyChats() {
  return {
    feed: { epoch: null, seq: 0 },
    sessions: {},
    cursor: null,
    touched: {},
    listed: false,
    transcripts: {},
    runs: {},
    work: {},
    asking: {},
    selected: null,
    hidden: {},
    search: { query: "", state: "idle", found: {}, cursor: null },
    visits: [],
  };
}

/** @returns {Transcript} */
export function emptyTranscript(loaded = false) {
  return {
    loaded, loading: false, request: 0, stale: false, epoch: null, seq: 0,
    items: [], outbox: [], buffer: [], hasMore: false, error: null,
  };
}

/** A copy of `map` without `key`. */
export function without(map, key) {
  const { [key]: _, ...rest } = map;
  return rest;
}
