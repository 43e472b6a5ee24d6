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
    if (!disabled && !matchMedia("(pointer: coarse)").matches && !typesElsewhere(field.current)) toEnd(field.current);
  }, [about, disabled]);
  return html`
    <label class="visually-hidden" for="composer-text">${t("composer.label")}</label>
    <textarea ref=${field} id="composer-text" rows="1" autocomplete="off" enterkeyhint="send" aria-describedby="composer-hint"
      placeholder=${t(mode === "closed" ? "composer.closed" : "composer.placeholder")} disabled=${disabled} value=${text}
      onInput=${(event) => write(event.target.value)} onKeyDown=${onKeyDown}></textarea>
  `;
}

/** A double click opens a chat and renames it: the keyboard stays in the field of its title. */
function typesElsewhere(node) {
  const active = document.activeElement;
  return active !== node && active.matches("input, textarea");
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
