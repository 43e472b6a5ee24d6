/**
 * Messages that this page has to bring to the server. They are kept by the browser, per user and project, until a run takes them
 * up: offline ones are sent when the connection is back, queued ones are known after a reload. Their ids make sending them
 * again harmless.
 *
 * @typedef {Object} Letter
 * @property {string} name      under which it is kept
 * @property {number} at
 * @property {Object} body      the fields of `chat.send`
 * @property {{run_id: string, message_id: string, status: string}|null} accepted  the server's answer: it waits in a queue there
 * @property {{code: string, message: string}|null} error  why the server does not want it
 */

import { t } from "../i18n/index.js";
import { lost } from "../net/calls.js";
import { keep, kept, keptNames } from "./keep.js";

const MOST = 50; // letters that wait at a time
const LATER = new Set(["connection_lost", "shutting_down"]);

const idOf = (letter) => letter.body.client_message_id;
const about = ({ body }) => ({ sessionId: body.session_id, clientMessageId: body.client_message_id });

export function createOutbox(app) {
  const { store } = app;
  /** @type {Map<string, Letter>} */
  let letters = new Map();
  let place = null;
  let sending = false;
  let quiet = Promise.resolve();

  function put(letter, fields = {}) {
    const next = { ...letter, ...fields };
    letters.set(idOf(next), next);
    keep(next.name, next);
  }

  function forget(letter) {
    letters.delete(idOf(letter));
    keep(letter.name, null);
  }

  function show(type, letter) {
    const { message: text, replaces_message_id: replaces } = letter.body;
    store.dispatch({ type, ...about(letter), text, replaces, error: letter.error });
  }

  /** @returns {Promise<boolean>} false: there is no connection */
  async function deliver(letter) {
    try {
      if (!app.connection) throw lost();
      const result = await app.connection.command("chat.send", letter.body);
      if (result.status === "queued") put(letter, { accepted: result });
      else forget(letter);
      store.dispatch({ type: "send_accepted", ...about(letter), result });
    } catch (error) {
      if (LATER.has(error.code)) return false;
      if (error.code === "not_found" && !letter.body.replaces_message_id) homeless(letter);
      else refused(letter, error);
    }
    return true;
  }

  function refused(letter, error) {
    put(letter, { error: { code: error.code ?? "failed", message: error.message } });
    store.dispatch({ type: "send_failed", ...about(letter), error });
  }

  /** Its chat was deleted meanwhile. What was written is not lost. */
  function homeless(letter) {
    const draft = app.drafts.message(null);
    draft.set([draft.get(), letter.body.message].filter(Boolean).join("\n"));
    drop(letter);
    app.toasts.show(t("composer.homeless"));
  }

  const unsent = () => [...letters.values()].filter((letter) => letter.error === null && letter.accepted === null);

  /** One after the other, in the order in which they were written. Without a connection all of them wait for the next one. */
  async function deliverAll() {
    sending = true;
    try {
      let online = true;
      while (online && unsent().length > 0) online = await deliver(unsent()[0]);
      for (const letter of unsent()) store.dispatch({ type: "send_delayed", ...about(letter) });
    } finally {
      sending = false;
    }
  }

  /** @returns {Promise<void>} settles when nothing is on its way any more */
  function flush() {
    if (!sending) quiet = deliverAll();
    return quiet;
  }

  /** What an earlier life of this page has left, or another tab has not sent yet. */
  function restore() {
    const { userId, projectId } = store.get();
    const here = `copilot.outbox.${userId}.${projectId}.`;
    if (here !== place) letters = new Map();
    place = here;
    const left = keptNames(place).map((name) => kept(name)).filter((letter) => letter && !letters.has(idOf(letter)));
    for (const letter of left.sort((a, b) => a.at - b.at)) {
      letters.set(idOf(letter), letter);
      show("send_restored", letter);
    }
  }

  /** Queued letters whose runs began while nobody looked are history. */
  function settle({ runs = [] }) {
    const queued = new Set(runs.filter((run) => run.status === "queued").map((run) => run.run_id));
    for (const letter of [...letters.values()].filter((one) => one.accepted !== null)) {
      if (queued.has(letter.accepted.run_id)) store.dispatch({ type: "send_accepted", ...about(letter), result: letter.accepted });
      else drop(letter);
    }
  }

  function drop(letter) {
    forget(letter);
    store.dispatch({ type: "send_dropped", ...about(letter) });
  }

  /** Another tab has sent or discarded it. */
  addEventListener("storage", ({ key, newValue }) => {
    const letter = newValue === null && [...letters.values()].find((one) => one.name === key && one.accepted === null);
    if (letter) drop(letter);
  });

  return {
    flush,
    restore,
    greeted(hello) {
      restore();
      settle(hello);
      return flush();
    },
    /** @returns {boolean} false: too many wait already */
    post(body) {
      if (letters.size >= MOST) return false;
      const letter = { name: place + body.client_message_id, at: Date.now(), body, accepted: null, error: null };
      put(letter);
      show("send", letter);
      app.report(flush());
      return true;
    },
    /** Its chat is deleted. */
    forgetChat(sessionId) {
      for (const letter of [...letters.values()].filter((one) => one.body.session_id === sessionId)) forget(letter);
    },
    /** A run has taken it up, or its writer does not want it any more. @param {string} clientMessageId */
    forget(clientMessageId) {
      const letter = letters.get(clientMessageId);
      if (letter) forget(letter);
    },
  };
}
