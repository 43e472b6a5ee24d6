/** Messages are kept until they are at the server, and are there once: offline, over a reload, beside another tab. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { createChat } from "../../static/js/app/chat.js";
import { createDrafts } from "../../static/js/app/drafts.js";
import { createOutbox } from "../../static/js/app/outbox.js";
import { createShelf } from "../../static/js/app/shelf.js";
import { initialState, reducer } from "../../static/js/state/reducer.js";
import { createStore } from "../../static/js/state/store.js";
import { storage } from "./storage.mjs";

let browser;
beforeEach(() => (browser = storage()));

const HELLO = { epoch: "e", seq: 0, recovered: null, user_id: "ann", runs: [], pending_hitl: [] };
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
const refusal = (code) => Object.assign(new Error(code), { code });

/** A page: `answers` are what the server says to each `chat.send`, as functions of its fields. */
function page(answers = []) {
  const store = createStore(reducer, initialState());
  const sent = [];
  const app = { store, connection: null, toasts: { show: (text) => sent.push(text) }, report: (work) => work };
  app.sessions = { open: (sessionId) => store.dispatch({ type: "selected", sessionId }) };
  app.outbox = createOutbox(app);
  app.drafts = createDrafts(app);
  app.chat = createChat(app);
  store.dispatch({ type: "user", userId: "ann" });
  store.dispatch({ type: "project_chosen", projectId: "p" });
  app.outbox.restore();
  const connection = {
    async command(type, fields) {
      sent.push(fields);
      return type === "chat.stop" ? { ...fields, stopped: true } : (answers.shift() ?? started)(fields);
    },
  };
  return {
    app, store, sent,
    outbox: (sessionId) => (store.get().transcripts[sessionId]?.outbox ?? []).map((entry) => [entry.text, entry.state]),
    async connect(hello = {}) {
      app.connection = connection;
      store.dispatch({ type: "hello", hello: { ...HELLO, ...hello } });
      await app.outbox.greeted({ ...HELLO, ...hello });
    },
  };
}

const started = ({ session_id, client_message_id }) => ({ run_id: `r-${client_message_id}`, session_id, message_id: `m-${client_message_id}`, status: "started" });
const queued = (fields) => ({ ...started(fields), status: "queued" });
const fails = (code) => () => Promise.reject(refusal(code));

test("a message goes out with the person's limits and is kept no longer than needed", async () => {
  const one = page();
  await one.connect();
  one.store.dispatch({ type: "preferences", preferences: { limits: { max_iterations: 3, controls: { max_parallel_tools: 1 } } } });
  assert.equal(one.app.chat.send("hi"), true);
  assert.equal(browser.names().length, 1, "while it is on its way");
  await settled();
  const [{ client_message_id: id, session_id: sessionId, ...fields }] = one.sent;
  assert.deepEqual(fields, { message: "hi", on_busy: "enqueue", max_iterations: 3, controls: { max_parallel_tools: 1 } });
  assert.equal(one.store.get().selected, sessionId);
  assert.deepEqual([one.outbox(sessionId), browser.names(), id.length > 8], [[["hi", "sent"]], [], true]);
});

test("offline: kept in order, also over a reload, and sent once with the same ids", async () => {
  const before = page();
  before.store.dispatch({ type: "selected", sessionId: "s" });
  before.app.chat.send("one");
  before.app.chat.send("two");
  await settled();
  assert.deepEqual(before.outbox("s"), [["one", "waiting"], ["two", "waiting"]]);

  const after = page();
  after.store.dispatch({ type: "selected", sessionId: "s" });
  assert.deepEqual([after.outbox("s").map(([text]) => text), after.store.get().transcripts.s.loaded], [["one", "two"], false]);
  await Promise.all([after.connect(), after.connect()]);
  assert.deepEqual(after.sent.map((fields) => [fields.session_id, fields.message]), [["s", "one"], ["s", "two"]]);
  assert.deepEqual([after.outbox("s"), browser.names()], [[["one", "sent"], ["two", "sent"]], []]);
  await after.connect();
  assert.equal(after.sent.length, 2);
});

test("a connection that falls while a message is on its way: the same message again, nothing after it before", async () => {
  const one = page([fails("connection_lost")]);
  await one.connect();
  one.store.dispatch({ type: "selected", sessionId: "s" });
  one.app.chat.send("one");
  one.app.chat.send("two");
  await settled();
  assert.deepEqual(one.outbox("s"), [["one", "waiting"], ["two", "waiting"]]);
  await one.connect({ recovered: true });
  assert.deepEqual(one.sent.map((fields) => fields.message), ["one", "one", "two"]);
  assert.equal(one.sent[0].client_message_id, one.sent[1].client_message_id);
});

test("what the server does not want stays to be read, to be sent again or discarded, also over a reload", async () => {
  const one = page([fails("hitl_pending")]);
  await one.connect();
  one.store.dispatch({ type: "selected", sessionId: "s" });
  one.app.chat.send("go on");
  await settled();
  assert.deepEqual(one.outbox("s"), [["go on", "failed"]]);

  const again = page();
  again.store.dispatch({ type: "selected", sessionId: "s" });
  await again.connect();
  assert.deepEqual([again.outbox("s"), again.sent], [[["go on", "failed"]], []], "it is not sent by itself");
  const [entry] = again.store.get().transcripts.s.outbox;
  assert.equal(entry.code, "hitl_pending");
  again.app.chat.retry(entry, "interrupt");
  await settled();
  assert.deepEqual([again.sent[0].on_busy, again.outbox("s"), browser.names()], ["interrupt", [["go on", "sent"]], []]);
  assert.notEqual(again.sent[0].client_message_id, one.sent[0].client_message_id, "another message, not a conflict");

  again.app.chat.drop(again.store.get().transcripts.s.outbox[0]);
  assert.deepEqual(again.outbox("s"), []);
});

test("a queued message is known after a reload, until its run has begun", async () => {
  const one = page([queued]);
  await one.connect();
  one.store.dispatch({ type: "selected", sessionId: "s" });
  one.app.chat.send("later");
  await settled();
  const { client_message_id: id } = one.sent[0];
  const waits = { run_id: `r-${id}`, session_id: "s", status: "queued" };

  const after = page();
  await after.connect({ runs: [waits] });
  assert.deepEqual([after.outbox("s"), after.sent], [[["later", "queued"]], []]);
  after.app.outbox.forget(id);
  assert.deepEqual(browser.names(), []);

  one.app.outbox.restore();
  const late = page();
  await late.connect();
  assert.deepEqual([late.outbox("s"), late.sent, browser.names()], [[], [], []]);
});

test("an edited message names the one that it stands for and neither queues nor interrupts", async () => {
  const one = page([fails("session_busy")]);
  await one.connect();
  one.store.dispatch({ type: "selected", sessionId: "s" });
  one.app.chat.replace("m1", "better");
  await settled();
  assert.deepEqual([one.sent[0].replaces_message_id, one.sent[0].on_busy], ["m1", "reject"]);
  one.app.chat.retry(one.store.get().transcripts.s.outbox[0]);
  await settled();
  assert.equal(one.sent[1].replaces_message_id, "m1");
});

test("who stops at once stops the message that is on its way: the server knows it by then", async () => {
  let arrive;
  const one = page([(fields) => new Promise((resolve) => (arrive = () => resolve(started(fields))))]);
  await one.connect();
  one.app.chat.send("no, wait");
  const stopped = one.app.chat.stop();
  await settled();
  assert.deepEqual(one.sent.map((fields) => fields.message), ["no, wait"]);
  arrive();
  await stopped;
  assert.deepEqual(one.sent.slice(1), [{ session_id: one.store.get().selected }]);
});

test("another tab has sent or discarded it: this one forgets it", async () => {
  const one = page();
  one.store.dispatch({ type: "selected", sessionId: "s" });
  one.app.chat.send("one");
  await settled();
  browser.tell(browser.names()[0], null);
  await one.connect();
  assert.deepEqual([one.outbox("s"), one.sent], [[], []]);
});

test("a chat that is gone: what was written goes to a new chat's field, what was left there is forgotten with the chat", async () => {
  const one = page([fails("not_found"), fails("session_busy")]);
  await one.connect();
  one.store.dispatch({ type: "selected", sessionId: "s" });
  one.app.drafts.message(null).set("begun");
  one.app.chat.send("for s");
  await settled();
  assert.deepEqual([one.outbox("s"), one.app.drafts.message(null).get()], [[], "begun\nfor s"]);
  one.app.chat.send("more");
  await settled();
  const kept = () => browser.names().filter((name) => name.startsWith("copilot.outbox."));
  assert.equal(kept().length, 1);
  one.app.outbox.forgetChat("s");
  assert.deepEqual(kept(), []);
});

test("each user and each project has letters of its own, and not without end", async () => {
  const one = page();
  one.app.chat.send("mine");
  await settled();
  const other = page();
  other.store.dispatch({ type: "user", userId: "bob" });
  other.app.outbox.restore();
  await other.connect({ user_id: "bob" });
  assert.deepEqual(other.sent, []);
  for (let at = 0; at < 60; at += 1) one.app.chat.send(`m${at}`);
  assert.equal(browser.names().length, 50);
  assert.match(one.sent.at(-1), /Too many/);
});

test("drafts: one per chat and user, kept over a reload, the oldest make room", () => {
  const { store } = page();
  const drafts = createDrafts({ store });
  drafts.message("s").set("half a");
  drafts.message(null).set("new");
  drafts.message("s", "m1").set("edited");
  drafts.answer("s", "c1").set({ reason: "no" });
  store.dispatch({ type: "user", userId: "bob" });
  assert.equal(drafts.message("s").get(), null);
  store.dispatch({ type: "user", userId: "ann" });
  const after = createDrafts({ store });
  assert.deepEqual([after.message("s").get(), after.message(null).get(), after.message("s", "m1").get()], ["half a", "new", "edited"]);
  assert.deepEqual(after.answer("s", "c1").get(), { reason: "no" });
  after.message("s").set(null);
  assert.equal(createDrafts({ store }).message("s").get(), null);

  const shelf = createShelf("x.", 3);
  for (const id of ["a", "b", "c", "d"]) shelf.cell(id).set(id);
  assert.deepEqual(["a", "b", "d"].map((id) => createShelf("x.", 3).cell(id).get()), [null, "b", "d"]);
});
