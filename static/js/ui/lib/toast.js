/** Short words about what has no place of its own: a failure, a deletion that can be undone. */

import { useFocusHeir } from "./focus.js";
import { html, useEffect, useRef, useState } from "./html.js";
import { useApp, useCell } from "./store.js";

const SHOWN = 7000; // ms

/**
 * @typedef {{id: number, text: string, tone: "error"|"info", action: {label: string, run: () => void}|null, shown: number,
 *   gone: () => void}} Toast  `gone` is told once, when it is no longer there, after the action
 * @param {import("../../state/store.js").Cell<Toast[]>} cell
 */
export function createToasts(cell) {
  let next = 1;

  function drop(id) {
    const toast = cell.get().find((one) => one.id === id);
    cell.set(cell.get().filter((one) => one !== toast));
    toast?.gone();
  }

  return {
    cell,
    drop,
    /** @returns {() => void} takes it away */
    show(text, { tone = "error", action = null, shown = SHOWN, gone = () => {} } = {}) {
      const id = next++;
      cell.set([...cell.get(), { id, text, tone, action, shown, gone }]);
      return () => drop(id);
    },
  };
}

/** @param {{role?: string|null}} props  null: in a dialog, whose own status is another */
export function Toasts({ role = "status" }) {
  const { toasts } = useApp();
  const list = useCell(toasts.cell);
  return html`<div class="toasts" role=${role} aria-live="polite">${list.map((one) => html`<${Toast} key=${one.id} toast=${one} drop=${toasts.drop} />`)}</div>`;
}

/** It stays while somebody points at it or has the focus in it. */
function Toast({ toast, drop }) {
  const [held, setHeld] = useState(false);
  const root = useRef(null);
  useFocusHeir(root, (node) => node.closest("dialog")?.querySelector("button") ?? document.querySelector(".scroll"));
  useEffect(() => {
    const timer = held ? 0 : setTimeout(() => drop(toast.id), toast.shown);
    return () => clearTimeout(timer);
  }, [toast.id, held]);
  const hold = () => setHeld(true), release = () => setHeld(false);

  function act() {
    toast.action.run();
    drop(toast.id);
  }

  return html`
    <p ref=${root} class="toast" data-tone=${toast.tone} role=${toast.tone === "error" ? "alert" : null}
      onPointerEnter=${hold} onPointerLeave=${release} onFocusIn=${hold} onFocusOut=${release}>
      <span>${toast.text}</span>
      ${toast.action && html`<button type="button" class="link" onClick=${act}>${toast.action.label}</button>`}
    </p>
  `;
}
