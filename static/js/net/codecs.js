/** The two encodings of a frame, as the protocol's subprotocols name them. */

import { Decoder, Encoder } from "@msgpack/msgpack";

const encoder = new Encoder({ ignoreUndefined: true });
const decoder = new Decoder();

/** @typedef {{protocol: string, encode: (frame: Object) => string|Uint8Array, decode: (data: string|ArrayBuffer) => Object}} Codec */

/** @type {Codec} */
export const JSON_TEXT = { protocol: "copilot.v1+json", encode: (frame) => JSON.stringify(frame), decode: (data) => JSON.parse(data) };

/** Integers beyond 2^53 become the nearest number, as `JSON.parse` makes them. @type {Codec} */
export const MSGPACK = {
  protocol: "copilot.v1+msgpack",
  encode: (frame) => encoder.encode(frame),
  decode: (data) => decoder.decode(data),
};

/** `?codec=json` in the page's address is for people who read frames in their browser's tools. @param {string} search */
export function wantedCodec(search) {
  return new URLSearchParams(search).get("codec") === "json" ? JSON_TEXT : MSGPACK;
}

/** @param {Codec} codec @returns {Object|null} null for what is no frame */
export function readFrame(codec, data) {
  try {
    const frame = codec.decode(data);
    return frame !== null && typeof frame === "object" ? frame : null;
  } catch {
    return null;
  }
}
