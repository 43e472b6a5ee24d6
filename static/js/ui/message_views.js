/** The rows of a transcript, one maker per kind: `create(actions) -> {root, update(item)}`. */

import { h, setAttr, setChildren, setText } from "./dom.js";
import { icon } from "./icons.js";
import { createTextView } from "./text_view.js";
import { createToolCard } from "./tool_card.js";

export function createUser() {
  const text = h("div", { class: "bubble" });
  const root = h("article", { class: "message user", "aria-label": "You" }, text);
  return { root, update: (item) => setText(text, item.text) };
}

const OUTGOING = { sending: "Sending…", sent: "", queued: "Queued: sent when the answer before it ends", failed: "" };

export function createOutgoing({ chat }) {
  let current = null;
  const text = h("div", { class: "bubble" });
  const state = h("span", { class: "outgoing-text" });
  const again = h("button", { type: "button", class: "link", on: { click: () => chat.retry(current) } }, "Send again");
  const force = h("button", { type: "button", class: "link", on: { click: () => chat.retry(current, "interrupt") } }, "Interrupt and send");
  const away = h("button", { type: "button", class: "link", on: { click: () => chat.drop(current) } }, "Discard");
  const line = h("p", { class: "outgoing-state" }, state, force, again, away);
  const root = h("article", { class: "message user outgoing", "aria-label": "You" }, text, line);
  return {
    root,
    update(entry) {
      current = entry;
      root.dataset.state = entry.state;
      setText(text, entry.text);
      setText(state, entry.error ?? OUTGOING[entry.state]);
      force.hidden = entry.state !== "failed" || entry.code !== "hitl_pending";
      again.hidden = away.hidden = entry.state !== "failed";
      line.hidden = state.textContent === "";
    },
  };
}

export function createAssistant(app, shelf) {
  const body = createTextView();
  const thoughts = createThoughts();
  const calls = h("div", { class: "calls" });
  const cards = new Map();
  const root = h("article", { class: "message assistant", "aria-label": "Copilot" }, thoughts.root, body.root, calls);
  return {
    root,
    /** @param {import("../state/model.js").Asking|null} asking */
    update(item, asking) {
      root.classList.toggle("streaming", item.partial && item.calls.length === 0);
      thoughts.update(item);
      body.update(item.text);
      setChildren(calls, item.calls.map((call) => cardOf(cards, call, asking, shelf)));
    },
  };
}

function cardOf(cards, call, asking, shelf) {
  if (!cards.has(call.id)) cards.set(call.id, createToolCard(shelf));
  cards.get(call.id).update(call, asking);
  return cards.get(call.id).root;
}

function createThoughts() {
  const title = h("span");
  const text = h("div", { class: "thoughts-text" });
  const root = h("details", { class: "thoughts", hidden: true }, h("summary", {}, icon("chevron"), title), text);
  return {
    root,
    update(item) {
      root.hidden = item.reasoning === "";
      const now = item.partial && item.text === "" && item.calls.length === 0;
      root.classList.toggle("now", now);
      setText(title, now ? "Thinking" : "Thoughts");
      setText(text, item.reasoning);
    },
  };
}

export function createNotice() {
  const text = h("span");
  const root = h("p", { class: "notice" }, text);
  return {
    root,
    update(item) {
      root.dataset.tone = item.tone;
      setAttr(root, "role", item.tone === "error" ? "alert" : null);
      setText(text, item.text);
    },
  };
}

export function createThinking() {
  const root = h("p", { class: "thinking" }, h("span", { class: "visually-hidden" }, "The copilot is working"),
    h("i"), h("i"), h("i"));
  return { root, update() {} };
}
