/** The question about one call: what will be sent, how long there is to decide, and the decision. */

import { parseUnified } from "../state/diff.js";
import { serverNow } from "../net/clock.js";
import { createDecider } from "./decider.js";
import { h, setText } from "./dom.js";
import { createEditor } from "./edit_view.js";
import { createDiff } from "./output_view.js";
import { promptLines } from "./prompt_lines.js";
import { timeLeft } from "./verdict.js";

/** Keeps the questions' views, so that what was typed outlives a look at another chat. */
export function createPromptShelf(app) {
  const views = new Map();
  return {
    has: (callId) => views.has(callId),
    drop: (callId) => void views.delete(callId),
    /** @param {string} callId */
    take(callId) {
      if (!views.has(callId)) views.set(callId, createPrompt(app, callId));
      return views.get(callId);
    },
  };
}

function createPrompt({ hitl }, callId) {
  let prompt = null;
  let tool = null;
  let editor = null;
  let sent = false;
  let timer = 0;
  const description = h("strong", { class: "prompt-title" });
  const clock = h("span", { class: "prompt-clock", role: "timer" });
  const head = h("div", { class: "prompt-head" }, description, clock);
  const lines = h("div", { class: "devices" });
  const preview = createDiff("What it would change");
  const forecast = h("div", { class: "changes" }, h("p", { class: "changes-title" }, "What it would change"), preview.root);
  const edit = h("button", { type: "button", class: "plain", on: { click: startEdit } }, "Edit");
  const decider = createDecider({ confirm: "Confirm", anyway: "Confirm anyway", reject: "Reject" }, {
    confirm: (acknowledged) => hitl.confirm(prompt, [callId], acknowledged),
    reject: (reason) => hitl.reject(prompt, [callId], reason),
  }, [edit]);
  const late = h("p", { class: "fault", hidden: true }, "It was decided elsewhere. Your edit was not sent:");
  const place = h("div", { class: "editor-place" });
  const root = h("section", { class: "prompt", "aria-label": "Decision", hidden: true }, head, lines, forecast, decider.root, late, place);

  function startEdit() {
    if (!editor) {
      editor = createEditor(tool, { modify, back: endEdit });
      place.append(editor.root);
    }
    showEditor(true);
    editor.focus();
  }

  function endEdit() {
    showEditor(false);
    edit.focus();
  }

  function showEditor(open) {
    place.hidden = !open;
    decider.root.hidden = open;
  }

  async function modify(args, apply, acknowledged) {
    sent = true;
    await hitl.modify(prompt, callId, args, apply, acknowledged).catch((error) => {
      sent = false;
      throw error;
    });
  }

  function tick() {
    clearTimeout(timer);
    const left = Date.parse(prompt.expiresAt) - serverNow();
    setText(clock, timeLeft(left));
    clock.classList.toggle("soon", left < 60_000);
    if (left > 0) timer = setTimeout(() => root.isConnected && prompt && tick(), 1000 - (Date.now() % 1000));
  }

  /** Asked, or asked again with the same question. */
  function open(next) {
    prompt = next;
    clock.hidden = prompt.expiresAt === null;
    if (prompt.expiresAt !== null) tick();
    if (tool !== prompt.tools[callId]) show(prompt.tools[callId]);
    root.hidden = head.hidden = lines.hidden = false;
    forecast.hidden = !tool.preview;
    late.hidden = true;
    editor?.freeze(false);
    showEditor(editor !== null && !place.hidden);
  }

  function show(next) {
    tool = next;
    root.dataset.danger = tool.danger_level;
    setText(description, tool.description);
    lines.replaceChildren(...promptLines(tool));
    preview.update(tool.preview ? parseUnified(tool.preview) : []);
    decider.update(tool.danger_level === "high");
  }

  /** Decided, expired or withdrawn. An edit that was not sent stays to be read. */
  function close() {
    if (!prompt) return;
    prompt = null;
    clearTimeout(timer);
    const kept = editor !== null && !sent && editor.isChanged();
    head.hidden = lines.hidden = forecast.hidden = decider.root.hidden = true;
    root.hidden = !kept;
    late.hidden = place.hidden = !kept;
    editor?.freeze(true);
  }

  return { root, open, close };
}
