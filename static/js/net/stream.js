/** A line for where WebSockets are blocked: events come as server-sent events, commands go by REST. Frames as on a socket. */

import { JSON_TEXT, readFrame } from "./codecs.js";
import { refusalOf, requestOf } from "./rest_commands.js";
import { SILENT, UNREADABLE, placeText } from "./socket.js";
import { createSseParser } from "./sse.js";
import { createWatchdog } from "./watchdog.js";

const OPENING = 8000; // ms until hello
const ENDED = 1006;
/** Why the server ends a stream, as the socket's close codes say it. */
const FAREWELLS = { token_expired: 4401, project_not_opened: 4403, shutting_down: 1001 };

/** @param {string} prefix  the project's chat routes @returns {(options: import("./socket.js").LineOptions) => import("./socket.js").Line} */
export function streamLine(prefix, fetch = globalThis.fetch.bind(globalThis)) {
  return ({ resume, onFrame, onClose }) => openStream(prefix, fetch, resume, onFrame, onClose);
}

function openStream(prefix, fetch, resume, onFrame, onClose) {
  const reading = new AbortController();
  const watchdog = createWatchdog(() => close(SILENT), OPENING);
  let farewell = ENDED;

  function close(code = 1000) {
    if (reading.signal.aborted) return;
    reading.abort();
    watchdog.stop();
    onClose(code);
  }

  function receive(data) {
    if (reading.signal.aborted) return;
    const frame = readFrame(JSON_TEXT, data);
    if (!frame) close(UNREADABLE);
    else if (frame.type === "error" && frame.seq === undefined) farewell = FAREWELLS[frame.code] ?? ENDED;
    else onFrame(frame);
  }

  async function read() {
    const headers = resume ? { "Last-Event-ID": placeText(resume) } : {};
    const response = await fetch(`${prefix}/events`, { headers, cache: "no-store", signal: reading.signal });
    if (!response.ok) return;
    const parse = createSseParser();
    for await (const text of texts(response.body)) {
      watchdog.heard();
      // a fault of who listens is not the line's: it must neither end it nor be taken for its end
      for (const data of parse(text)) queueMicrotask(() => receive(data));
    }
  }

  read().then(() => close(farewell), () => close(ENDED));
  return {
    close,
    /** Results come also after `close`: a request that is under way has reached the server. */
    send: ({ id, type, ...fields }) => perform(prefix, fetch, type, fields).then((answer) => onFrame({ type: "result", id, ...answer })),
    expect: watchdog.expect,
    overdue: watchdog.overdue,
  };
}

async function* texts(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** @returns {Promise<{ok: true, result: any}|{ok: false, error: Object}>} */
async function perform(prefix, fetch, type, fields) {
  const request = requestOf(type, fields);
  if (!request) return { ok: false, error: { code: "unknown_command", message: `There is no command ${type} without a WebSocket.` } };
  try {
    return await ask(prefix, fetch, request);
  } catch (fault) {
    return { ok: false, error: { code: "connection_lost", message: fault.message, details: null } };
  }
}

async function ask(prefix, fetch, { method, path, body, answer }) {
  const given = body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  const abandon = new AbortController();
  const response = await fetch(prefix + path, { method, cache: "no-store", signal: abandon.signal, ...given });
  if (response.ok && response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
    abandon.abort();
    return { ok: true, result: answer({ headers: response.headers, value: null }) };
  }
  const value = parsed(await response.text());
  return response.ok ? { ok: true, result: answer({ headers: response.headers, value }) } : { ok: false, error: refusalOf(response.status, value) };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
