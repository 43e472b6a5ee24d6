/**
 * What a person is asked and what was decided, by session. It stands beside the transcripts: history tells of neither,
 * so reading it again must not lose them.
 *
 * @typedef {import("./model.js").State} State @typedef {import("./model.js").Asking} Asking
 */

import { without } from "./model.js";

/** @type {Asking} */
const NOTHING = { prompt: null, decisions: {} };

/** The events of the feed. @param {State} state @returns {State} */
export function trackAsking(state, event) {
  switch (event.type) {
    case "hitl_required":
      return patch(state, event.session_id, (asking) => ({ ...asking, prompt: promptFrom(event) }));
    case "hitl_resolved":
      return patch(state, event.session_id, (asking) => resolved(asking, event));
    case "done":
      return patch(state, event.session_id, closed);
    default:
      return state;
  }
}

/** What `hello` says is asked now; what was decided stays known. */
export function greeted(asking, pending) {
  const before = Object.entries(asking).map(([id, one]) => [id, closed(one)]);
  const now = pending.map((status) => [status.session_id, { ...(asking[status.session_id] ?? NOTHING), prompt: promptFrom(status) }]);
  return Object.fromEntries([...before, ...now]);
}

/** A refusal that tells who was faster. */
export function alreadyResolved(state, { sessionId, details }) {
  if (!details?.tool_call_id) return state;
  return patch(state, sessionId, (asking) => decided(asking, [details], (callId) => callId !== details.tool_call_id));
}

/** `hitl.status` after a refusal. It may be older than an event, so it only ever takes calls away. */
export function narrowed(state, status) {
  const open = new Set(status.pending_tools.map((tool) => tool.tool_call_id));
  return patch(state, status.session_id, (asking) => {
    if (!asking.prompt) return asking;
    return decided(asking, [], (callId) => asking.prompt.id === status.hitl_session_id && open.has(callId));
  });
}

/** `hitl.history`: it also knows the arguments that a person wanted. */
export function askedBefore(state, { sessionId, history }) {
  const calls = history.flatMap((entry) => entry.calls).filter((call) => call.decision);
  if (calls.length === 0) return state;
  const known = calls.map(({ final_args, ...call }) => ({ ...call, args: call.decision === "modified" ? final_args : null }));
  return patch(state, sessionId, (asking) => decided(asking, known, () => true));
}

/** The calls that wait for a person, chat by chat. @param {State} state @returns {{sessionId: string, callId: string}[]} */
export function waitingPlaces(state) {
  return Object.entries(state.asking).flatMap(([sessionId, { prompt }]) =>
    Object.keys(prompt?.tools ?? {}).map((callId) => ({ sessionId, callId })));
}

function resolved(asking, event) {
  const remaining = new Set(event.remaining ?? []);
  const mine = asking.prompt?.id === event.hitl_session_id;
  return decided(asking, event.decisions ?? [], (callId) => !mine || remaining.has(callId));
}

/** Takes decisions in and keeps the calls that still wait; a prompt without any is closed. */
function decided(asking, decisions, waits) {
  const taken = decisions.map((one) => [one.tool_call_id, decisionFrom(one, asking.decisions[one.tool_call_id])]);
  const known = { ...asking, decisions: { ...asking.decisions, ...Object.fromEntries(taken) } };
  if (!asking.prompt) return known;
  const tools = Object.entries(asking.prompt.tools).filter(([callId]) => waits(callId));
  return { ...known, prompt: tools.length > 0 ? { ...asking.prompt, tools: Object.fromEntries(tools) } : null };
}

function decisionFrom({ decision, by, reason = null, args = null }, before) {
  return { decision, by, reason: reason ?? before?.reason ?? null, args: args ?? before?.args ?? null };
}

function promptFrom(status) {
  return {
    id: status.hitl_session_id,
    sessionId: status.session_id,
    expiresAt: status.expires_at ?? null,
    timeout: status.timeout ?? 0,
    tools: Object.fromEntries(status.pending_tools.map((tool) => [tool.tool_call_id, tool])),
  };
}

function closed(asking) {
  return asking.prompt ? { ...asking, prompt: null } : asking;
}

function patch(state, sessionId, change) {
  const before = state.asking[sessionId] ?? NOTHING;
  const after = change(before);
  if (after === before) return state;
  const asking = after.prompt === null && Object.keys(after.decisions).length === 0
    ? without(state.asking, sessionId) : { ...state.asking, [sessionId]: after };
  return { ...state, asking };
}
