/** What may be sent now, and sending it. */

import { charactersLeft, modeOf, takes } from "../../state/composing.js";
import { useRef } from "../lib/html.js";
import { useApp, useStore } from "../lib/store.js";

/**
 * @param {import("./draft.js").MessageDraft} draft
 * @param {{current: HTMLTextAreaElement}} field
 * @returns `left`: characters, null while that is no matter; `ready`: there is something that may be sent;
 *   `interrupt`: the button that does not wait for the answer
 */
export function useSending(draft, field) {
  const { chat } = useApp();
  const interrupt = useRef(null);
  const mode = useStore((state) => modeOf(state, draft.editing !== null));
  const left = charactersLeft(draft.text, useStore((state) => state.limits.max_message));
  const ready = takes(mode) && mode !== "editing_busy" && draft.text.trim() !== "" && !(left < 0);

  function send(onBusy) {
    if (!ready) return;
    const sent = chat.send(draft.text.trim(), { onBusy, replaces: draft.editing?.messageId });
    if (sent) draft.clear();
    field.current.focus();
  }

  /** What would withdraw an open question takes a press of its own. */
  function submit() {
    if (mode === "asks") interrupt.current?.focus();
    else send();
  }

  return { mode, left, ready, interrupt, send, submit };
}
