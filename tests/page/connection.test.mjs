/** The connection over a scripted socket: ids, results, resume, close codes. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Connection } from "../../static/js/net/connection.js";

function scripted(verdict = "retry") {
  const sockets = [];
  const seen = { events: [], statuses: [], hellos: 0, logins: 0, closed: 0 };
  const open = (url, { onFrame, onClose }) => {
    const socket = { url, sent: [], frame: onFrame, drop: onClose, send: (frame) => socket.sent.push(frame), expect() {}, close: (code = 1000) => onClose(code) };
    sockets.push(socket);
    return socket;
  };
  const connection = new Connection("ws://lab/ws", {
    onHello: () => (seen.hellos += 1),
    onEvent: (event) => seen.events.push(event.seq),
    onStatus: (status) => seen.statuses.push(status),
    onLogin: () => (seen.logins += 1),
    onProjectClosed: () => (seen.closed += 1),
    diagnose: async () => verdict,
  }, { open, backoff: { next: () => 0, reset() {} } });
  connection.connect();
  return { connection, sockets, seen };
}

const hello = (fields = {}) => ({ type: "hello", epoch: "e1", seq: 5, recovered: null, heartbeat: 15, ...fields });
const soon = () => new Promise((resolve) => setTimeout(resolve, 5));

test("commands have growing ids and are answered by id, in any order", async () => {
  const { connection, sockets: [socket] } = scripted();
  socket.frame(hello());
  const first = connection.command("ping", { a: 1 });
  const second = connection.command("ping", { a: 2 });
  assert.deepEqual(socket.sent.map((frame) => [frame.id, frame.type]), [[1, "ping"], [2, "ping"]]);
  socket.frame({ type: "result", id: 2, ok: false, error: { code: "not_found", message: "no", details: null } });
  socket.frame({ type: "result", id: 1, ok: true, result: "yes" });
  assert.equal(await first, "yes");
  await assert.rejects(second, { code: "not_found", message: "no" });
});

test("a drop loses commands and resumes where the last event was", async () => {
  const { connection, sockets, seen } = scripted();
  sockets[0].frame(hello());
  sockets[0].frame({ type: "content", seq: 6 });
  sockets[0].frame({ type: "content", first_seq: 7, seq: 9 });
  sockets[0].frame({ type: "heartbeat", seq: 9 });
  const lost = connection.command("ping");
  sockets[0].drop(1006, "");
  await assert.rejects(lost, { code: "connection_lost" });
  await soon();
  assert.equal(sockets[1].url, "ws://lab/ws?resume=e1%3A9");
  const ready = connection.ready();
  sockets[1].frame(hello({ recovered: true, seq: 20 }));
  await ready;
  sockets[1].frame({ type: "content", seq: 9 });
  sockets[1].frame({ type: "content", seq: 10 });
  assert.deepEqual(seen.events, [6, 9, 10], "each once");
  assert.deepEqual(seen.statuses, ["connecting", "connected", "reconnecting", "reconnecting", "connected"]);
  connection.end();
});

test("a hole in the numbers is closed by a resume", async () => {
  const { connection, sockets, seen } = scripted();
  sockets[0].frame(hello());
  sockets[0].frame({ type: "content", seq: 6 });
  sockets[0].frame({ type: "content", seq: 8 });
  await soon();
  assert.deepEqual(seen.events, [6]);
  assert.equal(sockets[1].url, "ws://lab/ws?resume=e1%3A6");
  connection.end();
});

test("what cannot be resumed starts at the new place", async () => {
  const { connection, sockets, seen } = scripted();
  sockets[0].frame(hello());
  sockets[0].drop(4408, "");
  await soon();
  sockets[1].frame(hello({ epoch: "e2", seq: 0, recovered: false }));
  sockets[1].frame({ type: "content", seq: 1 });
  assert.deepEqual([seen.hellos, seen.events], [2, [1]]);
  connection.end();
});

for (const [code, verdict, what] of [[4401, "retry", "logins"], [4403, "retry", "closed"], [1006, "login", "logins"], [1006, "closed", "closed"]]) {
  test(`close ${code}, diagnosed ${verdict}: ${what}, and no further attempt`, async () => {
    const { sockets, seen } = scripted(verdict);
    if (verdict === "retry") sockets[0].frame(hello());
    sockets[0].drop(code, "");
    await soon();
    assert.deepEqual([seen[what], sockets.length, seen.statuses.at(-1)], [1, 1, "offline"]);
  });
}
