/**
 * Where a text stops being JSON: engines tell it each in their own words, some of them not at all. Pure.
 *
 * @typedef {{wants: "value"|"name"|"colon"|"comma"|"end"|"quote", at: number, line: number, column: number}} JsonFault
 *   `wants`: what should stand at `at` (`quote`: the text that begins there has no good end); lines and columns from 1
 */

const BLANK = /[ \t\n\r]*/y;
const TEXT = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const OTHER = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/** @returns {JsonFault|null} null: it is JSON */
export function jsonFault(text) {
  try {
    const end = value(text, 0);
    if (end < text.length) stop("end", end);
    return null;
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    const before = text.slice(0, fault.at).split("\n");
    return { wants: fault.wants, at: fault.at, line: before.length, column: before.at(-1).length + 1 };
  }
}

class Fault {
  constructor(wants, at) {
    this.wants = wants;
    this.at = at;
  }
}

function stop(wants, at) {
  throw new Fault(wants, at);
}

/** How far `pattern` reaches from `at`. */
function reach(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

const skip = (text, at) => reach(BLANK, text, at);

/** The end of the value that begins at `at`, and of the blanks after it. */
function value(text, at) {
  const start = skip(text, at);
  if (text[start] === "{") return list(text, start, "}", member);
  if (text[start] === "[") return list(text, start, "]", value);
  if (text[start] === '"') return quoted(text, start);
  const end = reach(OTHER, text, start);
  return end === start ? stop("value", start) : skip(text, end);
}

function quoted(text, start) {
  const end = reach(TEXT, text, start);
  return end === start ? stop("quote", start) : skip(text, end);
}

function member(text, at) {
  if (text[at] !== '"') stop("name", at);
  const end = quoted(text, at);
  return text[end] === ":" ? value(text, end + 1) : stop("colon", end);
}

function list(text, start, closer, entry) {
  let at = skip(text, start + 1);
  if (text[at] === closer) return skip(text, at + 1);
  for (;;) {
    at = entry(text, at);
    if (text[at] === closer) return skip(text, at + 1);
    if (text[at] !== ",") stop("comma", at);
    at = skip(text, at + 1);
  }
}
