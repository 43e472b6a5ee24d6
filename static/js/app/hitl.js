/** Deciding about the calls that the copilot asks about. What the server refuses is thrown, for the card to show. */

const LATE = new Set(["already_resolved", "not_found"]);

export function createHitl(app) {
  const { store } = app;

  /** @param {import("../state/model.js").Prompt} prompt */
  async function decide(type, prompt, fields) {
    const connection = app.connection;
    try {
      await connection.command(type, { session_id: prompt.sessionId, hitl_session_id: prompt.id, ...fields });
    } catch (error) {
      if (LATE.has(error.code)) app.report(catchUp(prompt.sessionId, error.details));
      throw error;
    }
  }

  async function catchUp(sessionId, details) {
    store.dispatch({ type: "already_resolved", sessionId, details });
    const status = await app.connection.command("hitl.status", { session_id: sessionId });
    store.dispatch({ type: "hitl_status", status });
  }

  const ids = (prompt) => Object.keys(prompt.tools);

  return {
    /** The calls are named one by one, also for "all": what was not on screen is not decided. */
    confirm: (prompt, callIds = ids(prompt), acknowledged = false) =>
      decide("hitl.confirm", prompt, { tool_call_ids: callIds, ...(acknowledged && { acknowledge_dangerous: true }) }),
    reject: (prompt, callIds = ids(prompt), reason = "") =>
      decide("hitl.reject", prompt, { tool_call_ids: callIds, ...(reason && { reason }) }),
    /** @param {"direct"|"regenerate"} apply */
    modify: (prompt, callId, args, apply, acknowledged = false) => decide("hitl.modify", prompt, {
      tool_call_id: callId, modified_args: args, apply, ...(acknowledged && { acknowledge_dangerous: true }),
    }),
    /** What was decided in a session before this page looked, and how a person changed arguments. */
    async recall(sessionId) {
      const history = await app.connection.command("hitl.history", { session_id: sessionId });
      store.dispatch({ type: "asked_before", sessionId, history });
    },
  };
}
