/**
 * What the keyboard reaches from everywhere on the page, fields included: hence Alt+Shift and a letter. Chrome and Edge keep A, B, I
 * and T of these for themselves; NVDA, JAWS, Narrator and VoiceOver have none; Orca has some while it browses, and then it comes first.
 */

import { isAnswering } from "../state/select.js";
import { KeyboardHelp } from "./composer/keyboard_help.js";
import { goToDecision } from "./hitl/jump.js";
import { drawers, flipDrawer } from "./lib/drawers.js";

const keys = (letter) => ["Alt", "Shift", letter];
const field = () => document.getElementById("composer-text");

/** @type {import("./lib/shortcuts.js").Shortcut[]} */
export const SHORTCUTS = [
  { name: "help", keys: ["?"], run: openHelp },
  { name: "new_chat", keys: keys("N"), run: newChat },
  { name: "search", keys: keys("S"), run: search },
  { name: "composer", keys: keys("M"), run: () => field()?.focus() },
  { name: "stop", keys: keys("X"), run: stop },
  { name: "next_decision", keys: keys("J"), run: (app) => goToDecision(app, 1) },
  { name: "previous_decision", keys: keys("K"), run: (app) => goToDecision(app, -1) },
  { name: "chats", keys: keys("C"), run: () => flipDrawer("sidebar") },
  { name: "lab", keys: keys("L"), run: () => flipDrawer("lab") },
];

export function openHelp({ dialog }) {
  dialog.set({ render: KeyboardHelp, props: { shortcuts: SHORTCUTS } });
}

function newChat({ sessions }) {
  sessions.open(null);
  field()?.focus();
}

function search() {
  if (!drawers.get().sidebar) flipDrawer("sidebar");
  focusWhenShown("session-search");
}

/** A panel that slides in takes some frames until it can have the keyboard. */
function focusWhenShown(id, frames = 60) {
  const node = document.getElementById(id);
  node?.focus();
  if (node !== document.activeElement && frames > 0) requestAnimationFrame(() => focusWhenShown(id, frames - 1));
}

function stop({ store, chat, report }) {
  if (isAnswering(store.get())) report(chat.stop());
}
