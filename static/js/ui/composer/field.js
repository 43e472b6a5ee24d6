/** The field of the message: it grows with its text. */

import { t } from "../../i18n/index.js";
import { takes } from "../../state/composing.js";
import { html, useEffect, useLayoutEffect } from "../lib/html.js";

/**
 * @param {Object} props
 * @param {{current: HTMLTextAreaElement}} props.field
 * @param {string} props.about     what the text belongs to: with another one the field gets the keyboard
 * @param {import("../../state/composing.js").Mode} props.mode
 */
export function Field({ field, text, about, mode, write, onKeyDown }) {
  const disabled = !takes(mode);
  useLayoutEffect(() => grow(field.current), [text, about]);
  useEffect(() => watchWidth(field.current), []);
  useLayoutEffect(() => {
    if (!disabled && !isElsewhere(field.current)) takeKeyboard(field.current);
  }, [about, disabled]);
  return html`
    <label class="visually-hidden" for="composer-text">${t("composer.label")}</label>
    <textarea ref=${field} id="composer-text" rows="1" autocomplete="off" enterkeyhint="send" aria-describedby="composer-hint"
      placeholder=${t(mode === "closed" ? "composer.closed" : "composer.placeholder")} disabled=${disabled} value=${text}
      onInput=${(event) => write(event.target.value)} onKeyDown=${onKeyDown}></textarea>
  `;
}

/** Who renames the chat that a double click opened, or deletes the one that is open, goes on there. */
function isElsewhere(node) {
  const active = document.activeElement;
  return active !== node && active.closest("input, textarea, #sidebar") !== null;
}

/** Not on a phone: there the keyboard covers half of the conversation. */
export function takeKeyboard(node = document.getElementById("composer-text")) {
  if (!matchMedia("(pointer: coarse)").matches) toEnd(node);
}

/** Puts the keyboard behind the last character. */
export function toEnd(node) {
  node.focus({ preventScroll: true });
  node.setSelectionRange(node.value.length, node.value.length);
}

function grow(node) {
  node.style.height = "auto";
  node.style.height = `${node.scrollHeight}px`;
}

function watchWidth(node) {
  let width = node.clientWidth;
  const watcher = new ResizeObserver(() => {
    if (node.clientWidth === width) return;
    width = node.clientWidth;
    grow(node);
  });
  watcher.observe(node);
  return () => watcher.disconnect();
}
