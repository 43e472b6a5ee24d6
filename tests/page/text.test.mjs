/** Texts and tool data, as far as they are pure. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { parsePartial } from "../../static/js/state/partial_json.js";
import { parseBlocks, parseInline } from "../../static/js/ui/text_blocks.js";
import { deviceWork } from "../../static/js/state/tool_data.js";

const types = (text) => parseBlocks(text).map((block) => block.type);

test("blocks", () => {
  assert.deepEqual(types("# Title\ntext\nmore\n\n- a\n- b\n\n1. x\n\n```ios\nR1#\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\nend"),
    ["heading", "paragraph", "list", "list", "code", "table", "rule", "paragraph"]);
});

test("a fence that is still open is code, whatever it holds", () => {
  const [block] = parseBlocks("```\n# no heading\n- no list");
  assert.deepEqual([block.type, block.text, block.closed], ["code", "# no heading\n- no list", false]);
});

test("a growing text ends in the blocks of the whole one, wherever it is taken up again", () => {
  const text = "Intro\n\n1. one\n   - deep\n\n2. two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\nls\n\nls\n```\nbye **bold**";
  const whole = parseBlocks(text);
  for (const block of whole) {
    assert.deepEqual(parseBlocks(text.slice(block.start), block.start), whole.slice(whole.indexOf(block)));
  }
});

test("inline pieces keep every character of a plain text", () => {
  assert.deepEqual(parseInline("a `show ip | i x` **b** *c* 2 * 3 * 4 <b>"), [
    { type: "text", text: "a " }, { type: "code", text: "show ip | i x" }, { type: "text", text: " " }, { type: "strong", text: "b" },
    { type: "text", text: " " }, { type: "em", text: "c" }, { type: "text", text: " 2 * 3 * 4 <b>" },
  ]);
  assert.deepEqual(parseInline("half **bo"), [{ type: "text", text: "half **bo" }]);
});

test("JSON that is still being written", () => {
  const text = '{"device_configs": [{"device_name": "R1", "commands": ["show \\"x\\"", "show y"]}], "n": 12, "ok": true}';
  assert.deepEqual(parsePartial(text), JSON.parse(text));
  for (let end = 1; end < text.length; end += 1) assert.notEqual(parsePartial(text.slice(0, end)), undefined, text.slice(0, end));
  assert.deepEqual(parsePartial('{"a": [{"device_name": "R'), { a: [{ device_name: "R" }] });
  assert.equal(parsePartial("nonsense"), undefined);
});

test("device work: asked and answered by device", () => {
  const args = JSON.stringify({ device_configs: [{ device_name: "R1", commands: ["show ver"] }, { device_name: "R2", commands: ["reload"] }] });
  const output = JSON.stringify([{ device_name: "R1", status: "success", output: "a\r\nb" }, { device_name: "R2", status: "failed", output: "", error: "refused", blocked_commands: ["reload"] }]);
  assert.deepEqual(deviceWork({ args, output: null }).map((work) => [work.name, work.answered]), [["R1", false], ["R2", false]]);
  const [first, second] = deviceWork({ args, output });
  assert.deepEqual([first.output, first.commands, first.status], ["a\nb", ["show ver"], "success"]);
  assert.deepEqual([second.error, second.blocked], ["refused", ["reload"]]);
  assert.deepEqual(deviceWork({ args: "{}", output: '{"nodes": []}' }), []);
  assert.deepEqual(deviceWork({ args: "", output: "plain" }), []);
});
