/** A chat in the list: choose, pin, rename in place, delete. */

import { confirm } from "./confirm.js";
import { h, setAttr, setText } from "./dom.js";
import { closeDrawers } from "./drawers.js";
import { icon } from "./icons.js";

export function createSessionRow(app, id) {
  let session = null;
  let editing = false;
  const title = h("span", { class: "session-title" });
  const mark = h("span", { class: "session-mark" });
  const badge = h("span", { class: "session-badge" });
  const choose = h("button", { type: "button", class: "session-open", on: { click: open, dblclick: edit } }, mark, title, badge);
  const pin = action("pin", () => app.report(app.sessions.pin(id, !session.pinned)));
  const rename = action("edit", edit);
  const remove = action("trash", () => app.report(ask()));
  const actions = h("span", { class: "session-actions" }, pin, rename, remove);
  const field = h("input", { class: "session-field", maxlength: "255", "aria-label": "Title of the chat", on: { keydown: onKey, blur: save } });
  const root = h("li", { class: "session" }, choose, actions);

  function open() {
    app.sessions.open(id);
    closeDrawers();
  }

  function edit() {
    editing = true;
    field.value = session.title;
    root.replaceChildren(field);
    field.focus();
    field.select();
  }

  function leave() {
    editing = false;
    root.replaceChildren(choose, actions);
  }

  function save() {
    if (!editing) return;
    const wanted = field.value.trim();
    leave();
    if (wanted && wanted !== session.title) app.report(app.sessions.rename(id, wanted));
  }

  function onKey(event) {
    if (event.key === "Enter") save();
    else if (event.key === "Escape") leave();
    else return;
    choose.focus();
  }

  async function ask() {
    const text = `“${session.title}” and all its messages will be gone.`;
    if (await confirm("Delete this chat?", text, "Delete")) await app.sessions.remove(id);
  }

  function update(next, selected, run, waiting) {
    session = next;
    root.classList.toggle("pinned", session.pinned === true);
    root.classList.toggle("selected", selected);
    setAttr(choose, "aria-current", selected ? "true" : null);
    const runs = run !== null && waiting === 0;
    mark.dataset.run = runs ? run.status : "";
    setAttr(mark, "aria-label", runs ? "running" : null);
    setAttr(mark, "role", runs ? "img" : null);
    badge.hidden = waiting === 0;
    setText(badge, waiting === 1 ? "1 decision" : `${waiting} decisions`);
    setAttr(badge, "title", "Waits for your decision");
    setText(title, session.title);
    setAttr(title, "title", session.title);
    for (const [button, verb] of [[pin, session.pinned ? "Unpin" : "Pin"], [rename, "Rename"], [remove, "Delete"]]) {
      setAttr(button, "aria-label", `${verb}: ${session.title}`);
      setAttr(button, "title", verb);
    }
  }

  return { root, update };
}

function action(name, run) {
  return h("button", { type: "button", class: `icon-button small action-${name}`, on: { click: run } }, icon(name));
}
