/** Changing a call's arguments before it runs: one command a line for devices, JSON for other tools. */

import { changesOf, draftOf, readDraft } from "../state/edit.js";
import { createAck } from "./decider.js";
import { h, setChildren, setText } from "./dom.js";
import { createDiff } from "./output_view.js";
import { dangerList } from "./prompt_lines.js";
import { createTask } from "./task.js";
import { dangersOf } from "./verdict.js";

/**
 * @param {Object} tool     PendingTool
 * @param {Object} actions  `modify(args, apply, acknowledged)`: a promise; `back()`
 */
export function createEditor(tool, actions) {
  const draft = draftOf(tool.tool_args);
  const fields = draft.devices
    ? draft.devices.map((device) => field(`Lines for ${device.name}, one command a line`, device.text, (text) => (device.text = text)))
    : [field("Arguments, as JSON", draft.text, (text) => (draft.text = text))];
  const fault = h("p", { class: "fault", role: "status" });
  const changes = createChanges("Your changes");
  const dangers = h("div", { class: "editor-dangers" });
  const ack = createAck(allow);
  const direct = h("button", { type: "button", class: "primary", on: { click: () => send("direct") } }, "Run it like this");
  const again = h("button", { type: "button", class: "plain", on: { click: () => send("regenerate") } }, "Ask the model again");
  const back = h("button", { type: "button", class: "link", on: { click: actions.back } }, "Back");
  const root = h("section", { class: "editor", "aria-label": "Edit the call" });
  const task = createTask(root);
  root.append(...fields.map((one) => one.root), fault, changes.root, dangers, ack.root,
    h("div", { class: "decider-buttons" }, direct, again, back), task.fault);
  let read = { args: null, fault: null };
  let changed = false;

  function check() {
    read = readDraft(tool.tool_args, draft);
    const different = read.args ? changesOf(tool.tool_args, read.args) : [];
    changed = different.length > 0;
    setText(fault, read.fault ?? "");
    changes.update(different);
    allow();
  }

  function allow() {
    direct.disabled = again.disabled = !changed || ack.missing();
  }

  function edited() {
    task.reset();
    ack.show(false);
    dangers.replaceChildren();
    direct.className = "primary";
    check();
  }

  function send(apply) {
    task.run(() => actions.modify(read.args, apply, ack.checked()), refused);
  }

  /** The server judges the new lines: dangerous ones are shown before they may be sent. */
  function refused(error) {
    const found = dangersOf(error);
    if (!found) return;
    task.reset();
    dangers.replaceChildren(dangerList(found));
    ack.show(true);
    direct.className = "danger";
    allow();
    ack.focus();
    direct.parentElement.scrollIntoView({ block: "nearest" });
  }

  for (const one of fields) one.onInput(edited);
  check();
  return {
    root,
    focus: () => fields[0].focus(),
    isChanged: () => changed || read.fault !== null,
    /** Nothing that was typed is lost, but there is nothing to send it to any more. */
    freeze(frozen) {
      for (const one of fields) one.freeze(frozen);
      root.classList.toggle("frozen", frozen);
    },
  };
}

function field(label, text, write) {
  const area = h("textarea", { spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off" });
  const grow = () => (area.rows = Math.min(18, Math.max(3, area.value.split("\n").length + 1)));
  area.value = text;
  grow();
  return {
    root: h("label", { class: "field" }, h("span", {}, label), area),
    focus: () => area.focus(),
    freeze: (frozen) => (area.readOnly = frozen),
    onInput: (tell) => area.addEventListener("input", () => {
      write(area.value);
      grow();
      tell();
    }),
  };
}

/** Differences by device. */
export function createChanges(label) {
  const root = h("div", { class: "changes" });
  return {
    root,
    /** @param {import("../state/edit.js").Change[]} changes */
    update(changes) {
      root.hidden = changes.length === 0;
      setChildren(root, [h("p", { class: "changes-title" }, label), ...changes.map(({ name, lines }) => {
        const diff = createDiff(name ? `${label}: ${name}` : label);
        diff.update(name ? [{ kind: "file", text: name }, ...lines] : lines);
        return diff.root;
      })]);
    },
  };
}
