/** The socket's commands as REST requests, and REST's answers as the socket's results. Pure. */

/**
 * @typedef {{method: string, path: string, body?: Object, answer: (response: {headers: Headers, value: any}) => any}} RestRequest
 * `path` stands below the chat prefix of a project; `answer` makes the command's result.
 */

const value = (response) => response.value;
const session = (id, rest = "") => `/sessions/${encodeURIComponent(id)}${rest}`;

function query(fields) {
  const given = Object.entries(fields).filter(([, one]) => one !== undefined && one !== null);
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

/** A command of one session: `rest` of the path, the other fields as the body or the query. */
function onSession(method, rest, answer = value) {
  return ({ session_id: id, ...fields }) => {
    if (method === "GET") return { method, path: session(id, rest) + query(fields), answer };
    return { method, path: session(id, rest), body: method === "POST" || method === "PATCH" ? fields : undefined, answer };
  };
}

/** The stream that follows is not read: its events come by the feed. */
function sent({ headers }) {
  const said = (name) => headers.get(`X-${name}`);
  return { run_id: said("Run-Id"), session_id: said("Session-Id"), message_id: said("Message-Id"), status: said("Run-Status") };
}

const COMMANDS = {
  "chat.send": (fields) => ({ method: "POST", path: "/stream", body: fields, answer: sent }),
  "chat.stop": onSession("POST", "/abort", ({ value: { session_id } }) => ({ session_id, stopped: null })),
  "run.limits": onSession("POST", "/limits"),
  "run.undo": ({ run_id: id }) => ({ method: "POST", path: `/runs/${encodeURIComponent(id)}/undo`, answer: value }),
  "hitl.status": onSession("GET", "/hitl-status"),
  "hitl.confirm": onSession("POST", "/hitl/confirm"),
  "hitl.reject": onSession("POST", "/hitl/reject"),
  "hitl.modify": onSession("POST", "/hitl/modify"),
  "hitl.history": onSession("GET", "/hitl/history"),
  "sessions.list": (fields) => ({
    method: "GET",
    path: `/sessions${query(fields)}`,
    answer: ({ headers, value: sessions }) => ({ sessions, next_cursor: headers.get("X-Next-Cursor") }),
  }),
  "sessions.get": onSession("GET", ""),
  "sessions.history": onSession("GET", "/history"),
  "sessions.rename": onSession("PATCH", ""),
  "sessions.pin": onSession("PUT", "/pin"),
  "sessions.unpin": onSession("DELETE", "/pin"),
  "sessions.delete": onSession("DELETE", "", () => ({})),
};

/** @returns {RestRequest|null} null for what REST does not have */
export function requestOf(type, fields) {
  return Object.hasOwn(COMMANDS, type) ? COMMANDS[type](fields) : null;
}

/** What a refusal says, in the socket's shape. One without a code comes from something between us and the server. */
export function refusalOf(status, body) {
  if (typeof body?.code === "string") return { code: body.code, message: body.message, details: body.details ?? null };
  return { code: "connection_lost", message: `The server could not be reached (${status}).`, details: null };
}
