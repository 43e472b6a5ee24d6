/** What became of a call, what the server refuses, how long there is: in words. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { meet, nameOf } from "../../static/js/app/people.js";
import { saysAll, verdictOf } from "../../static/js/ui/hitl/verdict.js";
import { dangersOf, detailsOf, faultOf, timeLeft } from "../../static/js/ui/hitl/words.js";

const call = (state, fields = {}) => ({ id: "c1", state, output: "{}", executed: null, ...fields });
const by = (decision, reason = null) => ({ decision, by: "ann", reason, args: null });

test("what became of a call", () => {
  assert.equal(verdictOf(call("rejected"), by("rejected", "not now")), "Rejected by ann: “not now”. It did not run.");
  assert.equal(verdictOf(call("rejected", { output: '{"error": "…", "reason": "not now"}' }), null), "Rejected by a person: “not now”. It did not run.");
  assert.equal(verdictOf(call("rejected", { output: "cut {" }), by("rejected")), "Rejected by ann. It did not run.");
  assert.match(verdictOf(call("expired"), by("expired")), /in time/);
  assert.match(verdictOf(call("replaced"), by("modified")), /by ann .*did not run/);
  assert.match(verdictOf(call("unknown"), by("confirmed")), /check the device/);
  assert.match(verdictOf(call("stopped"), by("cancelled")), /withdrawn by ann/);
  assert.equal(verdictOf(call("success", { executed: "{}" }), null), "Changed by a person before it ran.");
  assert.equal(verdictOf(call("running"), by("confirmed")), "Confirmed by ann.");
  assert.equal(verdictOf(call("success"), null), "");
  assert.deepEqual(["rejected", "unknown", "success", "stopped"].map((state) => saysAll(call(state), by("confirmed"))), [true, true, false, false]);
});

test("people are called by their names, where these are known", () => {
  meet({ user_id: "c2ef90b9", username: "alice" });
  meet({ user_id: "bob" });
  assert.deepEqual(["c2ef90b9", "bob", undefined].map(nameOf), ["alice", "bob", undefined]);
  assert.equal(verdictOf(call("running"), { ...by("confirmed"), by: "c2ef90b9" }), "Confirmed by alice.");
});

test("what the server refuses", () => {
  const wrong = { code: "invalid_argument", message: "No.", details: [{ field: "node_ids", message: "too short" }, { field: "x" }] };
  assert.equal(faultOf(wrong), "node_ids: too short");
  assert.deepEqual(detailsOf(wrong), [{ field: "node_ids", message: "too short" }]);
  assert.equal(faultOf({ code: "invalid_argument", message: "No.", details: null }), "No.");
  assert.equal(faultOf({ code: "already_resolved", message: "x", details: { decision: "rejected", by: "ann" } }), "Too late: it was rejected by ann.");
  const danger = { device_name: "R1", command: "reload", reason: "Restarts." };
  assert.deepEqual(dangersOf({ code: "confirmation_required", details: [{ tool_call_id: "c1", dangerous_commands: [danger] }] }), [danger]);
  assert.equal(dangersOf({ code: "conflict", details: [] }), null);
});

test("time left", () => {
  assert.deepEqual([300_000, 61_000, 59_001, 400, 0, -5].map(timeLeft), ["5:00 left", "1:01 left", "1:00 left", "0:01 left", "Time is up", "Time is up"]);
});
