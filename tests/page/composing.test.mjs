/** What becomes of a message that is sent now, and how long it may be. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { charactersLeft, lastMessage, modeOf } from "../../static/js/state/composing.js";
import { initialState } from "../../static/js/state/reducer.js";
import { isAnswering } from "../../static/js/state/select.js";

const base = { ...initialState(), projects: [{ project_id: "p", status: "opened" }], projectId: "p", selected: "s", connection: "connected" };
const running = { ...base, runs: { s: { run_id: "r", status: "running" } } };
const asking = { ...running, asking: { s: { prompt: { id: "q", tools: { c: {} } }, decisions: {} } } };

test("each state of the chat has its way of sending", () => {
  assert.equal(modeOf(base, false), "idle");
  assert.equal(modeOf({ ...base, projects: [{ project_id: "p", status: "closed" }] }, true), "closed");
  assert.equal(modeOf({ ...base, projects: [] }, false), "none", "not known yet");
  assert.equal(modeOf(running, false), "running");
  assert.equal(modeOf({ ...running, selected: "other" }, false), "idle");
  assert.equal(modeOf(asking, false), "asks");
  assert.equal(modeOf({ ...asking, connection: "reconnecting" }, false), "offline");
  assert.deepEqual([modeOf(base, true), modeOf(running, true)], ["editing", "editing_busy"]);
});

test("the length is said near the end, in characters as the server counts them", () => {
  assert.equal(charactersLeft("a".repeat(50), 100), null);
  assert.equal(charactersLeft("a".repeat(95), 100), 5);
  assert.equal(charactersLeft("a".repeat(103), 100), -3);
  assert.equal(charactersLeft("😀".repeat(95), 100), 5);
  assert.equal(charactersLeft("😀".repeat(60), 100), null);
  assert.equal(charactersLeft("a".repeat(1000), undefined), null);
});

test("the last message can be changed, also while it is answered; none while a later one is under way", () => {
  const items = [{ kind: "user", id: "u1" }, { kind: "user", id: "u2" }, { kind: "assistant", id: "a" }];
  const withItems = (state, ...outbox) => ({ ...state, transcripts: { s: { items, outbox: outbox.map((one) => ({ state: one })) } } });
  assert.equal(lastMessage(withItems(base)).id, "u2");
  assert.equal(lastMessage(withItems(running)).id, "u2");
  assert.equal(lastMessage(withItems(base, "failed")).id, "u2");
  for (const state of ["sending", "sent", "waiting", "queued"]) assert.equal(lastMessage(withItems(running, state)), null);
  assert.equal(lastMessage(base), null);
});

test("a chat answers from the press that sends", () => {
  const sending = (state, selected = "s") => ({ ...base, selected, transcripts: { s: { items: [], outbox: [{ state }] } } });
  assert.deepEqual([isAnswering(base), isAnswering(running), isAnswering({ ...running, selected: "other" })], [false, true, false]);
  assert.deepEqual(["sending", "sent", "waiting", "queued", "failed"].map((state) => isAnswering(sending(state))), [true, true, false, false, false]);
  assert.equal(isAnswering(sending("sending", "other")), false);
});
