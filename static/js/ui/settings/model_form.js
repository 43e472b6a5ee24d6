/** The form of a model configuration. What is typed stays until it is saved or given up, whatever the server says. */

import { models } from "../../app/models.js";
import { t } from "../../i18n/index.js";
import { PROVIDERS, changed } from "../../state/model_form.js";
import { html, useLayoutEffect, useRef } from "../lib/html.js";
import { useApp } from "../lib/store.js";
import { Check, SelectField, TextField, focusFault } from "./fields.js";

/** Names by id; a stored provider that this page does not know stays one. */
function providerNames(stored) {
  const known = Object.keys(PROVIDERS).map((id) => [id, t(`models.provider.${id}`)]);
  return { ...Object.fromEntries(known), ...(Object.hasOwn(PROVIDERS, stored) ? {} : { [stored]: stored }) };
}

/** @param {{form: import("../../app/models.js").ModelForm}} props */
export function ModelForm({ form }) {
  const { report } = useApp();
  const root = useRef(null);
  useLayoutEffect(() => root.current.querySelector("input").focus(), []);
  useLayoutEffect(() => focusFault(root.current), [form.faults]);

  function submit(event) {
    event.preventDefault();
    if (!form.busy) report(models.save());
  }

  return html`
    <form ref=${root} class="settings-form" aria-busy=${String(form.busy)} onSubmit=${submit} novalidate>
      <h3 class="wide">${form.config ? t("models.edit_title", { name: form.config.name }) : t("models.add")}</h3>
      <${Where} form=${form} />
      <${Key} form=${form} />
      <${Numbers} form=${form} />
      ${!form.config?.is_default && html`<${Check} label=${t("models.is_default")} checked=${form.draft.is_default} choose=${(on) => models.type("is_default", on)} />`}
      <div class="form-foot wide">
        <${Verdict} form=${form} />
        <div class="dialog-buttons">
          <button type="button" class="plain" onClick=${models.cancel}>${t("app.cancel")}</button>
          <button type="submit" class="primary">${t("settings.save")}</button>
        </div>
      </div>
    </form>
  `;
}

/** What ties a field to the draft. */
const tied = ({ draft, faults }, name) => ({
  label: t(`models.${name}`), value: draft[name], fault: faults[name], type: (value) => models.type(name, value),
});

function Where({ form }) {
  const { draft } = form;
  return html`
    <${TextField} ...${tied(form, "name")} required wide />
    <${SelectField} ...${tied(form, "provider")} options=${providerNames(draft.provider)} choose=${(value) => models.type("provider", value)} />
    <${TextField} ...${tied(form, "model")} required hint=${t("models.model_hint")} />
    <${TextField} ...${tied(form, "base_url")} kind="url" placeholder=${PROVIDERS[draft.provider]} hint=${t("models.base_url_hint")} wide />
  `;
}

function Key({ form }) {
  const { config, draft } = form;
  return html`
    <${TextField} ...${tied(form, "api_key")} kind="password" hint=${config ? t("models.key_keep") : undefined} wide />
    ${config && draft.api_key === "" && html`
      <${Check} label=${t("models.key_remove")} checked=${draft.remove_key} choose=${(on) => models.type("remove_key", on)} />
    `}
  `;
}

function Numbers({ form }) {
  return html`
    <${TextField} ...${tied(form, "temperature")} kind="decimal" hint=${t("models.temperature_hint")} />
    <${TextField} ...${tied(form, "max_tokens")} kind="numeric" />
    <${TextField} ...${tied(form, "context_limit")} kind="numeric" />
  `;
}

function Verdict({ form: { config, faults, theirs } }) {
  if (theirs) return html`<${Conflict} config=${config} theirs=${theirs} />`;
  const count = Object.keys(faults).length;
  if (count === 0) return null;
  return html`<p class="fault" role="alert">${faults[""] ?? t("form.wrong", { count })}</p>`;
}

/** Somebody else saved it meanwhile: nobody's work is thrown away without a word. */
function Conflict({ config, theirs }) {
  const { report } = useApp();
  return html`
    <div class="form-conflict" role="alert">
      <p>${t("models.conflict")}</p>
      <ul>${changed(config, theirs).map(([field, value]) => html`<li key=${field}>${t(`models.${field}`)}: <b>${value || "–"}</b></li>`)}</ul>
      <div class="model-actions">
        <button type="button" class="plain" onClick=${() => report(models.overwrite())}>${t("models.overwrite")}</button>
        <button type="button" class="plain" onClick=${() => models.edit(theirs)}>${t("models.take_theirs")}</button>
      </div>
    </div>
  `;
}
