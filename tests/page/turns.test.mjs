/** Turns that do not end as they should: what the events of each say and what history says of it is one transcript. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { initialState, reducer } from "../../static/js/state/reducer.js";

const SESSION = "s1", EPOCH = "e1";
const USAGE = { input_tokens: 1, output_tokens: 2, total_tokens: 3, llm_calls: 1 };

/** Numbers the events of a run. */
function feed(runId = "r1") {
  return (type, fields = {}) => ({ type, session_id: SESSION, run_id: runId, ...fields });
}

const numbered = (events) => events.map((event, at) => ({ ...event, seq: at + 1 }));
const hello = (fields = {}) => ({ type: "hello", hello: { epoch: EPOCH, seq: 0, recovered: null, runs: [], ...fields } });
const event = (one) => ({ type: "event", event: one });
const run = (actions) => actions.reduce(reducer, initialState());
const items = (state) => state.transcripts[SESSION].items;

const born = { type: "session_created", session_id: SESSION, session: { session_id: SESSION, title: "New Conversation", message_count: 0 } };
const said = (e, id = "u1", fields = {}) => e("run_started", { message_id: id, message: `text ${id}`, limits: { max_iterations: 20 }, ...fields });
const content = (e, text, id) => e("content", { content: text, message_id: id });
const wrote = (e, callId, args, id) =>
  e("tool_call", { message_id: id, tool_call: { id: callId, function: { name: "show", arguments: args, complete: true }, complete: true } });
const result = (e, callId, status, fields = {}) => e("tool_end", { tool_name: "show", tool_call_id: callId, tool_output: "{}", status, duration_ms: 0, ...fields });
const usage = (e) => e("usage", { usage: USAGE });
const done = (e, outcome, fields = {}) => e("done", { outcome, usage: USAGE, message_count: 2, ...fields });

const user = (id, metadata) => ({ id, role: "user", content: `text ${id}`, metadata });
const asked = (callId, args) => ({ id: callId, type: "function", function: { name: "show", arguments: args } });
const answer = (id, text, calls, metadata) => ({ id, role: "assistant", content: text, ...(calls.length && { tool_calls: calls }), ...(metadata && { metadata }) });
const got = (callId, status, metadata = {}) => ({ id: `t-${callId}`, role: "tool", tool_call_id: callId, name: "show", content: "{}", metadata: { status, ...metadata } });

/** @returns {Object[]} the items, after both ways to them were found to agree */
function agreed(events, messages, runs = []) {
  const feedOf = numbered(events);
  const live = run([hello(), ...feedOf.map(event)]);
  const seq = feedOf.length;
  const read = run([hello({ seq, runs }), { type: "history_requested", sessionId: SESSION, request: 1 },
    { type: "history_loaded", sessionId: SESSION, request: 1, history: { epoch: EPOCH, seq, has_more: false, messages } }]);
  assert.deepEqual(items(live), items(read));
  return items(live);
}

test("a stop in the middle of the text", () => {
  const e = feed();
  const [, cut] = agreed([born, said(e), content(e, "So f", "a1"), usage(e), done(e, "stopped")],
    [user("u1", { run_id: "r1", outcome: "stopped", usage: USAGE }), answer("a1", "So f", [], { incomplete: true })]);
  assert.equal(cut.incomplete, true);
});

test("a stop in the middle of the arguments: the calls never ran", () => {
  const e = feed();
  const [, cut] = agreed(
    [born, said(e), wrote(e, "c1", '{"a": 1}', "a1"), wrote(e, "c2", '{"a": [', "a1"), result(e, "c1", "stopped"), result(e, "c2", "stopped"), usage(e), done(e, "stopped")],
    [user("u1", { run_id: "r1", outcome: "stopped", usage: USAGE }),
      answer("a1", "", [asked("c1", '{"a": 1}'), asked("c2", '{"a": [')], { incomplete: true }), got("c1", "stopped"), got("c2", "stopped")]);
  assert.deepEqual([cut.incomplete, cut.calls.map((call) => call.state)], [true, ["stopped", "stopped"]]);
});

test("a stop while a whole call runs: the answer is whole", () => {
  const e = feed();
  const [, whole] = agreed(
    [born, said(e), content(e, "Let me see.", "a1"), wrote(e, "c1", "", "a1"), usage(e), e("tool_start", { tool_name: "show", tool_call_id: "c1" }),
      result(e, "c1", "stopped", { duration_ms: 40 }), done(e, "stopped", { undoable: true })],
    [user("u1", { run_id: "r1", outcome: "stopped", usage: USAGE, undoable: true }),
      answer("a1", "Let me see.", [asked("c1", "{}")]), got("c1", "stopped", { duration_ms: 40 })]);
  assert.equal(whole.incomplete, false);
});

test("broken calls stand after the whole ones of their answer, with the text that they have", () => {
  const e = feed();
  const [, one] = agreed(
    [born, said(e), wrote(e, "c1", "nonsense", "a1"), wrote(e, "c2", '{"b":  2.0}', "a1"), usage(e), result(e, "c2", "success", { duration_ms: 3 }), result(e, "c1", "error"),
      content(e, "Well.", "a2"), usage(e), done(e, "completed")],
    [user("u1", { run_id: "r1", outcome: "completed", usage: USAGE }),
      answer("a1", "", [asked("c2", '{"b": 2.0}'), asked("c1", "nonsense")]), got("c2", "success", { duration_ms: 3 }), got("c1", "error", { duration_ms: 0 }),
      answer("a2", "Well.", [])]);
  assert.deepEqual(one.calls.map((call) => [call.id, call.args]), [["c2", '{"b":2}'], ["c1", "nonsense"]]);
});

test("a time limit cuts an answer off, another one sums up", () => {
  const e = feed();
  const limit = { limit: "max_execution_time_seconds", value: 1, message: "This run may take 1 s." };
  const [asking, cut, last] = agreed(
    [born, said(e), content(e, "On and on", "a1"), usage(e), e("limit_reached", limit), content(e, "In short.", "a2"), usage(e), done(e, "limited")],
    [user("u1", { run_id: "r1", outcome: "limited", usage: USAGE, limits: [limit] }), answer("a1", "On and on", [], { incomplete: true }), answer("a2", "In short.", [])]);
  assert.deepEqual([asking.limits, cut.incomplete, last.incomplete], [[limit], true, false]);
});

test("a limit of length ends an answer, how long the run took is told with its end", () => {
  const e = feed();
  const [said_, whole, cut] = agreed([born, said(e), wrote(e, "c1", "{}", "a1"), usage(e), result(e, "c1", "success"),
    content(e, "And so o", "a2"), { ...usage(e), cut: true }, done(e, "completed", { duration_ms: 1234 })],
  [user("u1", { run_id: "r1", outcome: "completed", usage: USAGE, duration_ms: 1234 }), answer("a1", "", [asked("c1", "{}")]), got("c1", "success"),
    answer("a2", "And so o", [], { cut: true })]);
  assert.deepEqual([said_.duration, whole.cut, cut.cut], [1234, false, true]);
});

test("an answer that no model gave: it asks, then its call is refused", () => {
  const e = feed();
  const asks = e("hitl_required", { status: "waiting", hitl_session_id: "p1", pending_tools: [] });
  const [, whole] = agreed([born, said(e), content(e, "This puts it back.", "a1"), wrote(e, "c1", "{}", "a1"), asks, result(e, "c1", "stopped"), done(e, "stopped")],
    [user("u1", { run_id: "r1", outcome: "stopped", usage: USAGE }), answer("a1", "This puts it back.", [asked("c1", "{}")]), got("c1", "stopped")]);
  assert.equal(whole.incomplete, false);
});

test("a run that failed before and after its first word", () => {
  const e = feed();
  const fault = { code: "llm_unavailable", message: "The provider cannot be reached." };
  const failed = { run_id: "r1", outcome: "failed", usage: USAGE, error: fault };
  const error = e("error", { error: fault.message, code: fault.code });
  agreed([born, said(e), error, done(e, "failed")], [user("u1", failed)]);
  agreed([born, said(e), e("reasoning", { content: "hm", message_id: "a1" }), usage(e), error, done(e, "failed")],
    [user("u1", failed), answer("a1", "", [], { incomplete: true, reasoning: "hm" })]);
});

test("a message that replaces another takes its place and that of all after it", () => {
  const [first, second] = [feed("r1"), feed("r2")];
  const replaces = { replaces_message_id: "u1" };
  agreed([born, said(first), content(first, "One.", "a1"), usage(first), done(first, "completed"),
    said(second, "u2", replaces), content(second, "Two.", "a2"), usage(second), done(second, "completed")],
  [user("u2", { run_id: "r2", outcome: "completed", usage: USAGE }), answer("a2", "Two.", [])]);
});

test("a message that replaces one of an older page makes history be read again", () => {
  const e = feed("r2");
  const loaded = [hello(), { type: "history_requested", sessionId: SESSION, request: 1 },
    { type: "history_loaded", sessionId: SESSION, request: 1, history: { epoch: EPOCH, seq: 0, has_more: true, messages: [answer("a1", "One.", [])] } }];
  const state = run([...loaded, event({ ...said(e, "u2", { replaces_message_id: "u1" }), seq: 1 })]);
  assert.deepEqual([state.transcripts[SESSION].stale, items(state).map((item) => item.id)], [true, ["a1"]]);
});

test("while it goes on: partial text, a call that runs, a person who is asked", () => {
  const e = feed();
  const going = [{ run_id: "r1", session_id: SESSION, status: "running", started_at: "2026-11-30T15:00:00Z" }];
  agreed([born, said(e), content(e, "So f", "a1")], [user("u1", {}), answer("a1", "So f", [], { partial: true })], going);
  const calls = [asked("c1", "{}")];
  const history = (metadata) => [user("u1", {}), answer("a1", "", calls), { id: "running-c1", role: "tool", tool_call_id: "c1", name: "show", content: "", metadata }];
  agreed([born, said(e), wrote(e, "c1", "{}", "a1"), usage(e), e("tool_start", { tool_name: "show", tool_call_id: "c1" })], history({ partial: true, started: true }), going);
  agreed([born, said(e), wrote(e, "c1", "{}", "a1"), usage(e)], history({ partial: true }), [{ ...going[0], status: "waiting" }]);
});

test("a run's clock stands while people are asked, what is said of a new attempt goes with the next event", () => {
  const e = feed();
  const at = (one, ms) => ({ ...event(one), at: ms });
  const [create, start, retry, word, ask, resolve] = numbered([born, said(e), e("llm_retry", { attempt: 2, of: 3 }), content(e, "x", "a1"),
    e("hitl_required", { status: "waiting", hitl_session_id: "p1", pending_tools: [] }), e("hitl_resolved", { hitl_session_id: "p1", decisions: [], remaining: [] })]);
  const waits = run([hello(), at(create, 1), at(start, 1000), at(retry, 1500)]);
  assert.deepEqual([waits.runs[SESSION].startedAt, waits.runs[SESSION].retry.attempt, waits.runs[SESSION].limits], [1000, 2, { max_iterations: 20 }]);
  const asks = [at(word, 2000), at(ask, 3000)].reduce(reducer, waits);
  assert.deepEqual([asks.runs[SESSION].retry, asks.runs[SESSION].waitingSince], [null, 3000]);
  const goesOn = reducer(asks, at(resolve, 9000));
  assert.deepEqual([goesOn.runs[SESSION].status, goesOn.runs[SESSION].waited, goesOn.runs[SESSION].waitingSince], ["running", 6000, null]);
  const used = (seq, input, output) => event({ ...usage(e), seq, usage: { input_tokens: input, output_tokens: output, total_tokens: input + output } });
  assert.equal([used(7, 100, 10), used(8, 130, 15)].reduce(reducer, goesOn).runs[SESSION].spent, 245, "a budget counts each call");
  const again = reducer(goesOn, hello({ recovered: true, runs: [{ run_id: "r1", session_id: SESSION, status: "running", started_at: "2026-11-30T15:00:00Z" }] }));
  assert.deepEqual(again.runs, goesOn.runs, "a reconnect forgets nothing of it");
  assert.equal(reducer(again, { type: "run_limits", sessionId: SESSION, limits: { max_iterations: 30 } }).runs[SESSION].limits.max_iterations, 30);
});
