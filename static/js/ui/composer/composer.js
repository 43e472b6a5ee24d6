/** Where a person writes: the field, what may be put into it, and what becomes of it. */

import { t } from "../../i18n/index.js";
import { charactersLeft, lastMessage, modeOf, takes } from "../../state/composing.js";
import { Announcer } from "../hitl/announcer.js";
import { html, names, useRef, useState } from "../lib/html.js";
import { useApp, useStore } from "../lib/store.js";
import { Actions } from "./actions.js";
import { useDraft } from "./draft.js";
import { EditingBanner } from "./editing_banner.js";
import { Field, isComposing, toEnd } from "./field.js";
import { Hint } from "./hint.js";
import { PresetButton, PresetMenu } from "../presets/menu.js";

export function Composer() {
  const app = useApp();
  const draft = useDraft();
  const field = useRef(null);
  const interrupt = useRef(null);
  const [presets, setPresets] = useState(null); // how the list was opened
  const mode = useStore((state) => modeOf(state, draft.editing !== null));
  const left = charactersLeft(draft.text, useStore((state) => state.limits.max_message));
  const ready = takes(mode) && mode !== "editing_busy" && draft.text.trim() !== "" && !(left < 0);

  function send(onBusy) {
    if (!ready) return;
    const sent = app.chat.send(draft.text.trim(), { onBusy, replaces: draft.editing?.messageId });
    if (sent) draft.clear();
    field.current.focus();
  }

  /** What would withdraw an open question takes a press of its own. */
  function submit() {
    if (mode === "asks") interrupt.current?.focus();
    else send();
  }

  function write(text) {
    if (text === "/" && draft.text === "") setPresets("slash");
    else draft.write(text);
  }

  function insert(text) {
    setPresets(null);
    draft.write(draft.text.trim() === "" ? text : `${draft.text.trimEnd()}\n${text}`);
    requestAnimationFrame(() => toEnd(field.current));
  }

  function leavePresets(typed = "") {
    setPresets(null);
    if (typed) draft.write(typed);
    toEnd(field.current);
  }

  function onKeyDown(event) {
    if (isComposing(event)) return;
    const act = KEYS[event.key]?.(event, { app, draft, submit, send });
    if (act) event.preventDefault();
  }

  return html`
    <form class=${names("composer", { running: mode === "running", asks: mode === "asks" })} onSubmit=${(event) => (event.preventDefault(), submit())}>
      ${presets && html`<${PresetMenu} opened=${presets} text=${draft.text} insert=${insert} leave=${leavePresets} close=${() => setPresets(null)} />`}
      ${draft.editing && html`<${EditingBanner} cancel=${() => (draft.clear(), field.current.focus())} />`}
      <div class="composer-box">
        <${Field} ...${{ field, write, onKeyDown }} text=${draft.text} about=${draft.about} mode=${mode} />
        <div class="composer-tools">
          <${PresetButton} open=${presets !== null} disabled=${!takes(mode)} flip=${() => setPresets(presets ? null : "button")} />
          <${Left} left=${left} />
          <${Actions} ...${{ mode, ready, send, interrupt }} />
        </div>
      </div>
      <${Hint} mode=${mode} />
      <${Announcer} />
    </form>
  `;
}

/** Each returns whether it was its key. */
const KEYS = {
  Enter({ shiftKey, ctrlKey, metaKey }, { submit, send }) {
    if (shiftKey) return false;
    if (ctrlKey || metaKey) send("interrupt");
    else submit();
    return true;
  },
  Escape(_, { draft }) {
    if (draft.editing) draft.clear();
    return draft.editing !== null;
  },
  ArrowUp(_, { app, draft }) {
    const { selected } = app.store.get();
    const last = draft.text === "" && !draft.editing ? lastMessage(app.store.get()) : null;
    if (last) app.editing.set({ sessionId: selected, messageId: last.id, text: last.text });
    return last !== null;
  },
};

function Left({ left }) {
  if (left === null) return null;
  const words = left < 0 ? t("composer.over", { count: -left }) : t("composer.left", { count: left });
  return html`<span class=${names("composer-left", { over: left < 0 })} role="status">${words}</span>`;
}
