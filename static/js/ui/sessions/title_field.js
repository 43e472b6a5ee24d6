/** Renaming in place: Enter and leaving the field save, Escape does not. */

import { t } from "../../i18n/index.js";
import { html, useLayoutEffect, useRef } from "../lib/html.js";
import { useApp } from "../lib/store.js";

/** @param {{session: Object, leave: (byKey: boolean) => void}} props  `leave` puts the row back; who left by a key stays in it */
export function TitleField({ session, leave }) {
  const { sessions, report } = useApp();
  const field = useRef(null);
  const open = useRef(true);
  useLayoutEffect(() => {
    field.current.focus();
    field.current.select();
  }, []);

  function close(save, byKey) {
    if (!open.current) return;
    open.current = false;
    const wanted = field.current.value.trim();
    leave(byKey);
    if (save && wanted && wanted !== session.title) report(sessions.rename(session.session_id, wanted));
  }

  function onKey(event) {
    if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.preventDefault();
    close(event.key === "Enter", true);
  }

  return html`
    <input ref=${field} class="session-field" maxlength="255" aria-label=${t("chats.rename_label")} defaultValue=${session.title} onKeyDown=${onKey} onBlur=${() => close(true, false)} />
  `;
}
