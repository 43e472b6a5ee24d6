/** What the calls of live runs touch, as the feed tells it: also in chats that this page has never opened. Pure. */

import { targetsOf } from "./busy.js";
import { without } from "./model.js";

/** @typedef {import("./model.js").Work} Work */

const STEPS = {
  /** The arguments are known before the call runs. */
  tool_call: ({ tool_call: { function: { arguments: args, complete } } }) => complete === true && { running: false, targets: targetsOf({ args, output: null }) },
  tool_start: (_, work) => ({ running: true, targets: work?.targets ?? [] }),
  /** A page that came while the call ran knows no arguments; progress names devices. */
  tool_progress: ({ device_name: name }, work) => name && !work?.targets.includes(name) && { running: true, targets: [...(work?.targets ?? []), name] },
};

/** @param {import("./model.js").State} state */
export function trackWork(state, event) {
  if (event.type === "done") return { ...state, work: without(state.work, event.session_id) };
  const calls = state.work[event.session_id] ?? {};
  const id = event.tool_call?.id ?? event.tool_call_id;
  if (event.type === "tool_end") return put(state, event.session_id, without(calls, id));
  const work = Object.hasOwn(STEPS, event.type) && STEPS[event.type](event, calls[id]);
  return work ? put(state, event.session_id, { ...calls, [id]: work }) : state;
}

const put = (state, id, calls) => ({ ...state, work: { ...state.work, [id]: calls } });
