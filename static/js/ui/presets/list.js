/** All presets: changing, deleting and bringing back, exchanging as a file. */

import { t } from "../../i18n/index.js";
import { exported } from "../../state/presets.js";
import { saveFile } from "../lib/download.js";
import { html, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { IconButton } from "../lib/icons.js";
import { useApp } from "../lib/store.js";
import { usePresets } from "./use_presets.js";

const FILE = "copilot-presets.json";

/**
 * @param {Object} props
 * @param {(preset: import("../../state/presets.js").Preset) => void} props.edit
 * @param {() => void} props.add
 * @param {string|null} props.left  where the keyboard goes on: a preset's id, or "new"
 * @param {() => void} props.close
 */
export function PresetList({ edit, add, left, close }) {
  const { presets } = useApp();
  const list = usePresets();
  const root = useRef(null);
  const [deleted, setDeleted] = useState(null); // {before, name}: how it was
  const [said, say] = useState("");
  useLayoutEffect(() => left && root.current.querySelector(`[data-id="${CSS.escape(left)}"]`)?.focus(), []);

  function remove(preset) {
    setDeleted({ before: list, name: preset.name });
    presets.remove(preset.id);
    root.current.focus();
  }

  function undo() {
    presets.put(deleted.before);
    setDeleted(null);
    root.current.focus();
  }

  async function take(file) {
    const count = presets.take(await file.text());
    setDeleted(null);
    say(count === null ? t("presets.not_imported", { file: file.name }) : t("presets.imported", { count }));
  }

  return html`
    <div ref=${root} class="presets" tabindex="-1">
      ${list.length === 0 && html`<p class="preset-none">${t("presets.empty")}</p>`}
      <ul>${list.map((preset) => html`<${Row} key=${preset.id} ...${{ preset, edit, remove }} />`)}</ul>
      <p class="preset-said" role="status">${deleted ? t("presets.deleted", deleted) : said}
        ${deleted && html` <button type="button" class="link" onClick=${undo}>${t("presets.undo")}</button>`}</p>
      <div class="dialog-buttons">
        <${Import} take=${take} />
        <button type="button" class="plain" onClick=${() => saveFile(FILE, exported(list), "application/json")}>${t("presets.export")}</button>
        <button type="button" class="plain" data-id="new" onClick=${add}>${t("presets.add")}</button>
        <button type="button" class="primary" onClick=${close}>${t("app.close")}</button>
      </div>
    </div>
  `;
}

function Row({ preset, edit, remove }) {
  const { id, name, text } = preset;
  return html`
    <li>
      <span class="preset-name">${name}</span><span class="preset-text">${text.split("\n")[0]}</span>
      <${IconButton} icon="edit" className="small" label=${t("presets.edit", { name })} data-id=${id} onClick=${() => edit(preset)} />
      <${IconButton} icon="trash" className="small" label=${t("presets.delete", { name })} onClick=${() => remove(preset)} />
    </li>
  `;
}

function Import({ take }) {
  const file = useRef(null);

  function onChange() {
    if (file.current.files[0]) take(file.current.files[0]);
    file.current.value = "";
  }

  return html`
    <input ref=${file} type="file" accept="application/json,.json" hidden onChange=${onChange} />
    <button type="button" class="plain" onClick=${() => file.current.click()}>${t("presets.import")}</button>
  `;
}
