/**
 * A line over a WebSocket: frames in and out. Knows nothing of what they mean.
 *
 * @typedef {{epoch: string, seq: number}} Place  up to where the events of a feed are known
 *
 * @typedef {Object} LineOptions
 * @property {Place|null} resume
 * @property {(frame: Object) => void} onFrame
 * @property {(code: number) => void} onClose  once
 *
 * @typedef {Object} Line
 * @property {(frame: Object) => void} send
 * @property {(code?: number) => void} close   tells `onClose`, at once
 * @property {(seconds: number) => void} expect
 * @property {() => boolean} overdue
 */

import { JSON_TEXT, readFrame } from "./codecs.js";
import { createWatchdog } from "./watchdog.js";

/** Our own close codes. */
export const SILENT = 4000, UNREADABLE = 4002;
const OPENING = 8000; // ms until hello

export const placeText = ({ epoch, seq }) => `${epoch}:${seq}`;

/** @param {string} url @param {import("./codecs.js").Codec} codec @returns {(options: LineOptions) => Line} */
export function socketLine(url, codec) {
  let used = codec;
  return ({ resume, onFrame, onClose }) => openSocket(resume ? `${url}?resume=${encodeURIComponent(placeText(resume))}` : url, used, onFrame, (code) => {
    if (code === UNREADABLE) used = JSON_TEXT; // a frame that one codec cannot read, the other may
    onClose(code);
  });
}

function openSocket(url, codec, onFrame, onClose) {
  const socket = new WebSocket(url, [codec.protocol]);
  const watchdog = createWatchdog(() => close(SILENT), OPENING);
  let closed = false;

  function finish(code) {
    if (closed) return;
    closed = true;
    watchdog.stop();
    onClose(code);
  }

  /** A dead peer may never answer a close: what waits for this line is told at once. */
  function close(code = 1000) {
    const end = () => socket.close(code === 1000 ? 1000 : SILENT);
    if (socket.readyState === WebSocket.CONNECTING) socket.addEventListener("open", end); // before that, browsers complain
    else end();
    finish(code);
  }

  function read(message) {
    if (closed) return;
    watchdog.heard();
    const frame = readFrame(codec, message.data);
    if (frame) onFrame(frame);
    else close(UNREADABLE);
  }

  socket.binaryType = "arraybuffer";
  socket.addEventListener("message", read);
  socket.addEventListener("close", (event) => finish(event.code));
  return { close, send: (frame) => socket.send(codec.encode(frame)), expect: watchdog.expect, overdue: watchdog.overdue };
}
