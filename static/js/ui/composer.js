/** The message field: Enter sends, Shift+Enter breaks the line; a draft per chat. */

import { currentProject, currentRun, promptOf } from "../state/select.js";
import { byId, setText } from "./dom.js";

const HINT = "Enter sends, Shift+Enter starts a new line";
const BUSY = "Messages sent now wait for their turn";
const ASKS = "This chat waits for your decision";

export function createComposer(app, scroll) {
  const [form, field, send, stop, hint] = ["composer", "composer-text", "send", "stop", "composer-hint"].map(byId);
  const drafts = new Map();
  const touch = matchMedia("(pointer: coarse)").matches;
  let session;
  let enabled = false;

  function grow() {
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight}px`;
    allow();
  }

  function allow() {
    send.disabled = !enabled || field.value.trim() === "";
  }

  function submit() {
    const text = field.value.trim();
    if (!enabled || text === "") return;
    field.value = "";
    drafts.delete(session);
    scroll.stick();
    app.report(app.chat.send(text));
    grow();
  }

  function onKey(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    submit();
  }

  function swapDraft(next) {
    if (next === session) return;
    if (session !== undefined) drafts.set(session, field.value);
    session = next;
    field.value = drafts.get(next) ?? "";
    grow();
    if (!touch) field.focus({ preventScroll: true });
  }

  function update(state) {
    const run = currentRun(state);
    enabled = currentProject(state)?.status === "opened";
    field.disabled = !enabled;
    if (session !== state.selected) swapDraft(state.selected);
    stop.hidden = run === null;
    const asks = promptOf(state, state.selected) !== null;
    form.classList.toggle("running", run !== null);
    form.classList.toggle("asks", asks);
    field.placeholder = enabled ? "Ask about the lab…" : "Open the project to ask about it";
    setText(hint, asks ? ASKS : run === null ? HINT : BUSY);
    allow();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  field.addEventListener("keydown", onKey);
  field.addEventListener("input", grow);
  stop.addEventListener("click", () => app.report(app.chat.stop()));
  return { update };
}
