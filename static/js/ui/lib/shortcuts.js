/**
 * Keyboard shortcuts of the whole page: listening for them, and their names.
 *
 * @typedef {{name: string, keys: string[], run: (app: Object) => void}} Shortcut  `name`: of its text, `keys.<name>`
 */

import { useEffect } from "./html.js";
import { useApp } from "./store.js";

/**
 * Listens for `Alt+Shift+<letter>` everywhere and for single characters outside of fields; a dialog keeps all keys to itself.
 * @param {Shortcut[]} shortcuts
 */
export function useShortcuts(shortcuts) {
  const app = useApp();
  useEffect(() => {
    const listen = (event) => onKey(event, app, shortcuts);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [app, shortcuts]);
}

function onKey(event, app, shortcuts) {
  if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
  const pressed = pressedIn(event);
  const shortcut = pressed && shortcuts.find(({ keys }) => keys.join("+") === pressed);
  if (!shortcut) return;
  event.preventDefault();
  shortcut.run(app);
}

function pressedIn(event) {
  if (event.altKey) return event.shiftKey ? `Alt+Shift+${letterOf(event)}` : null;
  if (event.target.closest("input, textarea, select")) return null;
  return event.key === "？" ? "?" : event.key; // as Chinese keyboards write it
}

/** With Alt a Mac types other characters: there the key's place tells its letter. */
function letterOf({ key, code }) {
  return /^[a-z]$/i.test(key) ? key.toUpperCase() : code.replace("Key", "");
}

const MAC = { Alt: "⌥", Shift: "⇧", Ctrl: "⌘" };
const NAMES = { Escape: "Esc", ArrowUp: "↑" };

/** Keys as this machine's keyboard names them. */
export function keyName(keys) {
  const isMac = /mac|iphone|ipad/i.test(navigator.platform);
  return keys.map((key) => (isMac && MAC[key]) || NAMES[key] || key).join(isMac ? " " : "+");
}
