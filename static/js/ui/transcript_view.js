/** The conversation: one row per item, kept as long as the item is there. */

import { currentProject, currentRun, currentTranscript, isThinking } from "../state/select.js";
import { byId, h, setAttr, setChildren } from "./dom.js";
import { createEmpty } from "./empty_view.js";
import { createAssistant, createNotice, createOutgoing, createThinking, createUser } from "./message_views.js";

const MAKERS = { user: createUser, assistant: createAssistant, notice: createNotice, outgoing: createOutgoing, thinking: createThinking };

export function createTranscriptView(app, scroll) {
  const root = byId("transcript");
  const empty = createEmpty(app);
  const older = h("button", { type: "button", class: "older", on: { click: () => app.report(loadOlder()) } }, "Load earlier messages");
  const loading = h("p", { class: "loading" }, "Loading the conversation…");
  let rows = new Map();
  let session = null;
  let last = [];

  async function loadOlder() {
    older.disabled = true;
    await app.history.loadOlder(app.store.get().selected).finally(() => (older.disabled = false));
  }

  function update(state) {
    const transcript = currentTranscript(state);
    const run = currentRun(state);
    const now = [state.selected, transcript, run, currentProject(state)];
    if (last.length > 0 && now.every((value, at) => value === last[at])) return;
    last = now;
    const moved = session !== state.selected;
    if (moved) rows = new Map();
    session = state.selected;
    scroll.around(() => {
      setAttr(root, "aria-busy", run !== null && run.status !== "waiting" ? "true" : null);
      setChildren(root, nodesOf(state, transcript, run));
    }, moved);
  }

  function nodesOf(state, transcript, run) {
    if (!transcript) return [empty.show(state)];
    const entries = entriesOf(transcript, run);
    if (!transcript.loaded && entries.length === 0) return [transcript.error ? problem(transcript.error) : loading];
    if (entries.length === 0) return [empty.show(state)];
    const nodes = entries.map(([kind, id, item]) => rowOf(kind, id, item));
    return transcript.hasMore ? [older, ...nodes] : nodes;
  }

  function rowOf(kind, id, item) {
    const key = `${kind}:${id}`;
    if (!rows.has(key)) rows.set(key, { ...MAKERS[kind](app.chat), item: null });
    const row = rows.get(key);
    if (row.item !== item) row.update(item);
    row.item = item;
    return row.root;
  }

  return { update };
}

function entriesOf(transcript, run) {
  const entries = transcript.items.map((item) => [item.kind, item.id, item]);
  if (isThinking(transcript, run)) entries.push(["thinking", "", null]);
  if (run?.status === "waiting") entries.push(["notice", "waiting", WAITING]);
  return [...entries, ...transcript.outbox.map((entry) => ["outgoing", entry.client_message_id, entry])];
}

const WAITING = { tone: "info", text: "The copilot waits for a person to approve its next step." };

const problem = (text) => h("p", { class: "notice", data: { tone: "error" }, role: "alert" }, text);
