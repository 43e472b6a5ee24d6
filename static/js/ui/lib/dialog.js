/** Dialogs over the page: one at a time, native, closed by Escape. `app.dialog.set({ render })` opens one; null closes it. */

import { t } from "../../i18n/index.js";
import { html, useEffect, useId, useRef } from "./html.js";
import { useApp, useCell } from "./store.js";
import { Toasts } from "./toast.js";

export function Dialogs() {
  const { dialog } = useApp();
  const open = useCell(dialog);
  return open && html`<${open.render} ...${open.props} close=${() => dialog.set(null)} />`;
}

/** While it is open nothing else can be used: short words are said in it. @param {{title: string, className?: string, close: () => void, children: any}} props */
export function Dialog({ title, className = "", close, children }) {
  const root = useRef(null);
  const titleId = useId();
  useEffect(() => {
    const before = document.activeElement;
    root.current.showModal();
    return () => queueMicrotask(() => document.activeElement === document.body && before.isConnected && before.focus());
  }, []);

  /** At once: the browser tells of the end only later, and another dialog may be open by then. The cancelled choice of a file comes by here too. */
  function onCancel(event) {
    if (event.target !== root.current) return;
    event.preventDefault();
    close();
  }

  return html`
    <dialog ref=${root} class=${`dialog ${className}`} aria-labelledby=${titleId} onCancel=${onCancel} onClose=${close}>
      <h2 id=${titleId}>${title}</h2>
      ${children}
      <${Toasts} role=${null} />
    </dialog>
  `;
}

/**
 * Asks a yes-or-no question.
 * @param {{dialog: import("../../state/store.js").Cell<any>}} app
 * @returns {Promise<boolean>}
 */
export function confirm(app, { title, text, yes }) {
  return new Promise((resolve) => {
    function answer(value) {
      app.dialog.set(null);
      resolve(value);
    }
    app.dialog.set({ render: Question, props: { title, text, yes, answer } });
  });
}

function Question({ title, text, yes, answer }) {
  return html`
    <${Dialog} title=${title} close=${() => answer(false)}>
      <p>${text}</p>
      <div class="dialog-buttons">
        <button type="button" class="plain" onClick=${() => answer(false)}>${t("app.cancel")}</button>
        <button type="button" class="danger" onClick=${() => answer(true)}>${yes}</button>
      </div>
    <//>
  `;
}
