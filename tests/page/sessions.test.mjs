/** Chats in the sidebar: order, search, unread marks, what stays loaded, what is told outside of the page. Run: node --test tests/page/ */

import assert from "node:assert/strict";
import { test } from "node:test";

import { endedNotice, noticeOf } from "../../static/js/state/notices.js";
import { initialState, reducer } from "../../static/js/state/reducer.js";
import { listedSessions, pageTitle, sessionRows, sortedSessions } from "../../static/js/state/select.js";
import { isUnread, looked } from "../../static/js/state/unread.js";

const act = (state, ...actions) => actions.reduce(reducer, state);
const session = (id, fields = {}) => ({ session_id: id, title: id, pinned: false, message_count: 2, updated_at: "2026-01-01T00:00:00.000+00:00", ...fields });
const list = (...sessions) => ({ type: "sessions", sessions, cursor: null, more: false });
const hello = (fields = {}) => ({ type: "hello", hello: { epoch: "e", seq: 0, recovered: null, runs: [], user_id: "local", ...fields } });
const ids = (sessions) => sessions.map((one) => one.session_id);
const titles = (state) => ids(listedSessions(state));
const asks = (id, seq) => ({ type: "event", event: { type: "hitl_required", session_id: id, run_id: `r-${id}`, seq, hitl_session_id: `h-${id}`, pending_tools: [{ tool_call_id: "c" }] } });

test("views get the same list until a session changes", () => {
  const state = act(initialState(), hello(), list(session("a"), session("b", { pinned: true }), session("c", { updated_at: "2026-02-01T00:00:00.000+00:00" })));
  assert.deepEqual(ids(sortedSessions(state)), ["b", "c", "a"]);
  const other = act(state, { type: "connection", status: "reconnecting" });
  assert.equal(sortedSessions(other), sortedSessions(state));
  assert.equal(sessionRows(other), sessionRows(state));
});

test("chats that were changed in the same moment stand as in the server's list: the greater id first", () => {
  const state = act(initialState(), hello(), list(session("x", { id: "1" }), session("y", { id: "3" }), session("z", { id: "2" })));
  assert.deepEqual(ids(sortedSessions(state)), ["y", "z", "x"]);
});

test("a hidden chat is out of sight, also for the title, and comes back untouched", () => {
  const state = act(initialState(), hello(), list(session("a"), session("b")), asks("a", 1));
  assert.equal(pageTitle(state, "Page"), "(1) Page");
  const hidden = act(state, { type: "session_hidden", sessionId: "a", hidden: true });
  assert.deepEqual(titles(hidden), ["b"]);
  assert.equal(pageTitle(hidden, "Page"), "Page");
  assert.deepEqual(act(hidden, { type: "session_hidden", sessionId: "a", hidden: false }), state);
});

test("what the server answers late does not undo what an event has said", () => {
  const renamed = { type: "event", event: { type: "session_updated", session_id: "a", seq: 1, session: session("a", { title: "new" }) } };
  const state = act(initialState(), hello(), list(session("a")), renamed, { type: "session", session: session("a", { title: "old" }) });
  assert.equal(state.sessions.a.title, "new");
});

test("what the server answers late does not bring a deleted chat back", () => {
  const deleted = { type: "event", event: { type: "session_deleted", session_id: "a", seq: 1 } };
  const state = act(initialState(), hello(), list(session("a")), deleted, { type: "session", session: session("a") });
  assert.deepEqual(titles(state), []);
});

test("rows say what runs and what waits", () => {
  const started = { type: "event", event: { type: "run_started", session_id: "a", run_id: "r", seq: 1, message_id: "u", message: "hi" } };
  const state = act(initialState(), hello(), list(session("a"), session("b")), started, asks("b", 2), { type: "selected", sessionId: "b" });
  const rows = Object.fromEntries(sessionRows(state).map(({ session: { session_id: id }, ...row }) => [id, row]));
  assert.deepEqual(rows.a, { selected: false, run: "running", waiting: 0 });
  assert.deepEqual(rows.b, { selected: true, run: null, waiting: 1 });
});

test("a search shows titles at once, then what the server found, as the feed knows it", () => {
  const known = act(initialState(), hello(), list(session("a", { title: "OSPF on R1" }), session("b", { title: "配置 OSPF 邻居" }), session("c")));
  const asking = act(known, { type: "search", query: "ｏｓｐｆ" });
  assert.deepEqual(titles(asking).sort(), ["a", "b"]);
  assert.equal(asking.search.state, "asking");
  const page = { type: "search_found", query: "ｏｓｐｆ", sessions: [session("c", { title: "old" }), session("z")], cursor: "next", more: false };
  const answered = act(asking, page);
  assert.deepEqual(titles(answered).sort(), ["a", "b", "c", "z"]);
  assert.equal(listedSessions(answered).find((one) => one.session_id === "c").title, "c");
  assert.equal(answered.search.cursor, "next");
  const gone = act(answered, { type: "event", event: { type: "session_deleted", session_id: "z", seq: 1 } });
  assert.deepEqual(titles(gone).sort(), ["a", "b", "c"]);
  const more = act(answered, { ...page, sessions: [session("y")], cursor: null, more: true });
  assert.deepEqual(titles(more).sort(), ["a", "b", "c", "y", "z"]);
  assert.deepEqual(titles(act(more, { type: "search", query: "" })).sort(), ["a", "b", "c"]);
});

test("an answer to words that are no longer there says nothing", () => {
  const state = act(initialState(), hello(), list(session("a")), { type: "search", query: "r1" }, { type: "search", query: "r12" });
  assert.equal(act(state, { type: "search_found", query: "r1", sessions: [session("z")], cursor: null }), state);
  assert.equal(act(state, { type: "search_failed", query: "r1" }), state);
  assert.equal(act(state, { type: "search_failed", query: "r12" }).search.state, "failed");
});

test("unread is what came since the last look", () => {
  const fresh = { since: "2026-01-01T00:00:00Z", chats: {} };
  const before = session("a", { last_message_at: "2025-12-31T00:00:00+00:00" });
  assert.equal(isUnread(fresh, before), false, "from before this browser knew the project");
  assert.equal(isUnread(fresh, { ...before, last_message_at: "2026-01-02T00:00:00+00:00" }), true);
  assert.equal(isUnread(fresh, session("a", { message_count: 0, last_message_at: null })), false);
  const seen = looked(fresh, before);
  assert.equal(looked(seen, before), seen);
  assert.equal(isUnread(seen, { ...before, message_count: 4 }), true);
  assert.equal(isUnread(looked(seen, { ...before, message_count: 4 }), { ...before, message_count: 4 }), false);
});

test("looks are bounded, and what was read long ago stays read", () => {
  const at = (day) => new Date(Date.UTC(2026, 0, day)).toISOString();
  const chats = Array.from({ length: 310 }, (_, n) => session(`s${n}`, { last_message_at: at(n + 2) }));
  const seen = chats.reduce(looked, { since: at(1), chats: {} });
  assert.equal(Object.keys(seen.chats).length, 300);
  assert.deepEqual(chats.filter((one) => isUnread(seen, one)), []);
});

test("transcripts of the last chats stay, those that run, ask, or hold unsent messages in any case", () => {
  const visit = (id) => ({ type: "selected", sessionId: id });
  const created = (id, seq) => ({ type: "event", event: { type: "session_created", session_id: id, seq, session: session(id, { message_count: 0 }) } });
  const started = { type: "event", event: { type: "run_started", session_id: "s0", run_id: "r", seq: 101, message_id: "u", message: "hi" } };
  const names = Array.from({ length: 30 }, (_, n) => `s${n}`);
  const three = names.slice(0, 3).flatMap((id, n) => [visit(id), created(id, n + 1)]);
  const busy = act(initialState(), hello(), ...three, started, asks("s1", 102), { type: "send", sessionId: "s2", clientMessageId: "m", text: "hi" });
  const state = names.slice(3).reduce((so_far, id, n) => act(so_far, visit(id), created(id, 103 + n)), busy);
  const held = new Set(Object.keys(state.transcripts));
  assert.equal(held.size, 20);
  for (const id of ["s0", "s1", "s2", "s13", "s29"]) assert.ok(held.has(id), id);
  assert.equal(held.has("s3"), false);
});

test("another user sees nothing of the one before", () => {
  const state = act(initialState(), hello(), list(session("a")), { type: "selected", sessionId: "a" });
  assert.deepEqual(titles(act(state, hello({ user_id: "local" }))), ["a"]);
  assert.deepEqual(titles(act(state, hello({ user_id: "bob" }))), []);
});

test("questions and ends are told, stops are not", () => {
  const asked = asks("a", 1).event;
  assert.deepEqual(noticeOf(asked), { tag: "h-a", kind: "asks", sessionId: "a", count: 1 });
  assert.equal(endedNotice({ type: "hitl_resolved", hitl_session_id: "h-a", remaining: ["c2"] }), null);
  assert.equal(endedNotice({ type: "hitl_resolved", hitl_session_id: "h-a", remaining: [] }), "h-a");
  const ended = { type: "done", session_id: "a", run_id: "r", outcome: "failed" };
  assert.deepEqual(noticeOf(ended), { tag: "r", kind: "failed", sessionId: "a", count: 0 });
  assert.equal(noticeOf({ ...ended, outcome: "stopped" }), null);
  assert.equal(noticeOf({ type: "content", content: "secret" }), null);
});
