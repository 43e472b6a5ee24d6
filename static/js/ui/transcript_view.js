/** The conversation: one row per item, kept as long as the item is there. */

import { currentProject, currentRun, currentTranscript, isThinking } from "../state/select.js";
import { byId, h, setAttr, setChildren } from "./dom.js";
import { createEmpty } from "./empty_view.js";
import { createBatch } from "./batch_view.js";
import { createAssistant, createNotice, createOutgoing, createThinking, createUser } from "./message_views.js";
import { createPromptShelf } from "./prompt_view.js";

const MAKERS = {
  user: createUser, assistant: createAssistant, notice: createNotice, outgoing: createOutgoing, thinking: createThinking, batch: createBatch,
};

export function createTranscriptView(app, scroll) {
  const root = byId("transcript");
  const empty = createEmpty(app);
  const older = h("button", { type: "button", class: "older", on: { click: () => app.report(loadOlder()) } }, "Load earlier messages");
  const loading = h("p", { class: "loading" }, "Loading the conversation…");
  const shelf = createPromptShelf(app);
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
    const asking = state.asking[state.selected] ?? null;
    const now = [state.selected, transcript, run, currentProject(state), asking];
    if (last.length > 0 && now.every((value, at) => value === last[at])) return;
    last = now;
    const moved = session !== state.selected;
    if (moved) rows = new Map();
    session = state.selected;
    scroll.around(() => {
      setAttr(root, "aria-busy", run !== null && run.status !== "waiting" ? "true" : null);
      setChildren(root, nodesOf(state, transcript, run, asking));
    }, moved);
  }

  function nodesOf(state, transcript, run, asking) {
    if (!transcript) return [empty.show(state)];
    const entries = entriesOf(transcript, run, asking?.prompt ?? null);
    if (!transcript.loaded && entries.length === 0) return [transcript.error ? problem(transcript.error) : loading];
    if (entries.length === 0) return [empty.show(state)];
    const nodes = entries.map(([kind, id, item]) => rowOf(kind, id, item, asking));
    return transcript.hasMore ? [older, ...nodes] : nodes;
  }

  function rowOf(kind, id, item, asking) {
    const key = `${kind}:${id}`;
    if (!rows.has(key)) rows.set(key, { ...MAKERS[kind](app, shelf), shown: [] });
    const row = rows.get(key);
    if (row.shown[0] !== item || row.shown[1] !== asking) row.update(item, asking);
    row.shown = [item, asking];
    return row.root;
  }

  return { update };
}

function entriesOf(transcript, run, prompt) {
  const entries = transcript.items.map((item) => [item.kind, item.id, item]);
  if (isThinking(transcript, run)) entries.push(["thinking", "", null]);
  if (Object.keys(prompt?.tools ?? {}).length > 1) entries.push(["batch", prompt.id, prompt]);
  return [...entries, ...transcript.outbox.map((entry) => ["outgoing", entry.client_message_id, entry])];
}

const problem = (text) => h("p", { class: "notice", data: { tone: "error" }, role: "alert" }, text);
