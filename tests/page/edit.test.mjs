/** Editing a call: lines per device or JSON, and what is wrong with what was typed. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { changesOf, draftOf, isChanged, placeFaults, readDraft, strangers, turned } from "../../static/js/state/edit.js";
import { jsonFault } from "../../static/js/state/json_fault.js";

const SIGNS = { same: " ", add: "+", del: "-" };
const shown = (lines) => lines.map(({ kind, text }) => SIGNS[kind] + text);
const ARGS = { device_configs: [{ device_name: "R1", config_commands: ["a", "b"] }, { device_name: "R2", config_commands: ["c"] }] };
const typed = (draft, at, text) => ({ ...draft, devices: draft.devices.with(at, { ...draft.devices[at], text }) });
const asJson = (text) => ({ view: "json", devices: null, text });

test("editing lines: one command a line, empty ones dropped, a device without any left out", () => {
  const draft = draftOf(ARGS);
  assert.deepEqual(draft.devices.map(({ name, text }) => [name, text]), [["R1", "a\nb"], ["R2", "c"]]);
  assert.deepEqual(readDraft(draft), { args: ARGS, fault: null });
  assert.equal(isChanged(ARGS, draft), false);
  const edited = typed(typed(draft, 0, "a\n\n   \n  x  \r\n"), 1, " \n");
  const { args } = readDraft(edited);
  assert.deepEqual(args, { device_configs: [{ device_name: "R1", config_commands: ["a", "  x"] }] });
  assert.deepEqual(changesOf(ARGS, args).map(({ name, lines }) => [name, shown(lines)]), [["R1", [" a", "-b", "+  x"]], ["R2", ["-c"]]]);
  assert.deepEqual(readDraft(typed(edited, 0, "")), { args: null, fault: { code: "empty" } });
  assert.equal(isChanged(ARGS, typed(edited, 0, "")), true, "what cannot be sent is an edit too");
});

test("editing other tools: JSON, checked", () => {
  const args = { node_ids: ["PC2"] };
  const draft = draftOf(args);
  assert.deepEqual([draft.view, draft.devices, turned(draft)], ["json", null, null]);
  assert.deepEqual(readDraft(draft), { args, fault: null });
  assert.equal(readDraft(asJson('{"node_ids": [')).fault.code, "json");
  for (const text of ["[]", "null", "3"]) assert.deepEqual(readDraft(asJson(text)).fault, { code: "object" });
  assert.deepEqual(changesOf(args, args), []);
  assert.deepEqual(shown(changesOf(args, { node_ids: ["PC1"] })[0].lines), [" {", '   "node_ids": [', '-    "PC2"', '+    "PC1"', "   ]", " }"]);
  assert.equal(draftOf({ device_configs: [{ device_name: "R1", config_commands: [1] }] }).devices, null, "not lines: JSON");
  assert.deepEqual(readDraft(asJson('{"device_configs": [{"device_name": "R1", "commands": []}]}')).fault, { code: "empty" });
});

test("both ways of writing: there and back nothing that was typed is lost", () => {
  const draft = typed(draftOf(ARGS), 0, "a\n\n  b");
  const json = turned(draft);
  assert.deepEqual([json.view, JSON.parse(json.text).device_configs[0].config_commands], ["json", ["a", "  b"]]);
  assert.equal(turned(json).devices[0].text, "a\n\n  b", "the blank line too");
  const spaced = { ...json, text: json.text.replace("[", "[\n\n") };
  assert.equal(turned(turned(spaced)).text, spaced.text);
  const more = { ...json, text: '{"device_configs": [{"device_name": "R3", "config_commands": ["x"]}]}' };
  assert.deepEqual(turned(more).devices.map(({ name, text }) => [name, text]), [["R3", "x"]]);
  for (const text of ["{", '{"node_ids": ["PC1"]}', '{"device_configs": [], "more": 1}']) assert.equal(turned({ ...json, text }), null, text);
});

test("names that the lab does not have", () => {
  const nodes = [{ name: "R1", node_id: "n-1" }, { name: "PC2", node_id: "n-2" }];
  assert.deepEqual(strangers(ARGS, nodes), ["R2"]);
  assert.deepEqual(strangers({ node_ids: ["PC2", "n-1", "PC9", "PC9"] }, nodes), ["PC9"]);
  assert.deepEqual(strangers(ARGS, []), [], "an unknown lab knows nothing better");
  assert.deepEqual(strangers({ device_configs: "x", node_ids: [3] }, nodes), []);
});

test("what the server finds wrong stands at the device whose lines it is about", () => {
  const draft = typed(draftOf(ARGS), 0, "");
  const details = [{ field: "device_configs.0.config_commands", message: "too long" }, { field: "other", message: "extra" }, { field: null, message: "no" }];
  assert.deepEqual(placeFaults(draft, details), { devices: { 1: "too long" }, rest: ["other: extra", "no"] }, "R1 was not sent: index 0 is R2");
  assert.deepEqual(placeFaults(turned(draft), details).rest.length, 3);
});

test("where a text stops being JSON", () => {
  const at = (text) => {
    const fault = jsonFault(text);
    return fault && [fault.wants, fault.line, fault.column];
  };
  assert.deepEqual(at('{\n  "a": x}'), ["value", 2, 8]);
  assert.deepEqual(at('{"a" 1}'), ["colon", 1, 6]);
  assert.deepEqual(at("{a: 1}"), ["name", 1, 2]);
  assert.deepEqual(at('{"a": 1,}'), ["name", 1, 9]);
  assert.deepEqual(at("[1 2]"), ["comma", 1, 4]);
  assert.deepEqual(at("[1,]"), ["value", 1, 4]);
  assert.deepEqual(at('{"a": [\n"x'), ["quote", 2, 1]);
  assert.deepEqual(at('"a\\q"'), ["quote", 1, 1]);
  assert.deepEqual(at("{} {}"), ["end", 1, 4]);
  assert.deepEqual(at(""), ["value", 1, 1]);
  for (const text of ["01", "1.", "tru", "nul", "--1", "+1", "1e", "NaN"]) assert.notEqual(at(text), null, text);
});

test("it judges as JSON.parse does", () => {
  const pieces = ["{", "}", "[", "]", ":", ",", '"a"', '"\\u12ab"', "1", "-0.5e+3", "true", "null", " ", "\n", '"', "x", "\\", "0"];
  const isJson = (text) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  for (let round = 0; round < 20_000; round += 1) {
    const text = Array.from({ length: 1 + Math.floor(Math.random() * 7) }, () => pieces[Math.floor(Math.random() * pieces.length)]).join("");
    assert.equal(jsonFault(text) === null, isJson(text), JSON.stringify(text));
  }
});
