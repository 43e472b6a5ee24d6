/**
 * The project's WebSocket, kept alive: resumes where it was, comes back with patience, answers each command once.
 *
 * @typedef {Object} Handlers
 * @property {(hello: Object) => void} onHello
 * @property {(event: Object) => void} onEvent   numbered events, each once, in order
 * @property {(status: "connecting"|"connected"|"reconnecting"|"offline") => void} onStatus
 * @property {() => void} onLogin                the token is not (any longer) good
 * @property {() => void} onProjectClosed
 * @property {() => Promise<"retry"|"login"|"closed">} diagnose  why an upgrade was refused: browsers do not say
 */

import { createBackoff } from "./backoff.js";
import { openSocket } from "./socket.js";

const PROTOCOL = "copilot.v1+json";
const LOGIN = 4401, CLOSED = 4403, TOO_SLOW = 4408;
const STEADY = 10_000; // ms after which a connection counts as good

export class CommandError extends Error {
  /** @param {{code: string, message: string, details?: any}} error */
  constructor({ code, message, details = null }) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

export class Connection {
  #url; #open; #handlers; #backoff; #socket = null; #hello = null;
  #feed = null; #nextId = 1; #pending = new Map(); #waiting = []; #timer = 0; #ended = false; #hurried = 0; #since = 0;

  /** @param {string} url @param {Handlers} handlers */
  constructor(url, handlers, { open = openSocket, backoff = createBackoff() } = {}) {
    this.#url = url;
    this.#handlers = handlers;
    this.#open = open;
    this.#backoff = backoff;
  }

  connect() {
    clearTimeout(this.#timer);
    if (this.#ended || this.#socket) return;
    this.#handlers.onStatus(this.#feed ? "reconnecting" : "connecting");
    const resume = this.#feed ? `?resume=${encodeURIComponent(`${this.#feed.epoch}:${this.#feed.seq}`)}` : "";
    this.#socket = this.#open(this.#url + resume, {
      protocols: [PROTOCOL],
      onFrame: (frame) => this.#receive(frame),
      onClose: (code) => this.#closed(code),
    });
  }

  /** For good: another project, a login. */
  end() {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
    this.#handlers.onStatus("offline");
  }

  /** Settles with the connection's next (or present) hello. */
  ready() {
    if (this.#hello) return Promise.resolve(this.#hello);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** @returns {Promise<any>} the command's result; rejects with `CommandError`, code `connection_lost` when it fell */
  command(type, fields = {}) {
    if (!this.#hello) return Promise.reject(lost());
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#socket.send({ id, type, ...fields });
    });
  }

  #receive(frame) {
    if (frame.type === "hello") this.#greeted(frame);
    else if (frame.type === "result") this.#answered(frame);
    else if (typeof frame.seq === "number" && frame.type !== "heartbeat") this.#numbered(frame);
  }

  #greeted(hello) {
    if (hello.recovered !== true) this.#feed = { epoch: hello.epoch, seq: hello.seq };
    this.#hello = hello;
    this.#nextId = 1;
    this.#since = Date.now();
    this.#socket.expect(hello.heartbeat ?? 15);
    this.#handlers.onHello(hello);
    this.#handlers.onStatus("connected");
    for (const { resolve } of this.#waiting.splice(0)) resolve(hello);
  }

  #answered({ id, ok, result, error }) {
    const promise = this.#pending.get(id);
    this.#pending.delete(id);
    if (ok) promise?.resolve(result);
    else promise?.reject(new CommandError(error));
  }

  /** A hole in the numbers would be a lost token: come back from where it opened. */
  #numbered(event) {
    if (event.seq <= this.#feed.seq) return;
    if ((event.first_seq ?? event.seq) > this.#feed.seq + 1) return this.#socket.close(TOO_SLOW, "gap");
    this.#feed.seq = event.seq;
    this.#handlers.onEvent(event);
  }

  async #closed(code) {
    const greeted = this.#hello !== null;
    if (greeted && Date.now() - this.#since > STEADY) this.#backoff.reset();
    this.#socket = null;
    this.#hello = null;
    for (const { reject } of this.#pending.values()) reject(lost());
    this.#pending.clear();
    if (this.#ended) return this.#giveUp();
    this.#handlers.onStatus(this.#feed ? "reconnecting" : "connecting");
    const verdict = greeted ? "retry" : await this.#handlers.diagnose();
    if (this.#ended) return this.#giveUp();
    if (code === LOGIN || verdict === "login") return this.#stop(this.#handlers.onLogin);
    if (code === CLOSED || verdict === "closed") return this.#stop(this.#handlers.onProjectClosed);
    this.#timer = setTimeout(() => this.connect(), this.#delay(code));
  }

  /** Who was too slow comes back at once, but not in a tight loop. */
  #delay(code) {
    const now = Date.now();
    if (code !== TOO_SLOW || now - this.#hurried < 2000) return this.#backoff.next();
    this.#hurried = now;
    return 0;
  }

  #stop(tell) {
    this.#ended = true;
    this.#handlers.onStatus("offline");
    this.#giveUp();
    tell();
  }

  #giveUp() {
    for (const { reject } of this.#waiting.splice(0)) reject(lost());
  }
}

function lost() {
  return new CommandError({ code: "connection_lost", message: "The connection was lost." });
}
