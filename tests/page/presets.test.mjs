/** Presets: placeholders, searching, exchanging as a file. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { exported, filled, imported, isDevice, matching, MOST, placeholdersOf, tidied } from "../../static/js/state/presets.js";

test("placeholders: each once, with what stands there by itself", () => {
  const text = "Ping {{ target device }} from {{source|PC1}}, then {{target device|PC2}}; {{}} {{|x}} {one} and {{a{b}} stay";
  assert.deepEqual(placeholdersOf(text), [{ name: "target device", value: "PC2" }, { name: "source", value: "PC1" }]);
  assert.equal(filled("{{a|1}} to {{ b }}, {{a}}, {{c}}", { a: "$&", b: "" }), "$& to , $&, {{c}}");
  assert.deepEqual(placeholdersOf("{{network|10.0.0.0/24}}"), [{ name: "network", value: "10.0.0.0/24" }]);
  assert.deepEqual(placeholdersOf("nothing {here}"), []);
});

test("placeholders that mean a device", () => {
  assert.deepEqual(["device", "First Router", "节点", "目的设备", "network", "area"].map(isDevice), [true, true, true, true, false, false]);
});

const preset = (name, text = "do it", kind = "message") => ({ name, kind, text });

test("a search finds all its words, in name or text", () => {
  const all = [preset("OSPF", "configure area 0"), preset("Routes", "show ip route")];
  assert.deepEqual(matching(all, " AREA ospf").map((one) => one.name), ["OSPF"]);
  assert.deepEqual(matching(all, "").length, 2);
  assert.deepEqual(matching(all, "area route"), []);
});

test("what may be kept", () => {
  assert.deepEqual(tidied({ name: " a ", text: " b\n", kind: "else", id: 3 }), preset("a", "b"));
  for (const wrong of [undefined, {}, { name: "a" }, { name: " ", text: "b" }, { name: "a", text: "\n" }, { name: "a".repeat(MOST.name + 1), text: "b" }]) {
    assert.equal(tidied(wrong), null);
  }
});

test("a file of presets: what is there already comes once, what is none is left out", () => {
  const known = [{ id: "1", ...preset("a") }, { id: "2", ...preset("b", "show clock", "commands") }];
  assert.deepEqual(JSON.parse(exported(known)).presets, [preset("a"), preset("b", "show clock", "commands")]);
  assert.deepEqual(imported(exported(known), []), [preset("a"), preset("b", "show clock", "commands")]);
  assert.deepEqual(imported(exported(known), known), []);
  assert.deepEqual(imported(JSON.stringify([preset("c"), preset("c"), { name: 3 }, null]), known), [preset("c")]);
  for (const wrong of ["", "{}", "[3]", '{"presets": {}}', "null"]) assert.equal(imported(wrong, []), null, wrong);
  const many = JSON.stringify(Array.from({ length: MOST.presets + 9 }, (_, at) => preset(`p${at}`)));
  assert.equal(imported(many, known).length, MOST.presets - known.length);
});
