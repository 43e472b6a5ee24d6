/** Writing a preset. */

import { t } from "../../i18n/index.js";
import { MOST, placeholdersOf, tidied } from "../../state/presets.js";
import { html, useEffect, useId, useRef, useState } from "../lib/html.js";
import { useApp } from "../lib/store.js";

const KINDS = ["message", "commands"];

/** @param {{preset: import("../../state/presets.js").Preset, back: (id: string|null) => void}} props  without an id: a new one */
export function PresetForm({ preset, back }) {
  const { presets } = useApp();
  const [draft, setDraft] = useState(preset);
  const [full, setFull] = useState(false);
  const name = useRef(null);
  const id = useId();
  useEffect(() => name.current.focus(), []);
  const set = (fields) => setDraft({ ...draft, ...fields });

  function submit(event) {
    event.preventDefault();
    const saved = presets.save(draft);
    if (saved) back(saved.id);
    else setFull(true);
  }

  return html`
    <form onSubmit=${submit}>
      <label for=${`${id}-name`}>${t("presets.name")}</label>
      <input ref=${name} id=${`${id}-name`} type="text" maxlength=${MOST.name} autocomplete="off" value=${draft.name} onInput=${(event) => set({ name: event.target.value })} />
      <${Kinds} kind=${draft.kind} choose=${(kind) => set({ kind })} />
      <label for=${`${id}-text`}>${t(draft.kind === "commands" ? "presets.lines" : "presets.text")}</label>
      <textarea id=${`${id}-text`} class=${`preset-${draft.kind}`} rows="6" maxlength=${MOST.text} spellcheck=${draft.kind === "message"} aria-describedby=${`${id}-hint`}
        value=${draft.text} onInput=${(event) => set({ text: event.target.value })}></textarea>
      <p class="preset-hint" id=${`${id}-hint`}>${t("presets.placeholders", { example: t("presets.blank") })} ${askedFor(draft.text)}</p>
      ${full && html`<p class="fault" role="alert">${t("presets.full")}</p>`}
      <div class="dialog-buttons">
        <button type="button" class="plain" onClick=${() => back(preset.id)}>${t("app.cancel")}</button>
        <button class="primary" disabled=${tidied(draft) === null}>${t("presets.save")}</button>
      </div>
    </form>
  `;
}

function askedFor(text) {
  const names = placeholdersOf(text).map((one) => one.name);
  return names.length > 0 && html`<span>${t("presets.asked", { names: names.join(", ") })}</span>`;
}

function Kinds({ kind, choose }) {
  return html`
    <fieldset class="preset-kinds"><legend>${t("presets.kind")}</legend>${KINDS.map((one) => html`
      <label key=${one}><input type="radio" name="preset-kind" checked=${one === kind} onChange=${() => choose(one)} />${t(`presets.kind.${one}`)}</label>
    `)}</fieldset>
  `;
}
