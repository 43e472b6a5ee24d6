/** The list of presets over the message field: search, choose, insert. */

import { t } from "../../i18n/index.js";
import { matching, placeholdersOf } from "../../state/presets.js";
import { openPresets } from "../dialogs.js";
import { html, names, useEffect, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { IconButton } from "../lib/icons.js";
import { useApp } from "../lib/store.js";
import { FillIn } from "./fill_in.js";
import { templateOf } from "./template.js";
import { usePresets } from "./use_presets.js";

const LIST = "presets-list";
const optionId = (at) => `${LIST}-${at}`;

/** @param {{open: boolean, disabled: boolean, flip: () => void}} props */
export function PresetButton({ open, disabled, flip }) {
  return html`<${IconButton} icon="presets" className="small" label=${t("presets.title")} aria-haspopup="dialog" aria-expanded=${open}
    disabled=${disabled} onClick=${flip} />`;
}

/**
 * @param {Object} props
 * @param {"slash"|"button"} props.opened
 * @param {string} props.text                    what is in the field
 * @param {(text: string) => void} props.insert  puts a text there
 * @param {(typed?: string) => void} props.leave back to the field, with what was typed here if it was meant for there
 * @param {() => void} props.close               the keyboard is elsewhere already
 */
export function PresetMenu({ opened, text, insert, leave, close }) {
  const app = useApp();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const found = matching(usePresets(), query);

  function search(words) {
    setQuery(words);
    setAt(0);
  }

  function choose(preset) {
    const template = templateOf(preset);
    if (placeholdersOf(template).length === 0) return insert(template);
    leave();
    app.dialog.set({ render: FillIn, props: { name: preset.name, template, insert } });
  }

  function manage(fresh) {
    leave();
    openPresets(app, { fresh });
  }

  function onKeyDown(event) {
    const act = event.isComposing ? null : {
      ArrowDown: () => setAt((at + 1) % Math.max(found.length, 1)),
      ArrowUp: () => setAt((at + found.length - 1) % Math.max(found.length, 1)),
      Enter: () => found[at] && choose(found[at]),
      Escape: () => leave(opened === "slash" ? `/${query}` : ""),
      Backspace: query === "" ? () => leave() : null,
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  const leaveOutside = ({ currentTarget, relatedTarget }) => relatedTarget === null || currentTarget.contains(relatedTarget) || close();
  return html`
    <div class="preset-menu" role="dialog" aria-label=${t("presets.title")} tabindex="-1" onFocusOut=${leaveOutside}>
      <${Search} ...${{ query, search, onKeyDown }} active=${found.length > 0 ? optionId(at) : null} />
      <${Options} ...${{ found, at, choose }} />
      <div class="preset-foot">
        ${text.trim() !== "" && html`<button type="button" class="link" onClick=${() => manage({ text })}>${t("presets.save_this")}</button>`}
        <button type="button" class="link" onClick=${() => manage(null)}>${t("presets.manage")}</button>
      </div>
    </div>
  `;
}

function Search({ query, search, onKeyDown, active }) {
  const field = useRef(null);
  useLayoutEffect(() => field.current.focus(), []); // at once: the next letter of a fast typist belongs here
  return html`
    <input ref=${field} type="text" role="combobox" aria-label=${t("presets.search")} placeholder=${t("presets.search")} aria-expanded="true"
      aria-controls=${LIST} aria-autocomplete="list" aria-activedescendant=${active} autocomplete="off" spellcheck=${false}
      value=${query} onInput=${(event) => search(event.target.value)} onKeyDown=${onKeyDown} />
  `;
}

function Options({ found, at, choose }) {
  const list = useRef(null);
  useEffect(() => list.current.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }), [at]);
  return html`
    <ul ref=${list} id=${LIST} role="listbox" aria-label=${t("presets.title")}>${found.map((preset, index) => html`
      <li key=${preset.id} id=${optionId(index)} role="option" class=${names({ chosen: index === at })} aria-selected=${index === at}
        onMouseDown=${(event) => event.preventDefault()} onClick=${() => choose(preset)}>
        <strong>${preset.name}</strong><span>${firstLine(preset.text)}</span>
      </li>
    `)}</ul>
    ${found.length === 0 && html`<p class="preset-none" role="status">${t("presets.none")}</p>`}
  `;
}

const firstLine = (text) => text.split("\n")[0];
