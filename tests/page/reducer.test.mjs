/** The fold of section 6: live events, merged frames and history must give the same transcript. Run: node --test tests/page/ */

import assert from "node:assert/strict";
import { test } from "node:test";

import { initialState, reducer } from "../../static/js/state/reducer.js";

const SESSION = "s1", RUN = "r1", EPOCH = "e1";

/** A page that is connected and shows an empty, new session. */
function page({ seq = 0, epoch = EPOCH, runs = [] } = {}) {
  const hello = { type: "hello", epoch, seq, recovered: null, runs };
  return reducer(initialState(), { type: "hello", hello });
}

/** Numbers events as the server would. */
function feed(from = 0) {
  let seq = from;
  return (type, fields = {}) => ({ type, session_id: SESSION, run_id: RUN, seq: ++seq, ...fields });
}

const fold = (state, events) => events.reduce((so_far, event) => reducer(so_far, { type: "event", event }), state);
const transcript = (state) => state.transcripts[SESSION];
const items = (state) => transcript(state).items;
const created = (e) => e("session_created", { run_id: undefined, session: { session_id: SESSION, title: "New Conversation", message_count: 0 } });
const started = (e) => e("run_started", { message_id: "u1", message: "hi" });
const content = (e, text, message_id = "a1") => e("content", { content: text, message_id });
const toolCall = (e, id, args, complete) =>
  e("tool_call", { message_id: "a1", tool_call: { id, type: "function", function: { name: `tool_${id}`, arguments: args, ...(complete && { complete }) } } });
const toolEnd = (e, id, fields = {}) =>
  e("tool_end", { tool_name: `tool_${id}`, tool_call_id: id, tool_output: `out ${id}`, status: "success", duration_ms: 7, ...fields });
const done = (e, outcome = "completed") => e("done", { outcome, usage: USAGE, message_count: 2 });
const USAGE = { total_tokens: 12, llm_calls: 1 };
const user = (fields = {}) => ({
  kind: "user", id: "u1", text: "hi", runId: RUN, outcome: null, error: null, limits: [], usage: null, duration: null, undoable: false, ...fields,
});
const asked = { run_id: RUN, outcome: "completed", usage: USAGE };

function load(state, history, events = []) {
  const asked = reducer(state, { type: "history_requested", sessionId: SESSION, request: 1 });
  return reducer(fold(asked, events), { type: "history_loaded", sessionId: SESSION, request: 1, history });
}

test("a streamed answer grows and ends", () => {
  const e = feed();
  const running = fold(page(), [created(e), started(e), e("reasoning", { content: "hm", message_id: "a1" }), content(e, "Hel"), content(e, "lo")]);
  assert.deepEqual(items(running), [
    user(),
    { kind: "assistant", id: "a1", text: "Hello", reasoning: "hm", partial: true, incomplete: false, cut: false, calls: [] },
  ]);
  assert.equal(running.runs[SESSION].run_id, RUN);
  const ended = fold(running, [done(e)]);
  assert.equal(items(ended)[1].partial, false);
  assert.deepEqual(ended.runs, {});
});

test("the fold does not change what it was given", () => {
  const e = feed();
  const before = fold(page(), [created(e), started(e), content(e, "a")]);
  const copy = structuredClone(before);
  const after = fold(before, [content(e, "b"), toolCall(e, "c1", "{}", true), toolEnd(e, "c1"), done(e)]);
  assert.deepEqual(before, copy);
  const grown = fold(before, [content(e, "c")]);
  assert.equal(items(grown)[0], items(before)[0], "untouched items keep their identity");
});

test("a merged frame counts once, a repeated one not at all", () => {
  const e = feed();
  const state = fold(page(), [created(e), started(e)]);
  const merged = { type: "content", session_id: SESSION, run_id: RUN, message_id: "a1", content: "abc", first_seq: 3, seq: 5 };
  const twice = fold(state, [merged, merged, { ...merged, content: "c", first_seq: undefined, seq: 5 }]);
  assert.equal(items(twice)[1].text, "abc");
  assert.equal(twice.feed.seq, 5);
});

test("parallel calls grow, run and end each by its own id", () => {
  const e = feed();
  const growing = fold(page(), [created(e), started(e), content(e, "Let me see."), toolCall(e, "c1", ""), toolCall(e, "c2", ""),
    toolCall(e, "c1", '{"a"'), toolCall(e, "c2", '{"b": 2}', true), toolCall(e, "c1", '{"a": 1}', true)]);
  assert.deepEqual(items(growing)[1].calls.map(({ id, args, state }) => [id, args, state]), [["c1", '{"a":1}', "ready"], ["c2", '{"b":2}', "ready"]]);
  const running = fold(growing, [e("tool_start", { tool_name: "tool_c2", tool_call_id: "c2" }), e("tool_start", { tool_name: "tool_c1", tool_call_id: "c1" }),
    e("tool_progress", { tool_name: "tool_c1", tool_call_id: "c1", device_name: "R1", done: 1, total: 2, message: "reading" }),
    toolEnd(e, "c2", { status: "error" })]);
  const [first, second] = items(running)[1].calls;
  assert.deepEqual([first.state, first.progress, first.output], ["running", { done: 1, total: 2, message: "reading", device: "R1" }, null]);
  assert.deepEqual([second.state, second.output, second.duration], ["error", "out c2", 7]);
  const ended = fold(running, [toolEnd(e, "c1"), content(e, "Done.", "a2"), done(e)]);
  assert.deepEqual(items(ended).map((item) => item.id), ["u1", "a1", "a2"]);
  assert.equal(items(ended)[1].calls[0].state, "success");
  assert.equal(items(ended)[1].calls[0].progress, null);
});

test("arguments that a person changed stand beside the model's own, live and in history", () => {
  const e = feed();
  const live = fold(page(), [created(e), started(e), toolCall(e, "c1", '{"a": 1}', true), toolEnd(e, "c1", { executed_args: { a: 2 } })]);
  const call = { id: "c1", type: "function", function: { name: "tool_c1", arguments: '{"a": 1}' } };
  const read = load(page(), { epoch: EPOCH, seq: 9, messages: [
    { id: "a1", role: "assistant", content: "", tool_calls: [call] },
    { id: "t1", role: "tool", tool_call_id: "c1", content: "out c1", metadata: { status: "success", executed_args: { a: 2 } } }] });
  for (const [made] of [items(live)[1].calls, items(read)[0].calls]) assert.deepEqual([made.args, made.executed], ['{"a":1}', '{"a":2}']);
});

test("folded events equal what history says", () => {
  const e = feed();
  const live = fold(page(), [created(e), started(e), content(e, "Let me "), content(e, "see."), toolCall(e, "c1", ""), toolCall(e, "c1", '{"a": 1}', true),
    e("usage", { usage: {} }), e("tool_start", { tool_name: "tool_c1", tool_call_id: "c1" }), toolEnd(e, "c1"), content(e, "Done.", "a2"), e("usage", { usage: USAGE }), done(e)]);
  const history = {
    epoch: EPOCH, seq: live.feed.seq, has_more: false,
    messages: [
      { id: "u1", role: "user", content: "hi", metadata: asked },
      { id: "a1", role: "assistant", content: "Let me see.", tool_calls: [{ id: "c1", type: "function", function: { name: "tool_c1", arguments: '{"a": 1}' } }] },
      { id: "t1", role: "tool", tool_call_id: "c1", content: "out c1", metadata: { status: "success", duration_ms: 7 } },
      { id: "a2", role: "assistant", content: "Done." },
    ],
  };
  assert.deepEqual(items(load(page({ seq: live.feed.seq }), history)), items(live));
});

test("a tab that opens in the middle: no token twice, none lost", () => {
  const e = feed();
  const [, , , , third, fourth, fifth] = [created(e), started(e), content(e, "1"), content(e, "2"), content(e, "3"), content(e, "4"), content(e, "5")];
  const opened = page({ seq: 4, runs: [{ run_id: RUN, session_id: SESSION, status: "running" }] });
  const history = {
    epoch: EPOCH, seq: 6, has_more: false,
    messages: [{ id: "u1", role: "user", content: "hi" }, { id: "a1", role: "assistant", content: "1234", metadata: { partial: true } }],
  };
  // 3, 4 and 5 arrive while history is under way; it holds 3 and 4
  const state = load(opened, history, [third, fourth, fifth]);
  assert.equal(items(state)[1].text, "12345");
  assert.equal(items(state)[1].partial, true);
  assert.equal(items(fold(state, [content(e, "6")]))[1].text, "123456");
});

test("history that is newer than the socket: late events are in it already", () => {
  const e = feed();
  const events = [created(e), started(e), content(e, "1"), content(e, "2"), content(e, "3")];
  const history = { epoch: EPOCH, seq: 4, messages: [{ id: "u1", role: "user", content: "hi" }, { id: "a1", role: "assistant", content: "12", metadata: { partial: true } }] };
  const state = fold(load(page({ seq: 2 }), history), events.slice(2));
  assert.equal(items(state)[1].text, "123");
});

test("a merged frame that history holds a part of asks for history again", () => {
  const history = { epoch: EPOCH, seq: 4, messages: [{ id: "a1", role: "assistant", content: "12", metadata: { partial: true } }] };
  const loaded = load(page({ seq: 2 }), history);
  const stale = fold(loaded, [{ type: "content", session_id: SESSION, run_id: RUN, message_id: "a1", content: "23", first_seq: 4, seq: 5 }]);
  assert.equal(transcript(stale).stale, true);
  assert.equal(items(stale)[0].text, "12", "nothing is guessed");
  const again = load(stale, { ...history, seq: 5, messages: [{ id: "a1", role: "assistant", content: "123", metadata: { partial: true } }] });
  assert.equal(transcript(again).stale, false);
  assert.equal(items(again)[0].text, "123");
});

test("an answer to an older request for history is no answer", () => {
  const e = feed(4);
  const first = reducer(page({ seq: 4 }), { type: "history_requested", sessionId: SESSION, request: 1 });
  const second = reducer(fold(first, [content(e, "x")]), { type: "history_requested", sessionId: SESSION, request: 2 });
  const history = { epoch: EPOCH, seq: 4, messages: [] };
  assert.equal(reducer(second, { type: "history_loaded", sessionId: SESSION, request: 1, history }), second);
});

test("calls that wait to run when history is read go on, those of a dead run do not", () => {
  const call = { id: "c1", type: "function", function: { name: "tool_c1", arguments: "{}" } };
  const history = { epoch: EPOCH, seq: 9, messages: [{ id: "a1", role: "assistant", content: "", tool_calls: [call] }] };
  const live = load(page({ seq: 9, runs: [{ run_id: RUN, session_id: SESSION, status: "running" }] }), history);
  assert.equal(items(live)[0].calls[0].state, "ready");
  assert.equal(items(fold(live, [toolEnd(feed(9), "c1")]))[0].calls[0].state, "success");
  assert.equal(items(load(page({ seq: 9 }), history))[0].calls[0].state, "unknown");
});

test("a partial result in history is a call that has started or not, an incomplete answer was cut off", () => {
  const call = { id: "c1", type: "function", function: { name: "tool_c1", arguments: "{}" } };
  const messages = [
    { id: "a1", role: "assistant", content: "", tool_calls: [call, { ...call, id: "c2" }] },
    { id: "running-c1", role: "tool", tool_call_id: "c1", name: "tool_c1", content: "", metadata: { partial: true, started: true } },
    { id: "running-c2", role: "tool", tool_call_id: "c2", name: "tool_c1", content: "", metadata: { partial: true } },
  ];
  const runs = [{ run_id: RUN, session_id: SESSION, status: "running" }];
  const [item] = items(load(page({ seq: 9, runs }), { epoch: EPOCH, seq: 9, messages }));
  assert.deepEqual(item.calls.map(({ state, output }) => [state, output]), [["running", null], ["ready", null]]);
  const [cut] = items(load(page({ seq: 9 }), { epoch: EPOCH, seq: 9, messages: [{ id: "a2", role: "assistant", content: "So", metadata: { incomplete: true } }] }));
  assert.equal(cut.incomplete, true);
});

test("a stop keeps the text, marks calls and the turn, and says what was not sent", () => {
  const e = feed();
  let state = fold(page(), [created(e), started(e), content(e, "abc"), toolCall(e, "c1", "{}", true)]);
  state = reducer(state, { type: "send", sessionId: SESSION, clientMessageId: "m2", text: "next" });
  state = reducer(state, { type: "send_accepted", sessionId: SESSION, clientMessageId: "m2", result: { message_id: "u2", status: "queued" } });
  assert.equal(transcript(state).outbox[0].state, "queued");
  state = fold(state, [toolEnd(e, "c1", { status: "stopped" }), done(e, "stopped")]);
  assert.equal(items(state)[1].text, "abc");
  assert.equal(items(state)[1].calls[0].state, "stopped");
  assert.equal(items(state)[0].outcome, "stopped");
  assert.deepEqual([transcript(state).outbox[0].state, transcript(state).outbox[0].code], ["failed", "run_stopped"]);
});

test("a call that never got its end is not left spinning", () => {
  const e = feed();
  const state = fold(page(), [created(e), started(e), toolCall(e, "c1", "{"), done(e, "failed")]);
  assert.deepEqual([items(state)[1].calls[0].state, items(state)[1].partial], ["unknown", false]);
});

test("how a turn ended stands with its message: the error, limits on the way, what can be undone", () => {
  const e = feed();
  const limit = { limit: "max_tool_calls", value: 3, message: "3 tools were run." };
  const failed = fold(page(), [created(e), started(e), content(e, "ab"), e("error", { error: "No answer.", code: "llm_timeout" }), done(e, "failed")]);
  assert.deepEqual(items(failed)[0], user({ outcome: "failed", usage: USAGE, error: { code: "llm_timeout", message: "No answer." } }));
  const limited = fold(page(), [created(feed()), started(e), e("limit_reached", limit), content(e, "So far:", "a2"), e("done", { outcome: "limited", usage: USAGE, undoable: true })]);
  assert.deepEqual(items(limited)[0], user({ outcome: "limited", usage: USAGE, limits: [limit], undoable: true }));
});

test("unknown events, actions and foreign sessions change nothing but the place in the feed", () => {
  const e = feed();
  const state = fold(page(), [created(e), started(e)]);
  const after = fold(state, [e("from_the_future", { content: "?" }), { type: "toString", seq: 4, session_id: SESSION }, { type: "content", session_id: "other", message_id: "x", content: "y", seq: 5 }]);
  assert.deepEqual(after, { ...state, feed: { epoch: EPOCH, seq: 5 } });
  assert.equal(reducer(state, { type: "constructor" }), state);
});

test("an own message is shown at once and taken up by its run, whichever comes first", () => {
  const send = (state) => reducer(state, { type: "send", sessionId: SESSION, clientMessageId: "m1", text: "hi" });
  const accept = (state) => reducer(state, { type: "send_accepted", sessionId: SESSION, clientMessageId: "m1", result: { message_id: "u1", status: "started" } });
  const orders = [(s, e) => fold(accept(s), [created(e), started(e)]), (s, e) => accept(fold(s, [created(e), { ...started(e), client_message_id: "m1" }]))];
  for (const order of orders) {
    const shown = send(page());
    assert.deepEqual(transcript(shown).outbox.map((entry) => [entry.text, entry.state]), [["hi", "sending"]]);
    const state = order(shown, feed());
    assert.deepEqual(transcript(state).outbox, []);
    assert.deepEqual(items(state), [user()]);
  }
});

test("two messages with one text: each run takes its own", () => {
  const e = feed();
  let state = fold(page(), [created(e)]);
  for (const id of ["m1", "m2"]) state = reducer(state, { type: "send", sessionId: SESSION, clientMessageId: id, text: "hi" });
  state = reducer(state, { type: "send_accepted", sessionId: SESSION, clientMessageId: "m2", result: { message_id: "u2", status: "queued" } });
  state = fold(state, [{ ...started(e), client_message_id: "m1" }]);
  assert.deepEqual(transcript(state).outbox.map((entry) => entry.client_message_id), ["m2"]);
});

test("a refused message says why and can be dropped", () => {
  let state = reducer(page(), { type: "send", sessionId: SESSION, clientMessageId: "m1", text: "hi" });
  state = reducer(state, { type: "send_failed", sessionId: SESSION, clientMessageId: "m1", error: { message: "Too many runs." } });
  assert.deepEqual(transcript(state).outbox.map((entry) => [entry.state, entry.error]), [["failed", "Too many runs."]]);
  state = reducer(state, { type: "send_dropped", sessionId: SESSION, clientMessageId: "m1" });
  assert.deepEqual(transcript(state).outbox, []);
});

test("a reconnect that resumed changes no transcript, one that could not unloads them", () => {
  const e = feed();
  const state = fold(page(), [created(e), started(e), content(e, "a")]);
  const resumed = reducer(state, { type: "hello", hello: { epoch: EPOCH, seq: 9, recovered: true, runs: [] } });
  assert.equal(resumed.transcripts, state.transcripts);
  assert.equal(resumed.feed.seq, 3, "the replay continues where this page was");
  const lost = reducer(state, { type: "hello", hello: { epoch: "e2", seq: 1, recovered: false, runs: [] } });
  assert.deepEqual([lost.greeting.recovered, transcript(lost).loaded, lost.feed], [false, false, { epoch: "e2", seq: 1 }]);
  assert.equal(items(lost).length, 2, "what is on screen stays until history is here");
});

test("sessions: events are newer than a list that is under way, deleted ones stay deleted", () => {
  let state = page();
  const e = feed();
  const about = (id, fields = {}) => ({ session_id: id, title: id, message_count: 1, pinned: false, updated_at: "2026-01-01", ...fields });
  state = fold(state, [
    { ...e("session_updated", { session: about("s2", { title: "renamed" }) }), session_id: "s2" },
    { ...e("session_deleted"), session_id: "s3" },
  ]);
  state = reducer(state, { type: "sessions", sessions: [about("s2"), about("s3"), about("s4")], cursor: null });
  assert.deepEqual(Object.values(state.sessions).map((session) => session.title), ["renamed", "s4"]);
});

test("usage of a run is kept while it goes, a question to a person shows in its status", () => {
  const e = feed();
  const state = fold(page(), [created(e), started(e), e("usage", { usage: { total_tokens: 12 } }), e("hitl_required", { status: "waiting", hitl_session_id: "p1", pending_tools: [] })]);
  assert.deepEqual([state.runs[SESSION].usage, state.runs[SESSION].status], [{ total_tokens: 12 }, "waiting"]);
  assert.equal(fold(state, [e("hitl_resolved", { remaining: [] })]).runs[SESSION].status, "running");
});

test("older messages join: a page that begins with results finds their calls in the one before", () => {
  const calls = ["c1", "c2"].map((id) => ({ id, type: "function", function: { name: `tool_${id}`, arguments: `{"of": "${id}"}` } }));
  const result = (id) => ({ id: `t-${id}`, role: "tool", tool_call_id: id, name: `tool_${id}`, content: `out ${id}`, metadata: { status: "success", duration_ms: 7 } });
  const all = [{ id: "u1", role: "user", content: "hi" }, { id: "a1", role: "assistant", content: "See:", tool_calls: calls }, result("c1"), result("c2"), { id: "a2", role: "assistant", content: "Done." }];
  const whole = items(load(page(), { epoch: EPOCH, seq: 0, messages: all }));
  for (let at = 1; at < all.length; at += 1) {
    const newest = load(page(), { epoch: EPOCH, seq: 0, has_more: true, messages: all.slice(at) });
    const joined = reducer(newest, { type: "history_older", sessionId: SESSION, history: { has_more: false, messages: all.slice(0, at) } });
    assert.deepEqual(items(joined), whole, `cut at ${at}`);
    assert.equal(transcript(joined).hasMore, false);
  }
});
