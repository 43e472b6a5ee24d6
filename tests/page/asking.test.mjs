/** Questions to a person: prompts, decisions and refusals in the state, whatever order they come in. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { initialState, reducer } from "../../static/js/state/reducer.js";
import { phaseOf, promptOf, waitingCalls, waitingSessions } from "../../static/js/state/select.js";

const SESSION = "s1", RUN = "r1", PROMPT = "p1", CONFIGURE = "execute_multiple_device_config_commands";

const tool = (id, fields = {}) => ({ tool_call_id: id, tool_name: CONFIGURE, tool_args: {}, danger_level: "medium", description: `Do ${id}`,
  dangerous_commands: [], devices: [], preview: null, ...fields });
const status = (ids, fields = {}) => ({ status: "waiting", session_id: SESSION, hitl_session_id: PROMPT, timeout: 300,
  expires_at: "2026-01-01T00:05:00+00:00", pending_tools: ids.map((id) => tool(id)), ...fields });
const hello = (fields = {}) => ({ type: "hello", hello: { epoch: "e1", seq: 0, recovered: null, runs: [], pending_hitl: [], ...fields } });
const waitingRun = { run_id: RUN, session_id: SESSION, status: "waiting" };
const decision = (id, kind, fields = {}) => ({ tool_call_id: id, decision: kind, by: "ann", ...fields });

function feed(from = 0) {
  let seq = from;
  return (type, fields = {}) => ({ type: "event", event: { type, session_id: SESSION, run_id: RUN, seq: ++seq, ...fields } });
}

const fold = (state, actions) => actions.reduce(reducer, state);
const asked = (state) => Object.keys(promptOf(state, SESSION)?.tools ?? {});
const decisions = (state) => Object.entries(state.asking[SESSION]?.decisions ?? {}).map(([id, one]) => [id, one.decision, one.by, one.reason]);
const call = (id, fields = {}) => ({ id, state: "ready", output: null, executed: null, ...fields });

test("hello tells every tab what is asked, also after a reload", () => {
  const state = fold(initialState(), [hello({ runs: [waitingRun], pending_hitl: [status(["c1", "c2"])] })]);
  assert.deepEqual([asked(state), waitingCalls(state, SESSION), waitingSessions(state)], [["c1", "c2"], 2, 1]);
  assert.equal(promptOf(state, SESSION).expiresAt, "2026-01-01T00:05:00+00:00");
});

test("a prompt opens, is decided in parts and closes", () => {
  const e = feed();
  let state = fold(initialState(), [hello(), e("run_started", { message_id: "u1", message: "hi" }), e("hitl_required", status(["c1", "c2", "c3"]))]);
  assert.equal(state.runs[SESSION].status, "waiting");
  state = fold(state, [e("hitl_resolved", { hitl_session_id: PROMPT, decisions: [decision("c1", "confirmed"), decision("c2", "rejected", { reason: "no" })], remaining: ["c3"] })]);
  assert.deepEqual([asked(state), state.runs[SESSION].status], [["c3"], "waiting"]);
  state = fold(state, [e("hitl_resolved", { hitl_session_id: PROMPT, decisions: [decision("c3", "expired", { by: "server" })], remaining: [] })]);
  assert.deepEqual([promptOf(state, SESSION), state.runs[SESSION].status, waitingSessions(state)], [null, "running", 0]);
  assert.deepEqual(decisions(state), [["c1", "confirmed", "ann", null], ["c2", "rejected", "ann", "no"], ["c3", "expired", "server", null]]);
});

test("where each call of an answer stands while a person is asked", () => {
  const e = feed();
  const state = fold(initialState(), [hello(), e("hitl_required", status(["c1", "c2"])),
    e("hitl_resolved", { hitl_session_id: PROMPT, decisions: [decision("c1", "confirmed")], remaining: ["c2"] })]);
  const asking = state.asking[SESSION];
  assert.deepEqual(["c1", "c2", "c3"].map((id) => phaseOf(call(id), asking)), ["decided", "asking", "held"]);
  assert.equal(phaseOf(call("c0", { state: "success", output: "{}" }), asking), "success", "an earlier answer's call has ended");
  assert.equal(phaseOf(call("c1", { state: "running" }), null), "running");
});

test("a prompt that a restart of the server takes up again needs no run_started", () => {
  const e = feed();
  const state = fold(initialState(), [hello(), e("hitl_required", status(["c1"]))]);
  const { run_id, status: stands } = state.runs[SESSION];
  assert.deepEqual([run_id, stands], [RUN, "waiting"]);
});

test("a reconnect: resumed, the replay tells; else hello does, and decisions stay known", () => {
  const e = feed();
  const before = fold(initialState(), [hello(), e("hitl_required", status(["c1", "c2"])),
    e("hitl_resolved", { hitl_session_id: PROMPT, decisions: [decision("c1", "confirmed")], remaining: ["c2"] })]);
  assert.equal(reducer(before, hello({ recovered: true, seq: 9 })).asking, before.asking);
  const again = reducer(before, hello({ recovered: false, epoch: "e2", pending_hitl: [status(["c2"])] }));
  assert.deepEqual([asked(again), decisions(again).length], [["c2"], 1]);
  const gone = reducer(before, hello({ recovered: false, epoch: "e2" }));
  assert.deepEqual([promptOf(gone, SESSION), decisions(gone).length], [null, 1]);
});

test("an older prompt's end does not close the one after it", () => {
  const e = feed();
  const state = fold(initialState(), [hello(), e("hitl_required", status(["c2"], { hitl_session_id: "p2" })),
    e("hitl_resolved", { hitl_session_id: PROMPT, decisions: [decision("c1", "confirmed")], remaining: [] })]);
  assert.deepEqual([asked(state), decisions(state).length], [["c2"], 1]);
});

test("already_resolved says who was faster; the status that follows only takes calls away", () => {
  const state = fold(initialState(), [hello({ pending_hitl: [status(["c1", "c2", "c3"])] })]);
  const late = reducer(state, { type: "already_resolved", sessionId: SESSION, details: { ...decision("c1", "rejected"), decided_at: "…" } });
  assert.deepEqual([asked(late), decisions(late)], [["c2", "c3"], [["c1", "rejected", "ann", null]]]);
  assert.equal(reducer(state, { type: "already_resolved", sessionId: SESSION, details: null }), state);
  const narrowed = reducer(late, { type: "hitl_status", status: status(["c1", "c2"]) });
  assert.deepEqual(asked(narrowed), ["c2"]);
  const other = reducer(late, { type: "hitl_status", status: status(["c1", "c2"], { hitl_session_id: "p2" }) });
  assert.equal(promptOf(other, SESSION), null);
  const closed = reducer(initialState(), { type: "hitl_status", status: status(["c1"]) });
  assert.equal(promptOf(closed, SESSION), null, "it never opens one");
});

test("hitl.history tells of decisions before this page, and what a person changed", () => {
  const history = [{ hitl_session_id: PROMPT, calls: [
    { tool_call_id: "c1", decision: "modified", by: "ann", reason: null, final_args: { a: 2 }, tool_args: { a: 1 } },
    { tool_call_id: "c2", decision: "rejected", by: "ann", reason: "no", final_args: null },
    { tool_call_id: "c3", decision: null, by: null, reason: null, final_args: null },
  ] }];
  const state = fold(initialState(), [hello({ pending_hitl: [status(["c3"])] }), { type: "asked_before", sessionId: SESSION, history }]);
  assert.deepEqual(decisions(state), [["c1", "modified", "ann", null], ["c2", "rejected", "ann", "no"]]);
  assert.deepEqual([state.asking[SESSION].decisions.c1.args, asked(state)], [{ a: 2 }, ["c3"]]);
});

test("the end of a run and of a session ends its question", () => {
  const e = feed();
  const state = fold(initialState(), [hello(), e("hitl_required", status(["c1"]))]);
  assert.equal(waitingSessions(fold(state, [feed(5)("done", { outcome: "stopped" })])), 0);
  assert.equal(waitingSessions(fold(state, [feed(5)("session_deleted")])), 0);
});

test("a tab that opens while a person is asked shows the calls as one that was there", () => {
  const calls = [{ id: "c1", type: "function", function: { name: CONFIGURE, arguments: "{}" } }];
  const e = feed();
  const live = fold(initialState(), [hello(), e("session_created", { session: { session_id: SESSION, message_count: 0 } }),
    e("run_started", { message_id: "u1", message: "hi" }), e("tool_call", { message_id: "a1", tool_call: { ...calls[0], complete: true, function: { ...calls[0].function, complete: true } } }),
    e("hitl_required", status(["c1"]))]);
  const messages = [{ id: "u1", role: "user", content: "hi" }, { id: "a1", role: "assistant", content: "", tool_calls: calls },
    { id: "running-c1", role: "tool", tool_call_id: "c1", content: "", metadata: { partial: true } }];
  const opened = fold(initialState(), [hello({ seq: 4, runs: [waitingRun], pending_hitl: [status(["c1"])] }),
    { type: "history_requested", sessionId: SESSION, request: 1 },
    { type: "history_loaded", sessionId: SESSION, request: 1, history: { epoch: "e1", seq: 4, messages } }]);
  const seen = (state) => state.transcripts[SESSION].items.flatMap((item) => item.calls ?? []);
  assert.deepEqual(seen(opened), seen(live));
  assert.deepEqual(promptOf(opened, SESSION), promptOf(live, SESSION));
});

test("a message while a person is asked is refused with a code that offers to interrupt", () => {
  const state = fold(initialState(), [hello({ pending_hitl: [status(["c1"])] }), { type: "send", sessionId: SESSION, clientMessageId: "m1", text: "hi" },
    { type: "send_failed", sessionId: SESSION, clientMessageId: "m1", error: { code: "hitl_pending", message: "waits" } }]);
  assert.deepEqual(state.transcripts[SESSION].outbox.map((entry) => [entry.state, entry.code]), [["failed", "hitl_pending"]]);
});
