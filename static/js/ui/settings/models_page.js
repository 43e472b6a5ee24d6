/** One's own model configurations: the list, or the form of one. */

import { models } from "../../app/models.js";
import { t } from "../../i18n/index.js";
import { useFocusBack } from "../lib/focus.js";
import { html, useEffect, useRef } from "../lib/html.js";
import { useApp, useCell } from "../lib/store.js";
import { ModelForm } from "./model_form.js";
import { ModelRow } from "./model_row.js";

export function ModelsPage() {
  const form = useCell(models.form);
  const { report } = useApp();
  const add = useRef(null);
  useEffect(() => void report(models.load()), []);
  useFocusBack(form !== null, () => add.current);
  return form ? html`<${ModelForm} form=${form} />` : html`<${ModelList} add=${add} />`;
}

function ModelList({ add }) {
  const { configs, error } = useCell(models.list);
  return html`
    <p class="settings-intro">${t("models.intro")}</p>
    <${Trouble} error=${error} />
    ${configs === null && !error && html`<p class="settings-intro">${t("settings.loading")}</p>`}
    ${configs?.length === 0 && html`<p class="settings-none">${t("models.none")}</p>`}
    ${configs?.length > 0 && html`<ul class="models">${configs.map((config) => html`<${ModelRow} key=${config.config_id} config=${config} />`)}</ul>`}
    ${configs && html`<button type="button" ref=${add} class="primary add-model" onClick=${models.create}>${t("models.add")}</button>`}
  `;
}

function Trouble({ error }) {
  const { report } = useApp();
  if (!error) return null;
  return html`<p class="fault" role="alert">${error} <button type="button" class="link" onClick=${() => report(models.load())}>${t("settings.again")}</button></p>`;
}
