/**
 * Compares what a page shows that was there all the time with what one shows that comes now. A line on standard input is
 * {actions, hello, sessions, conversations: {<session id>: {pages, prompts, prompt?}|null}}: what the first page got and did,
 * and what REST and a new connection say. The line that answers it is {differences: [{what, page, rest}], again: [session id]}.
 */

import { isDeepStrictEqual } from "node:util";
import { createInterface } from "node:readline";
import { initialState, reducer } from "../../static/js/state/reducer.js";
import { sortedSessions } from "../../static/js/state/select.js";

const run = (actions, state = initialState()) => actions.reduce(reducer, state);

const ALL = new Set(["hello", "sessions"]);

/** The session that an action is about, null: none, or all of them. */
const sessionOf = ({ event, session, sessionId = null }) => event?.session_id ?? session?.session_id ?? sessionId;

/** What a page does to read a conversation. */
const reading = (sessionId, { pages: [newest, ...older], prompts }) => [
  { type: "history_requested", sessionId, request: 0 },
  { type: "history_loaded", sessionId, request: 0, history: newest },
  ...older.map((history) => ({ type: "history_older", sessionId, history })),
  ...recalling(sessionId, prompts),
];

const recalling = (sessionId, history) => [{ type: "asked_before", sessionId, history }];

/** What changed arguments are is not in the feed: a page reads them (`app/link.js`). */
const isChanged = ({ event }) => event?.type === "hitl_resolved" && event.decisions.some((one) => one.decision === "modified");

/** `told`: what the feed alone says, before anything is read because of it. */
function stayed(actions, id, conversation) {
  const own = actions.filter((action) => ALL.has(action.type) || sessionOf(action) === id);
  const told = run(own);
  if (conversation === null) return { state: told, told, again: false };
  const again = told.transcripts[id]?.stale === true;
  const more = again ? reading(id, conversation) : own.some(isChanged) ? recalling(id, conversation.prompts) : [];
  return { state: run(more, told), told, again };
}

function came(hello, sessions, id, conversation) {
  const pending = conversation?.prompt ? [conversation.prompt] : [];
  const now = { type: "hello", hello: { ...hello, recovered: null, pending_hitl: pending } };
  return run([now, { type: "sessions", sessions }, ...(conversation === null ? [] : reading(id, conversation))]);
}

/** How far a call has come is told by events alone. */
const settled = (item) => ({ ...item, ...(item.calls && { calls: item.calls.map((call) => ({ ...call, progress: null })) }) });

/** What a person sees of a conversation. `status` of a session is what is told of its run. */
function shown(state, id) {
  const { status, ...session } = state.sessions[id] ?? {};
  const transcript = state.transcripts[id];
  return {
    items: transcript?.items.map(settled) ?? [],
    hasMore: transcript?.hasMore ?? false,
    asking: state.asking[id] ?? null,
    session,
    status: state.runs[id]?.status ?? "idle",
  };
}

const decided = (state, id) => Object.entries(state.asking[id]?.decisions ?? {}).map(([call, { args, ...said }]) => [call, said]).sort();

function differences(what, page, rest) {
  return Object.keys(page).filter((key) => !isDeepStrictEqual(page[key], rest[key]))
    .map((key) => ({ what: `${what}: ${key}`, page: page[key], rest: rest[key] }));
}

function compared({ actions, hello, sessions, conversations }) {
  const again = [];
  const found = Object.entries(conversations).flatMap(([id, conversation]) => {
    const page = stayed(actions, id, conversation);
    if (page.again) again.push(id);
    const late = came(hello, sessions, id, conversation);
    const status = sessions.find((session) => session.session_id === id)?.status ?? "idle";
    return differences(id,
      { ...shown(page.state, id), decided: decided(page.told, id) },
      { ...shown(late, id), decided: decided(late, id), status });
  });
  return { differences: [...found, ...differences("the list", ...order(run(actions), sessions))], again };
}

/** The chats that the page knows, as it sorts them and as the server does. */
function order(state, sessions) {
  const known = sessions.map((session) => session.session_id).filter((id) => state.sessions[id]);
  return [{ order: sortedSessions(state).map((session) => session.session_id) }, { order: known }];
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(compared(JSON.parse(line)))}\n`);
}
