/** The settings' forms: limits of messages, model configurations; and what a chat has used. Run: node --test tests/page/ */

import assert from "node:assert/strict";
import { test } from "node:test";

import { limitsDraft, readLimits } from "../../static/js/state/limits.js";
import { changed, changesOf, draftOf, emptyDraft, faultsOf, serverFaults } from "../../static/js/state/model_form.js";
import { readNumber } from "../../static/js/state/numbers.js";
import { billsOf, tokensOf, toolsOf } from "../../static/js/state/usage.js";

test("numbers are read as people type them", () => {
  assert.deepEqual(readNumber("  "), { value: null, fault: null });
  assert.equal(readNumber("100 000", { whole: true, min: 1 }).value, 100000);
  assert.equal(readNumber("１２").value, 12);
  assert.equal(readNumber(".5", { min: 0, max: 2 }).value, 0.5);
  assert.equal(readNumber("1e3").fault, "This has to be a number.");
  assert.equal(readNumber("1.5", { whole: true }).fault, "This has to be a whole number.");
  assert.equal(readNumber("0", { whole: true, min: 1, max: 100 }).fault, "From 1 to 100.");
  assert.equal(readNumber("-1", { min: 0 }).fault, "At least 0.");
  assert.equal(readNumber("0", { above: 0 }).fault, "More than 0.");
});

test("an empty form of limits sends nothing", () => {
  assert.deepEqual(readLimits(limitsDraft({})), { limits: {}, faults: {} });
});

test("limits stand where the protocol has them, and come back as they were typed", () => {
  const limits = {
    max_iterations: 5, temperature: 0.2,
    controls: { max_cost_usd: 0.5, on_limit_reached: "continue", retry_on_tool_error: true, max_retries_per_tool: 0, tool_limits: { stop_gns3_node: 0, delete_gns3_link: 2 } },
  };
  assert.deepEqual(readLimits(limitsDraft(limits)), { limits, faults: {} });
});

test("each limit that is out of its range is named", () => {
  const wrong = { max_iterations: "101", max_tool_calls: "0", temperature: "2.1", max_cost_usd: "0", max_parallel_tools: "x", tool_limits: "stop_gns3_node" };
  const { limits, faults } = readLimits({ ...limitsDraft({}), ...wrong, max_tokens: "512" });
  assert.deepEqual(Object.keys(faults).sort(), Object.keys(wrong).sort());
  assert.deepEqual(limits, { max_tokens: 512 });
  assert.match(readLimits({ ...limitsDraft({}), tool_limits: "a: 1\nb: 99" }).faults.tool_limits, /^b: 99/);
});

const stored = {
  config_id: "c", name: "mine", is_default: true, version: 3,
  config: { provider: "openai", base_url: "http://lab:8000/v1", model: "qwen3", temperature: 0, max_tokens: null, context_limit: 128, api_key: null },
};

test("a configuration's form shows what is stored, without its key, and sends the same back", () => {
  const draft = draftOf(stored);
  assert.equal(draft.api_key, "");
  const body = { name: "mine", provider: "openai", base_url: "http://lab:8000/v1", model: "qwen3", temperature: 0, max_tokens: null, context_limit: 128 };
  assert.deepEqual(changesOf(draft, stored), body);
  assert.deepEqual(changesOf({ ...draft, api_key: " sk-1 " }, stored), { ...body, api_key: "sk-1" });
  assert.deepEqual(changesOf({ ...draft, remove_key: true }, stored), { ...body, api_key: "" });
});

test("what somebody else changed meanwhile is named", () => {
  const theirs = { ...stored, version: 4, config: { ...stored.config, model: "other", temperature: null } };
  assert.deepEqual(changed(stored, theirs), [["model", "other"], ["temperature", ""]]);
  assert.deepEqual(changed(stored, { ...stored, version: 4 }), []);
});

test("what is missing or malformed is said before the server is asked", () => {
  assert.deepEqual(Object.keys(faultsOf(emptyDraft())).sort(), ["model", "name"]);
  const wrong = { ...emptyDraft(), name: "a", model: "b", base_url: "lab:8000", api_key: "密钥", temperature: "3", context_limit: "0" };
  assert.deepEqual(Object.keys(faultsOf(wrong)).sort(), ["api_key", "base_url", "context_limit", "temperature"]);
  assert.deepEqual(faultsOf({ ...draftOf(stored), base_url: "" }), {});
});

test("a refusal stands at its field, or below the form", () => {
  const refused = { details: [{ field: "base_url", message: "not an address" }] };
  assert.deepEqual(serverFaults(refused, emptyDraft(), "whole"), { base_url: "not an address" });
  assert.deepEqual(serverFaults({ details: [{ field: "is_new", message: "?" }] }, emptyDraft(), "whole"), { "": "whole" });
  assert.deepEqual(serverFaults({ details: null }, emptyDraft(), "whole"), { "": "whole" });
  const key = serverFaults({ details: [{ field: "api_key", message: "give the key again" }] }, draftOf(stored), "whole");
  assert.match(key.api_key, /enter it again/);
});

test("usage: a run's tokens are added while it goes, an unknown price is not zero", () => {
  const session = {
    input_tokens: 10, output_tokens: 2, total_tokens: 12,
    stats: { billed: { demo: { input_tokens: 30, output_tokens: 2, calls: 3, cost_usd: 0 }, own: { calls: 1, cost_usd: "unknown" } }, tool_calls: { a: 1, b: 4 } },
  };
  assert.deepEqual(tokensOf(session, { input_tokens: 5, output_tokens: 1, total_tokens: 6 }), { input: 15, output: 3, total: 18 });
  assert.deepEqual(tokensOf(null, null), { input: 0, output: 0, total: 0 });
  assert.deepEqual(billsOf(session).map(({ model, cost }) => [model, cost]), [["demo", 0], ["own", null]]);
  assert.deepEqual(toolsOf(session), [["b", 4], ["a", 1]]);
});
