/**
 * A project's connection, kept alive: resumes where it was, comes back with patience, answers each command once, and finds
 * its way where WebSockets are blocked.
 *
 * @typedef {"idle"|"connecting"|"connected"|"reconnecting"} Status
 * @typedef {{way: import("./fallback.js").Way, retryAt: number|null, stopping: boolean}} Link  `retryAt` (ms) while it waits for
 *   its next try, `stopping` since a server said that it stops, until one is there again
 *
 * @typedef {Object} Handlers
 * @property {(hello: Object) => void} onHello
 * @property {(event: Object) => void} onEvent   numbered events, each once, in order
 * @property {(status: Status, link: Link) => void} onStatus
 * @property {() => void} onLogin                the token is not (any longer) good
 * @property {() => void} onProjectClosed
 * @property {() => Promise<"open"|"unreachable"|"login"|"closed">} diagnose  why no hello came: browsers do not say
 */

import { createBackoff } from "./backoff.js";
import { createCalls, lost } from "./calls.js";
import { FIRST_ROUTE, nextRoute } from "./fallback.js";
import { createPlace } from "./place.js";
import { SILENT } from "./socket.js";

const STOPPING = 1001, LOGIN = 4401, CLOSED = 4403, TOO_SLOW = 4408;
const STEADY = 10_000; // ms after which a connection counts as good
const LOOK = 180_000; // ms without a WebSocket after which one is looked for

export class Connection {
  #lines; #handlers; #backoff; #look;
  #calls = createCalls(); #place = createPlace(); #route = FIRST_ROUTE; #way = FIRST_ROUTE.way;
  #line = null; #probe = null; #hello = null; #waiting = []; #timer = 0; #looking = 0; #ended = false; #hurried = 0; #since = 0; #stopping = false;

  /**
   * @param {Object<import("./fallback.js").Way, (options: import("./socket.js").LineOptions) => import("./socket.js").Line>} lines
   * @param {Handlers} handlers
   */
  constructor(lines, handlers, { backoff = createBackoff(), look = LOOK } = {}) {
    this.#lines = lines;
    this.#handlers = handlers;
    this.#backoff = backoff;
    this.#look = look;
  }

  connect() {
    clearTimeout(this.#timer);
    if (this.#ended || this.#line) return;
    this.#way = this.#route.way;
    this.#say(this.#place.get() ? "reconnecting" : "connecting");
    this.#line = this.#open(this.#way, (hello) => this.#greeted(hello));
  }

  /** The computer woke up, the network is back, somebody asks for it: do not wait any longer, do not trust a line that is silent. */
  check() {
    if (!this.#line) this.connect();
    else if (this.#line.overdue()) this.#line.close(SILENT);
  }

  /** For good: another project, a login. */
  end() {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#line?.close();
    this.#say("idle");
    for (const { reject } of this.#waiting.splice(0)) reject(lost());
  }

  /** Settles with the connection's next (or present) hello. */
  ready() {
    if (this.#hello) return Promise.resolve(this.#hello);
    if (this.#ended) return Promise.reject(lost());
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** @returns {Promise<any>} the command's result; rejects with `CommandError`, code `connection_lost` when the line fell */
  command(type, fields = {}) {
    if (!this.#hello) return Promise.reject(lost());
    return this.#calls.make((frame) => this.#line.send(frame), type, fields);
  }

  /** A line whose events count while it is the connection's own; results always do. */
  #open(way, onHello) {
    const line = this.#lines[way]({
      resume: this.#place.get(),
      onFrame: (frame) => {
        if (frame.type === "result") this.#calls.answered(frame);
        else if (frame.type === "hello") onHello(frame);
        else if (line === this.#line && this.#hello && typeof frame.seq === "number" && frame.type !== "heartbeat") this.#numbered(frame);
      },
      onClose: (code) => (line === this.#line ? this.#closed(code) : this.#unproven(line)),
    });
    return line;
  }

  #greeted(hello) {
    this.#place.greeted(hello);
    this.#hello = hello;
    this.#since = Date.now();
    this.#stopping = false;
    this.#learn("greeted");
    this.#handlers.onHello(hello);
    this.#settled();
    for (const { resolve } of this.#waiting.splice(0)) resolve(hello);
  }

  #settled() {
    this.#line.expect(this.#hello.heartbeat ?? 15);
    this.#say("connected");
    clearTimeout(this.#looking);
    if (this.#way === "stream") this.#looking = setTimeout(() => this.#lookForSocket(), this.#look);
  }

  /** Beside the stream, which goes on until a socket has come to where it stands: nothing is lost or doubled by the change. */
  #lookForSocket() {
    this.#probe = this.#open("socket", (hello) => (hello.recovered === true ? this.#adopt(hello) : this.#probe.close()));
  }

  #adopt(hello) {
    const stream = this.#line;
    [this.#line, this.#probe] = [this.#probe, null];
    stream.close();
    this.#hello = hello;
    this.#route = FIRST_ROUTE;
    this.#way = FIRST_ROUTE.way;
    this.#settled();
  }

  /** A socket that was looked for and not found; or the line that one took the place of. */
  #unproven(line) {
    if (line !== this.#probe) return;
    this.#probe = null;
    if (this.#hello) this.#settled();
  }

  /** A hole in the numbers would be a lost token: come back from where it opened. */
  #numbered(event) {
    const found = this.#place.take(event);
    if (found === "gap") this.#line.close(TOO_SLOW);
    else if (found === "next") this.#handlers.onEvent(event);
  }

  async #closed(code) {
    const greeted = this.#hello !== null;
    if (greeted && Date.now() - this.#since > STEADY) this.#backoff.reset();
    this.#stopping ||= code === STOPPING;
    this.#forget();
    if (this.#ended) return;
    this.#say(this.#place.get() ? "reconnecting" : "connecting");
    const verdict = greeted ? "fell" : await this.#handlers.diagnose();
    if (this.#ended) return;
    if (code === LOGIN || verdict === "login") return this.#stop(this.#handlers.onLogin);
    if (code === CLOSED || verdict === "closed") return this.#stop(this.#handlers.onProjectClosed);
    this.#learn(verdict === "open" ? (code === SILENT ? "silent" : "refused") : verdict);
    this.#wait(code);
  }

  #forget() {
    const probe = this.#probe;
    this.#line = this.#probe = this.#hello = null;
    clearTimeout(this.#looking);
    probe?.close();
    this.#calls.drop();
  }

  #learn(outcome) {
    this.#route = nextRoute(this.#route, outcome);
  }

  #wait(code) {
    if (this.#line) return; // somebody asked for a try meanwhile
    const delay = this.#delay(code);
    this.#timer = setTimeout(() => this.connect(), delay);
    this.#say(this.#place.get() ? "reconnecting" : "connecting", Date.now() + delay);
  }

  /** Who was too slow comes back at once, but not in a tight loop. */
  #delay(code) {
    const now = Date.now();
    if (code !== TOO_SLOW || now - this.#hurried < 2000) return this.#backoff.next();
    this.#hurried = now;
    return 0;
  }

  #say(status, retryAt = null) {
    this.#handlers.onStatus(status, { way: this.#way, retryAt, stopping: this.#stopping });
  }

  #stop(tell) {
    this.end();
    tell();
  }
}
