/** The list of chats and the tokens of the chosen one. */

import { currentProject, currentRun, sortedSessions, waitingCalls, waitingSessions } from "../state/select.js";
import { byId, h, setAttr, setChildren, setText } from "./dom.js";
import { closeDrawers } from "./drawers.js";
import { count, short } from "./format.js";
import { createSessionRow } from "./session_row.js";

export function createSidebar(app) {
  const list = byId("sessions");
  const tokens = byId("tokens");
  const more = h("li", { class: "sessions-more" },
    h("button", { type: "button", on: { click: () => app.report(app.sessions.more()) } }, "More chats"));
  const none = h("li", { class: "sessions-none" }, "No chats yet");
  const rows = new Map();
  const fresh = byId("new-chat");

  fresh.addEventListener("click", () => {
    app.sessions.open(null);
    closeDrawers();
    byId("composer-text").focus();
  });

  function rowOf(session, state) {
    const id = session.session_id;
    if (!rows.has(id)) rows.set(id, createSessionRow(app, id));
    rows.get(id).update(session, state.selected === id, state.runs[id] ?? null, waitingCalls(state, id));
    return rows.get(id).root;
  }

  function update(state) {
    const sessions = sortedSessions(state);
    for (const id of rows.keys()) if (!state.sessions[id]) rows.delete(id);
    const nodes = sessions.map((session) => rowOf(session, state));
    if (state.cursor) nodes.push(more);
    if (state.listed && sessions.length === 0) nodes.push(none);
    setChildren(list, nodes);
    const title = state.sessions[state.selected]?.title;
    const waiting = waitingSessions(state);
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${title ? `${title} · ` : ""}GNS3 Copilot`;
    fresh.disabled = currentProject(state)?.status !== "opened";
    showTokens(tokens, state.sessions[state.selected], currentRun(state));
  }

  return { update };
}

/** What the chat has used; a run's own tokens are added while it goes. */
function showTokens(root, session, run) {
  const now = run?.usage ?? {};
  const sum = (key) => Number(session?.[key] ?? 0) + Number(now[key] ?? 0);
  const [input, output, total] = [sum("input_tokens"), sum("output_tokens"), sum("total_tokens")];
  setText(root, total === 0 ? "" : `${short(input)} in · ${short(output)} out · ${short(total)} tokens`);
  setAttr(root, "title", total === 0 ? null : `Tokens of this chat: ${count(input)} in, ${count(output)} out, ${count(total)} together`);
}
