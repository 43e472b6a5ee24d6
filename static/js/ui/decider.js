/** Confirm and Reject. What is dangerous takes a second step; a rejection may say why. */

import { h, setText } from "./dom.js";
import { createTask } from "./task.js";

/**
 * @param {Object} texts          `confirm`, `anyway` and `reject`: what the buttons say
 * @param {Object} actions        `confirm(acknowledged)`, `reject(reason)`: promises
 * @param {HTMLElement[]} others  further buttons
 */
export function createDecider(texts, actions, others = []) {
  const root = h("div", { class: "decider" });
  const task = createTask(root);
  const ack = createAck(allow);
  const confirm = h("button", { type: "button", on: { click: () => task.run(() => actions.confirm(ack.checked())) } });
  const reject = h("button", { type: "button", class: "plain", on: { click: () => ask(true) } }, texts.reject);
  const buttons = h("div", { class: "decider-buttons" }, confirm, ...others, reject);
  const field = h("input", { type: "text", maxlength: "4000", autocomplete: "off", enterkeyhint: "send", on: { keydown: onKey } });
  const why = h("form", { class: "why", hidden: true, on: { submit } },
    h("label", {}, h("span", {}, "Reason, for the model (optional)"), field),
    h("button", { class: "plain" }, texts.reject),
    h("button", { type: "button", class: "link", on: { click: () => ask(false) } }, "Back"));
  root.append(ack.root, buttons, why, task.fault);

  function ask(open) {
    why.hidden = !open;
    buttons.hidden = open;
    (open ? field : reject).focus();
  }

  function submit(event) {
    event.preventDefault();
    task.run(() => actions.reject(field.value.trim()));
  }

  function onKey(event) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    ask(false);
  }

  function allow() {
    confirm.disabled = ack.missing();
  }

  return {
    root,
    update(dangerous) {
      ack.show(dangerous);
      confirm.className = dangerous ? "danger" : "primary";
      setText(confirm, dangerous ? texts.anyway : texts.confirm);
      allow();
    },
  };
}

/** The deliberate step before something dangerous. */
export function createAck(changed) {
  const box = h("input", { type: "checkbox", on: { change: changed } });
  const root = h("label", { class: "ack", hidden: true }, box, h("span", {}, "I have read the dangerous lines"));
  return {
    root,
    checked: () => !root.hidden && box.checked,
    missing: () => !root.hidden && !box.checked,
    show(dangerous) {
      if (dangerous === root.hidden) box.checked = false;
      root.hidden = !dangerous;
    },
    focus: () => box.focus(),
  };
}
