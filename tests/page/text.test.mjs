/** Texts and tool data, as far as they are pure. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { NO_MARKDOWN, grown } from "../../static/js/state/markdown.js";
import { parsePartial } from "../../static/js/state/partial_json.js";
import { deviceWork } from "../../static/js/state/tool_data.js";

const TEXT = "Intro\n\n1. one\n   - deep\n\n2. two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\nls\n\nls\n```\n> said\n\nbye **bold**\n===\n\n- [x] done\n- open\n\n2";
const raws = (markdown) => markdown.blocks.map((block) => block.token.raw);
const inPieces = (text, size) => Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(0, (at + 1) * size));

test("a growing text ends in the blocks of the whole one", () => {
  const whole = grown(NO_MARKDOWN, TEXT, true);
  for (const size of [1, 2, 3, 7, 50]) {
    const stream = inPieces(TEXT, size).reduce((so_far, text) => grown(so_far, text, false), NO_MARKDOWN);
    assert.deepEqual(stream.blocks, whole.blocks, `pieces of ${size}`);
  }
});

test("finished blocks are the same objects, from the first time on and when the end has come", () => {
  const [head] = grown(NO_MARKDOWN, "One.\n\nTwo.\n\nThree", false).blocks;
  let stream = grown(NO_MARKDOWN, "One.\n\nTwo.\n\nThree", false);
  for (const text of ["One.\n\nTwo.\n\nThree.\n\n- a", "One.\n\nTwo.\n\nThree.\n\n- a\n- b", "One.\n\nTwo.\n\nThree.\n\n- a\n- b\n- c"]) {
    const next = grown(stream, text, false);
    assert.equal(next.blocks[1], stream.blocks[1]);
    stream = next;
  }
  const list = stream.blocks.at(-1).token;
  const ended = grown(stream, stream.text, true);
  assert.deepEqual(ended.blocks, stream.blocks);
  assert.ok(ended.blocks.every((block, at) => block === stream.blocks[at]));
  assert.equal(grown(stream, `${stream.text}\n- d`, false).blocks.at(-1).token.items[0], list.items[0], "items of a list that grows");
  assert.deepEqual(head, stream.blocks[0]);
});

test("a link may name its address later: the end of the text settles it", () => {
  const text = "See [the docs][d].\n\nMore.\n\nAnd more.\n\n[d]: https://example.org/d\n";
  const stream = inPieces(text, 4).reduce((so_far, part) => grown(so_far, part, false), NO_MARKDOWN);
  const link = (markdown) => markdown.blocks[0].token.tokens.find((token) => token.type === "link")?.href;
  assert.deepEqual([link(stream), link(grown(stream, text, true))], [undefined, "https://example.org/d"]);
});

test("line ends of every kind, and a text that is another one", () => {
  assert.deepEqual(raws(grown(NO_MARKDOWN, "a\r\n\r\nb\rc", true)), ["a", "b\nc"]);
  assert.deepEqual(raws(grown(grown(NO_MARKDOWN, "a\n\nb\n\nc\n\nd", false), "x\n\ny", false)), ["x", "y"]);
  assert.deepEqual(grown(NO_MARKDOWN, "", false).blocks, []);
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
  const stopped = JSON.stringify({ results: [{ name: "R2", status: "success", state: "stopped" }, { name: "R9", status: "failed", error: "There is no R9." }] });
  const states = deviceWork({ args: '{"node_ids": ["R2", "R9"]}', output: stopped }).map((work) => [work.name, work.status, work.state, work.error]);
  assert.deepEqual(states, [["R2", "success", "stopped", ""], ["R9", "failed", null, "There is no R9."]]);
});
