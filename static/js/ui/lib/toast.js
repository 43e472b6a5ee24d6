/** Short words about what has no place of its own: a failure, a deletion that can be undone. */

import { html, useEffect } from "./html.js";
import { useApp, useCell } from "./store.js";

const SHOWN = 7000; // ms

/**
 * @typedef {{id: number, text: string, tone: "error"|"info", action: {label: string, run: () => void}|null, shown: number}} Toast
 * @param {import("../../state/store.js").Cell<Toast[]>} cell
 */
export function createToasts(cell) {
  let next = 1;
  const drop = (id) => cell.set(cell.get().filter((one) => one.id !== id));
  return {
    cell,
    drop,
    /** @returns {() => void} takes it away */
    show(text, { tone = "error", action = null, shown = SHOWN } = {}) {
      const id = next++;
      cell.set([...cell.get(), { id, text, tone, action, shown }]);
      return () => drop(id);
    },
  };
}

export function Toasts() {
  const { toasts } = useApp();
  const list = useCell(toasts.cell);
  return html`<div class="toasts" role="status">${list.map((one) => html`<${Toast} key=${one.id} toast=${one} drop=${toasts.drop} />`)}</div>`;
}

function Toast({ toast, drop }) {
  useEffect(() => {
    const timer = setTimeout(() => drop(toast.id), toast.shown);
    return () => clearTimeout(timer);
  }, [toast.id]);

  function act() {
    drop(toast.id);
    toast.action.run();
  }

  return html`
    <p class="toast" data-tone=${toast.tone} role=${toast.tone === "error" ? "alert" : null}>
      <span>${toast.text}</span>
      ${toast.action && html`<button type="button" class="link" onClick=${act}>${toast.action.label}</button>`}
    </p>
  `;
}
