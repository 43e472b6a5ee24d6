/** What travels: codecs, server-sent events, and the socket's commands as REST. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { JSON_TEXT, MSGPACK, readFrame, wantedCodec } from "../../static/js/net/codecs.js";
import { refusalOf, requestOf } from "../../static/js/net/rest_commands.js";
import { createSseParser } from "../../static/js/net/sse.js";
import { streamLine } from "../../static/js/net/stream.js";

const frame = { id: 7, type: "x", text: "naïve 路由", list: [1, -2, 2 ** 31, 0.5, null, true], inner: { empty: {} } };

for (const codec of [JSON_TEXT, MSGPACK]) {
  test(`${codec.protocol}: a frame comes out as it went in, what is undefined is left out`, () => {
    assert.deepEqual(readFrame(codec, codec.encode({ ...frame, nothing: undefined })), frame);
  });
}

test("integers beyond a double's are the nearest number in both codecs", () => {
  const eight = Uint8Array.of(0x81, 0xa1, 0x6e, 0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
  assert.equal(readFrame(MSGPACK, eight.buffer).n, readFrame(JSON_TEXT, `{"n": ${2n ** 64n - 1n}}`).n);
});

for (const [name, codec, data] of [
  ["half a map", MSGPACK, Uint8Array.of(0x81, 0xa1)],
  ["a number", MSGPACK, Uint8Array.of(0x07)],
  ["a key that would be a prototype", MSGPACK, MSGPACK.encode(JSON.parse('{"__proto__": 1}'))],
  ["no JSON", JSON_TEXT, "{"],
]) {
  test(`${name} is no frame`, () => assert.equal(readFrame(codec, data), null));
}

test("the address chooses the codec", () => {
  assert.equal(wantedCodec("?codec=json"), JSON_TEXT);
  assert.equal(wantedCodec("?project=demo&codec=cbor"), MSGPACK);
});

test("events come out of a stream whatever pieces it comes in", () => {
  const text = 'id: e1:1\ndata: {"a":1}\n\n: comment\n\r\ndata:two\r\ndata: lines\r\n\r\ndata: later';
  const whole = createSseParser()(text);
  const parse = createSseParser();
  assert.deepEqual(whole, ['{"a":1}', "two\nlines"]);
  assert.deepEqual([...text].flatMap(parse), whole);
  assert.deepEqual(parse("\n\n"), ["later"]);
});

const REQUESTS = [
  ["chat.send", { message: "hi", session_id: "s" }, "POST /stream", { message: "hi", session_id: "s" }],
  ["chat.stop", { session_id: "a.b" }, "POST /sessions/a.b/abort", {}],
  ["run.limits", { session_id: "s", max_tool_calls: 3 }, "POST /sessions/s/limits", { max_tool_calls: 3 }],
  ["run.undo", { run_id: "r" }, "POST /runs/r/undo", undefined],
  ["hitl.status", { session_id: "s" }, "GET /sessions/s/hitl-status", undefined],
  ["hitl.confirm", { session_id: "s", tool_call_ids: ["c"] }, "POST /sessions/s/hitl/confirm", { tool_call_ids: ["c"] }],
  ["hitl.reject", { session_id: "s", reject_all: true }, "POST /sessions/s/hitl/reject", { reject_all: true }],
  ["hitl.modify", { session_id: "s", tool_call_id: "c", modified_args: {} }, "POST /sessions/s/hitl/modify", { tool_call_id: "c", modified_args: {} }],
  ["hitl.history", { session_id: "s" }, "GET /sessions/s/hitl/history", undefined],
  ["sessions.list", { limit: 5, cursor: null, q: "a b&c" }, "GET /sessions?limit=5&q=a+b%26c", undefined],
  ["sessions.get", { session_id: "s" }, "GET /sessions/s", undefined],
  ["sessions.history", { session_id: "s", limit: 100, before: "m/1" }, "GET /sessions/s/history?limit=100&before=m%2F1", undefined],
  ["sessions.rename", { session_id: "s", title: "T" }, "PATCH /sessions/s", { title: "T" }],
  ["sessions.pin", { session_id: "s" }, "PUT /sessions/s/pin", undefined],
  ["sessions.unpin", { session_id: "s" }, "DELETE /sessions/s/pin", undefined],
  ["sessions.delete", { session_id: "s" }, "DELETE /sessions/s", undefined],
];
for (const [type, fields, where, body] of REQUESTS) {
  test(`${type} is ${where}`, () => {
    const request = requestOf(type, fields);
    assert.deepEqual([`${request.method} ${request.path}`, request.body], [where, body]);
  });
}

test("REST's answers are the socket's results", () => {
  const answer = (type, fields, headers, value) => requestOf(type, fields).answer({ headers: new Headers(headers), value });
  const ids = { "X-Run-Id": "r", "X-Session-Id": "s", "X-Message-Id": "m", "X-Run-Status": "queued" };
  assert.deepEqual(answer("chat.send", {}, ids, null), { run_id: "r", session_id: "s", message_id: "m", status: "queued" });
  assert.deepEqual(answer("sessions.list", {}, { "X-Next-Cursor": "c" }, [1]), { sessions: [1], next_cursor: "c" });
  assert.deepEqual(answer("sessions.list", {}, {}, []), { sessions: [], next_cursor: null });
  assert.deepEqual(answer("sessions.delete", { session_id: "s" }, {}, null), {});
  assert.deepEqual(answer("sessions.get", { session_id: "s" }, {}, { title: "T" }), { title: "T" });
});

test("refusals keep the server's code; one that is not the server's is a lost connection", () => {
  assert.deepEqual(refusalOf(409, { code: "session_busy", message: "Busy." }), { code: "session_busy", message: "Busy.", details: null });
  assert.equal(refusalOf(502, null).code, "connection_lost");
});

/** A server of responses by "METHOD path"; what it was asked. */
function restServer(responses) {
  const asked = [];
  const fetch = async (url, options) => {
    const key = `${options.method ?? "GET"} ${url}`;
    asked.push([key, options]);
    if (!responses[key]) throw new TypeError("no network");
    return responses[key]();
  };
  return { asked, fetch };
}

const eventStream = (text, headers = {}) => () => new Response(text, { headers: { "Content-Type": "text/event-stream", ...headers } });

function opened(responses, resume = null) {
  const server = restServer(responses);
  const frames = [];
  return new Promise((resolve) => {
    const line = streamLine("/chat", server.fetch)({
      resume,
      onFrame: (one) => frames.push(one),
      onClose: (code) => setTimeout(() => resolve({ line, frames, code, ...server })),
    });
  });
}

test("a stream gives frames, resumes by Last-Event-ID, and says why the server ended it", async () => {
  const text = 'id: e1:4\ndata: {"type":"hello"}\n\ndata: {"type":"content","seq":5}\n\ndata: {"type":"error","code":"shutting_down"}\n\n';
  const { frames, code, asked } = await opened({ "GET /chat/events": eventStream(text) }, { epoch: "e1", seq: 4 });
  assert.equal(asked[0][1].headers["Last-Event-ID"], "e1:4");
  assert.deepEqual(frames.map((one) => one.type), ["hello", "content"]);
  assert.equal(code, 1001);
});

for (const [name, responses] of [
  ["a refused stream", { "GET /chat/events": () => new Response("{}", { status: 403 }) }],
  ["no network", {}],
  ["a stream of something else", { "GET /chat/events": eventStream("data: <html>\n\ndata: {}\n\n") }],
]) {
  test(`${name} ends the line`, async () => {
    const { frames, code } = await opened(responses);
    assert.deepEqual([frames, code >= 1006], [[], true]);
  });
}

test("a stream's commands are answered in frames, whatever comes of them", async () => {
  const { line, frames } = await opened({
    "POST /chat/stream": eventStream("", { "X-Run-Id": "r", "X-Session-Id": "s", "X-Message-Id": "m", "X-Run-Status": "started" }),
    "GET /chat/sessions/s": () => Response.json({ message: "No.", code: "not_found", details: null }, { status: 404 }),
  });
  await line.send({ id: 1, type: "chat.send", message: "hi" });
  await line.send({ id: 2, type: "sessions.get", session_id: "s" });
  await line.send({ id: 3, type: "hitl.status", session_id: "s" });
  await line.send({ id: 4, type: "no.such" });
  assert.deepEqual(frames.map(({ id, ok, result, error }) => [id, ok, result?.run_id ?? error.code]), [
    [1, true, "r"], [2, false, "not_found"], [3, false, "connection_lost"], [4, false, "unknown_command"],
  ]);
});
