/**
 * What is worth a word outside of the page: a question to a person, the end of a run. It names the chat and says nothing that the
 * model or a device said. Pure.
 *
 * @typedef {{tag: string, kind: "asks"|"completed"|"failed"|"limited", sessionId: string, count: number}} Notice  one `tag`, one word
 */

/** @returns {Notice|null} null: nobody needs to be told (who stopped a run knows that it ended) */
export function noticeOf(event) {
  if (event.type === "hitl_required") {
    return { tag: event.hitl_session_id, kind: "asks", sessionId: event.session_id, count: event.pending_tools.length };
  }
  if (event.type !== "done" || event.outcome === "stopped") return null;
  return { tag: event.run_id, kind: event.outcome, sessionId: event.session_id, count: 0 };
}

/** @returns {string|null} the tag of a word that this event makes untrue */
export function endedNotice(event) {
  return event.type === "hitl_resolved" && (event.remaining ?? []).length === 0 ? event.hitl_session_id : null;
}
