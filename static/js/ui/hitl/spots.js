/** The controls of a question by name (`data-spot`): where the keyboard goes next, and the question's own keys. */

import { useLayoutEffect, useRef } from "../lib/html.js";

/** `confirm` only gets the focus: what changes a device takes a press of its own. */
const KEYS = { c: "confirm", e: "edit", r: "reject" };

/** The root's `ref` and `onKeyDown`; `go(spot)` moves the keyboard there once what it belongs to is drawn. */
export function useSpots() {
  const root = useRef(null);
  const wanted = useRef(null);
  const find = (spot) => [...root.current.querySelectorAll(`[data-spot="${spot}"]:not(:disabled)`)].at(-1);

  useLayoutEffect(() => {
    if (wanted.current !== null) find(wanted.current)?.focus();
    wanted.current = null;
  });

  function onKeyDown(event) {
    const spot = KEYS[event.key.toLowerCase()];
    if (!spot || event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input:not([type=checkbox]), textarea")) return;
    const control = find(spot);
    if (!control) return;
    event.preventDefault();
    if (spot === "confirm") control.focus();
    else control.click();
  }

  return { root, onKeyDown, go: (spot) => (wanted.current = spot) };
}
