/** What becomes of a message that is sent now, and how long it may be. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { charactersLeft, lastMessage, modeOf } from "../../static/js/state/composing.js";
import { initialState } from "../../static/js/state/reducer.js";

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

test("the last message of an idle chat can be changed", () => {
  const items = [{ kind: "user", id: "u1" }, { kind: "user", id: "u2" }, { kind: "assistant", id: "a" }];
  const withItems = (state) => ({ ...state, transcripts: { s: { items, outbox: [] } } });
  assert.equal(lastMessage(withItems(base)).id, "u2");
  assert.equal(lastMessage(withItems(running)), null);
  assert.equal(lastMessage(base), null);
});
