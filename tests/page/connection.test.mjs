/** The connection over scripted lines: ids, results, resume, close codes, and the way around blocked WebSockets. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { createBackoff } from "../../static/js/net/backoff.js";
import { Connection } from "../../static/js/net/connection.js";
import { nextRoute, FIRST_ROUTE } from "../../static/js/net/fallback.js";

const SILENT = 4000;

function scripted(verdict = "open", options = {}) {
  const lines = [];
  const seen = { events: [], statuses: [], links: [], hellos: 0, logins: 0, closed: 0 };
  const open = (way) => ({ resume, onFrame, onClose }) => {
    let live = true;
    const close = (code = 1000) => {
      if (live) [live] = [false, onClose(code)];
    };
    const line = { way, resume, sent: [], silent: false, frame: onFrame, drop: close, close, send: (frame) => line.sent.push(frame), expect() {}, overdue: () => line.silent };
    lines.push(line);
    return line;
  };
  const connection = new Connection({ socket: open("socket"), stream: open("stream") }, {
    onHello: () => (seen.hellos += 1),
    onEvent: (event) => seen.events.push(event.seq),
    onStatus: (status, link) => {
      if (seen.statuses.at(-1) !== status) seen.statuses.push(status);
      seen.links.push(link);
    },
    onLogin: () => (seen.logins += 1),
    onProjectClosed: () => (seen.closed += 1),
    diagnose: async () => verdict,
  }, { backoff: { next: () => 0, reset() {} }, ...options });
  connection.connect();
  return { connection, lines, seen };
}

const hello = (fields = {}) => ({ type: "hello", epoch: "e1", seq: 5, recovered: null, heartbeat: 15, ...fields });
const soon = () => new Promise((resolve) => setTimeout(resolve, 10));
const ways = (lines) => lines.map((line) => line.way);

test("commands have growing ids and are answered by id, in any order", async () => {
  const { connection, lines: [line] } = scripted();
  line.frame(hello());
  const first = connection.command("ping", { a: 1 });
  const second = connection.command("ping", { a: 2 });
  assert.deepEqual(line.sent.map((frame) => [frame.id, frame.type]), [[1, "ping"], [2, "ping"]]);
  line.frame({ type: "result", id: 2, ok: false, error: { code: "not_found", message: "no", details: null } });
  line.frame({ type: "result", id: 1, ok: true, result: "yes" });
  assert.equal(await first, "yes");
  await assert.rejects(second, { code: "not_found", message: "no" });
  connection.end();
});

test("a drop loses commands and resumes where the last event was", async () => {
  const { connection, lines, seen } = scripted();
  lines[0].frame(hello());
  lines[0].frame({ type: "content", seq: 6 });
  lines[0].frame({ type: "content", first_seq: 7, seq: 9 });
  lines[0].frame({ type: "heartbeat", seq: 9 });
  const lost = connection.command("ping");
  lines[0].drop(1006);
  await assert.rejects(lost, { code: "connection_lost" });
  await soon();
  assert.deepEqual(lines[1].resume, { epoch: "e1", seq: 9 });
  const ready = connection.ready();
  lines[1].frame(hello({ recovered: true, seq: 20 }));
  await ready;
  lines[1].frame({ type: "content", seq: 9 });
  lines[1].frame({ type: "content", seq: 10 });
  assert.deepEqual(seen.events, [6, 9, 10], "each once");
  assert.deepEqual(seen.statuses, ["connecting", "connected", "reconnecting", "connected"]);
  connection.end();
  await assert.rejects(connection.ready(), { code: "connection_lost" });
  assert.equal(seen.statuses.at(-1), "idle");
});

test("a hole in the numbers is closed by a resume", async () => {
  const { connection, lines, seen } = scripted();
  lines[0].frame(hello());
  lines[0].frame({ type: "content", seq: 6 });
  lines[0].frame({ type: "content", seq: 8 });
  await soon();
  assert.deepEqual(seen.events, [6]);
  assert.deepEqual(lines[1].resume, { epoch: "e1", seq: 6 });
  connection.end();
});

test("what cannot be resumed starts at the new place", async () => {
  const { connection, lines, seen } = scripted();
  lines[0].frame(hello());
  lines[0].drop(4408);
  await soon();
  lines[1].frame(hello({ epoch: "e2", seq: 0, recovered: false }));
  lines[1].frame({ type: "content", seq: 1 });
  assert.deepEqual([seen.hellos, seen.events], [2, [1]]);
  connection.end();
});

for (const [code, verdict, what] of [[4401, "open", "logins"], [4403, "open", "closed"], [1006, "login", "logins"], [1006, "closed", "closed"]]) {
  test(`close ${code}, diagnosed ${verdict}: ${what}, and no further attempt`, async () => {
    const { lines, seen } = scripted(verdict);
    if (verdict === "open") lines[0].frame(hello());
    lines[0].drop(code);
    await soon();
    assert.deepEqual([seen[what], lines.length, seen.statuses.at(-1)], [1, 1, "idle"]);
  });
}

test("while it waits for the next try it says until when, and that the server said goodbye", async () => {
  const { connection, lines, seen } = scripted("unreachable", { backoff: { next: () => 60_000, reset() {} } });
  lines[0].frame(hello());
  lines[0].drop(1001);
  await soon();
  const { retryAt, stopping } = seen.links.at(-1);
  assert.ok(Math.abs(retryAt - Date.now() - 60_000) < 1000);
  assert.equal(stopping, true);
  connection.check();
  assert.deepEqual([lines.length, seen.links.at(-1).retryAt], [2, null], "asked to, it tries at once");
  connection.end();
});

test("after a sleep a silent line is not trusted, a living one is kept", async () => {
  const { connection, lines } = scripted();
  lines[0].frame(hello());
  connection.check();
  assert.equal(lines.length, 1);
  lines[0].silent = true;
  connection.check();
  await soon();
  assert.deepEqual(lines[1].resume, { epoch: "e1", seq: 5 });
  connection.end();
});

test("it waits twice as long each time, up to a quarter of a minute, and no two clients in step", () => {
  const waits = (random) => {
    const backoff = createBackoff({ random: () => random });
    return { backoff, all: Array.from({ length: 8 }, () => backoff.next()) };
  };
  assert.deepEqual(waits(1).all, [500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
  const { backoff, all } = waits(0);
  assert.deepEqual(all, [250, 500, 1000, 2000, 4000, 7500, 7500, 7500]);
  backoff.reset();
  assert.equal(backoff.next(), 250);
});

test("two refused upgrades while REST answers lead to the stream; a fallen stream tries a socket once", async () => {
  const { connection, lines, seen } = scripted();
  lines[0].drop(1006);
  await soon();
  lines[1].drop(1006);
  await soon();
  assert.deepEqual(ways(lines), ["socket", "socket", "stream"]);
  lines[2].frame(hello());
  assert.equal(seen.links.at(-1).way, "stream");
  lines[2].frame({ type: "content", seq: 6 });
  lines[2].drop(1006);
  await soon();
  lines[3].drop(1006);
  await soon();
  assert.deepEqual(ways(lines).slice(3), ["socket", "stream"]);
  assert.deepEqual(lines[4].resume, { epoch: "e1", seq: 6 });
  connection.end();
});

test("a socket found beside the stream takes its place: events once, commands under way are still answered", async () => {
  const { connection, lines, seen } = scripted("open", { look: 1 });
  lines[0].drop(SILENT);
  await soon();
  const stream = lines[1];
  stream.frame(hello());
  stream.frame({ type: "content", seq: 6 });
  const answer = connection.command("sessions.get");
  await soon();
  const socket = lines[2];
  assert.deepEqual([stream.way, socket.way, socket.resume.epoch], ["stream", "socket", "e1"]);
  stream.frame({ type: "content", seq: socket.resume.seq + 1 });
  socket.frame(hello({ recovered: true, seq: 7 }));
  socket.frame({ type: "content", seq: 7 });
  stream.frame({ type: "content", seq: 8 });
  socket.frame({ type: "content", seq: 8 });
  stream.frame({ type: "result", id: 1, ok: true, result: "late" });
  assert.equal(await answer, "late");
  assert.deepEqual(seen.events, [6, 7, 8]);
  assert.deepEqual([seen.hellos, seen.links.at(-1).way, seen.statuses], [1, "socket", ["connecting", "connected"]]);
  connection.end();
});

test("a socket that is looked for in vain disturbs nothing", async () => {
  const { connection, lines, seen } = scripted("open", { look: 1 });
  lines[0].drop(SILENT);
  await soon();
  lines[1].frame(hello());
  await soon();
  lines[2].drop(1006);
  lines[1].frame({ type: "content", seq: 6 });
  assert.deepEqual([seen.events, seen.links.at(-1).way], [[6], "stream"]);
  connection.end();
});

const TABLE = [
  ["one refusal is an accident", FIRST_ROUTE, ["refused"], "socket"],
  ["two are a wall", FIRST_ROUTE, ["refused", "refused"], "stream"],
  ["a hello between them makes the first an accident", FIRST_ROUTE, ["refused", "greeted", "fell", "refused"], "socket"],
  ["silence is a wall at once", FIRST_ROUTE, ["silent"], "stream"],
  ["a server that is down says nothing about WebSockets", FIRST_ROUTE, Array(9).fill("unreachable"), "socket"],
  ["where the stream is refused too, a socket is tried", { way: "stream", refused: 0 }, ["refused"], "socket"],
  ["a stream that fell tries a socket", { way: "stream", refused: 0 }, ["greeted", "fell"], "socket"],
  ["and goes back at once", { way: "stream", refused: 0 }, ["greeted", "fell", "refused"], "stream"],
];
for (const [name, route, outcomes, way] of TABLE) {
  test(name, () => assert.equal(outcomes.reduce(nextRoute, route).way, way));
}
