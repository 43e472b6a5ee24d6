/** A tool call, from its first argument to its result. */

import { createDeviceView } from "./device_view.js";
import { h, setChildren, setText } from "./dom.js";
import { duration, toolTitle } from "./format.js";
import { icon } from "./icons.js";
import { createOutput } from "./output_view.js";
import { deviceWork, pretty } from "./tool_data.js";

const STATES = {
  writing: { label: "Preparing", busy: true },
  ready: { label: "Waiting", busy: true },
  running: { label: "Running", busy: true },
  success: { label: "Done", icon: "check" },
  error: { label: "Failed", icon: "cross" },
  rejected: { label: "Rejected", icon: "cross" },
  replaced: { label: "Replaced", icon: "dash" },
  expired: { label: "Expired", icon: "dash" },
  limited: { label: "Limit reached", icon: "dash" },
  stopped: { label: "Stopped", icon: "stop" },
  unknown: { label: "Outcome unknown", icon: "dash" },
};

export function createToolCard() {
  const mark = h("span", { class: "tool-mark" });
  const title = h("span", { class: "tool-title" });
  const about = h("span", { class: "tool-about" });
  const state = h("span", { class: "tool-state" });
  const bar = h("progress", { hidden: true, "aria-label": "Progress" });
  const note = h("p", { class: "tool-note", hidden: true });
  const args = createOutput("args");
  const output = createOutput();
  const devices = h("div", { class: "devices" });
  const body = h("div", { class: "tool-body" }, note, bar, devices, args.root, output.root);
  const root = h("details", { class: "tool" }, h("summary", {}, mark, title, about, state, icon("chevron")), body);
  const views = new Map();
  let shown = null;
  let opened = false;

  function update(call) {
    if (call === shown) return;
    const work = deviceWork(call);
    showState(call, work);
    showProgress(call);
    showDevices(work);
    const answered = work.some((device) => device.answered);
    args.update(work.length > 0 || call.args.trim() === "{}" ? "" : pretty(call.args));
    output.update(answered || call.output === null ? "" : pretty(call.output));
    if (!opened && (work.length > 0 || call.state === "error")) root.open = opened = true;
    shown = call;
  }

  function showState(call, work) {
    const known = STATES[call.state] ?? { label: call.state, icon: "dash" };
    root.dataset.state = call.state;
    if (mark.dataset.icon !== (known.icon ?? "busy")) {
      mark.dataset.icon = known.icon ?? "busy";
      mark.replaceChildren(known.busy ? h("span", { class: "spinner" }) : icon(known.icon));
    }
    setText(title, toolTitle(call.name));
    title.title = call.name;
    setText(about, work.map((device) => device.name).join(", "));
    setText(state, [call.state === "success" ? "" : known.label, duration(call.duration)].filter(Boolean).join(" · "));
  }

  function showProgress({ progress }) {
    bar.hidden = !progress || !(progress.total > 1);
    note.hidden = !progress?.message;
    if (!progress) return;
    bar.max = progress.total || 1;
    bar.value = progress.done;
    setText(note, progress.device ? `${progress.device}: ${progress.message}` : progress.message ?? "");
  }

  function showDevices(work) {
    setChildren(devices, work.map((device) => {
      if (!views.has(device.name)) views.set(device.name, createDeviceView(device.name));
      const view = views.get(device.name);
      view.update(device);
      return view.root;
    }));
  }

  return { root, update };
}
