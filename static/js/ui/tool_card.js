/** A tool call, from its first argument to its result; a call that a person is asked about carries the question. */

import { changesOf } from "../state/edit.js";
import { phaseOf } from "../state/select.js";
import { createDeviceView } from "./device_view.js";
import { h, setChildren, setText } from "./dom.js";
import { createChanges } from "./edit_view.js";
import { duration, toolTitle } from "./format.js";
import { icon } from "./icons.js";
import { createOutput } from "./output_view.js";
import { parsePartial } from "./partial_json.js";
import { deviceWork, pretty } from "./tool_data.js";
import { saysAll, verdictOf } from "./verdict.js";

const STATES = {
  writing: { label: "Preparing", busy: true },
  ready: { label: "Waiting", busy: true },
  asking: { label: "Needs your decision", icon: "ask" },
  decided: { label: "Waits for the other decisions", icon: "check" },
  held: { label: "Waits for the decision", icon: "dash" },
  running: { label: "Running", busy: true },
  success: { label: "Done", icon: "check" },
  error: { label: "Failed", icon: "cross" },
  rejected: { label: "Rejected", icon: "cross" },
  replaced: { label: "Replaced", icon: "dash" },
  expired: { label: "Expired", icon: "dash" },
  limited: { label: "Limit reached", icon: "dash" },
  stopped: { label: "Stopped", icon: "stop" },
  unknown: { label: "Outcome unknown", icon: "ask" },
};
const DECIDED = { rejected: { label: "Rejected, waits for the other decisions", icon: "cross" } };

export function createToolCard(shelf) {
  const mark = h("span", { class: "tool-mark" });
  const title = h("span", { class: "tool-title" });
  const about = h("span", { class: "tool-about" });
  const state = h("span", { class: "tool-state" });
  const bar = h("progress", { hidden: true, "aria-label": "Progress" });
  const note = h("p", { class: "tool-note", hidden: true });
  const verdict = h("p", { class: "verdict", hidden: true });
  const changes = createChanges("What was changed");
  const args = createOutput("args");
  const output = createOutput();
  const devices = h("div", { class: "devices" });
  const body = h("div", { class: "tool-body" }, note, bar, verdict, changes.root, devices, args.root, output.root);
  const summary = h("summary", {}, mark, title, about, state, icon("chevron"));
  const root = h("details", { class: "tool" }, summary, body);
  const views = new Map();
  let question = null;
  let shown = [];
  let opened = false;

  /** @param {import("../state/model.js").Asking|null} asking */
  function update(call, asking) {
    if (call === shown[0] && asking === shown[1]) return;
    const phase = phaseOf(call, asking);
    const decision = asking?.decisions[call.id] ?? null;
    const work = deviceWork(call);
    const changed = changesMade(call, decision);
    showState(call, work, phase, decision);
    showProgress(call);
    showVerdict(verdictOf(call, decision), phase);
    changes.update(changed);
    showDevices(phase === "asking" ? [] : work, changed.length > 0);
    const answered = work.some((device) => device.answered);
    args.update(phase === "asking" || changed.length > 0 || work.length > 0 || call.args.trim() === "{}" ? "" : pretty(call.args));
    output.update(answered || call.output === null || saysAll(call, decision) ? "" : pretty(call.output));
    if (phase === "asking") ask(call, asking.prompt);
    else withdraw(call);
    if (!opened && (work.length > 0 || call.state === "error")) root.open = opened = true;
    shown = [call, asking];
  }

  function ask(call, prompt) {
    if (!question) {
      place(shelf.take(call.id));
      root.open = opened = true;
    }
    question.open(prompt);
  }

  function place(known) {
    question = known;
    verdict.after(question.root);
  }

  /** Who has just decided stays at this card with the keyboard. */
  function withdraw(call) {
    if (!question && shelf.has(call.id)) place(shelf.take(call.id));
    if (!question) return;
    const here = question.root.contains(document.activeElement);
    question.close();
    if (!question.root.hidden) return;
    if (here) summary.focus({ preventScroll: true });
    question.root.remove();
    question = null;
    shelf.drop(call.id);
  }

  function showState(call, work, phase, decision) {
    const known = (phase === "decided" && DECIDED[decision.decision]) || (STATES[phase] ?? { label: phase, icon: "dash" });
    root.dataset.state = phase;
    if (mark.dataset.icon !== (known.icon ?? "busy")) {
      mark.dataset.icon = known.icon ?? "busy";
      mark.replaceChildren(known.busy ? h("span", { class: "spinner" }) : icon(known.icon));
    }
    setText(title, toolTitle(call.name));
    title.title = call.name;
    setText(about, work.map((device) => device.name).join(", "));
    const took = saysAll(call, decision) ? "" : duration(call.duration);
    setText(state, [phase === "success" ? "" : known.label, took].filter(Boolean).join(" · "));
  }

  function showProgress({ progress }) {
    bar.hidden = !progress || !(progress.total > 1);
    note.hidden = !progress?.message;
    if (!progress) return;
    bar.max = progress.total || 1;
    bar.value = progress.done;
    setText(note, progress.device ? `${progress.device}: ${progress.message}` : progress.message ?? "");
  }

  function showVerdict(text, phase) {
    setText(verdict, text);
    verdict.hidden = text === "" || phase === "asking";
  }

  /** Where the changes are shown, they show the lines as well. */
  function showDevices(work, changed) {
    setChildren(devices, work.filter((device) => device.answered || !changed).map((device) => {
      if (!views.has(device.name)) views.set(device.name, createDeviceView(device.name));
      const view = views.get(device.name);
      view.update(changed ? { ...device, commands: [] } : device);
      return view.root;
    }));
  }

  return { root, update };
}

/** What a person made of the model's arguments. */
function changesMade(call, decision) {
  const final = call.executed ? JSON.parse(call.executed) : decision?.args ?? null;
  return final ? changesOf(parsePartial(call.args) ?? {}, final) : [];
}
