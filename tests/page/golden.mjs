/**
 * Folds recorded feeds with the page's reducer. A line on standard input is a transcript {session_id, hello, events, history};
 * the line that answers it is "same", or JSON of what the two sides gave: {folded, read}.
 */

import { isDeepStrictEqual } from "node:util";
import { createInterface } from "node:readline";
import { initialState, reducer } from "../../static/js/state/reducer.js";

const run = (actions) => actions.reduce(reducer, initialState());

/** What a page shows that was there all the time. */
function folded({ hello, events }) {
  return run([{ type: "hello", hello }, ...events.map((event) => ({ type: "event", event }))]);
}

/** What a page shows that comes now and reads history. */
function read({ session_id: sessionId, hello, history }, runs) {
  const now = { ...hello, seq: history.seq, runs: Object.values(runs), recovered: null };
  return run([
    { type: "hello", hello: now },
    { type: "history_requested", sessionId, request: 1 },
    { type: "history_loaded", sessionId, request: 1, history },
  ]);
}

/** How far a call has come is told by events alone. */
const settled = (item) => ({ ...item, ...(item.calls && { calls: item.calls.map((call) => ({ ...call, progress: null })) }) });

function compared(transcript) {
  const live = folded(transcript);
  const late = read(transcript, live.runs);
  const [seen, found] = [live, late].map((state) => state.transcripts[transcript.session_id]?.items.map(settled));
  return isDeepStrictEqual(seen, found) ? "same" : JSON.stringify({ folded: seen, read: found });
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${compared(JSON.parse(line))}\n`);
}
