/** Fields of the settings' forms: a label, what it is good for, and what is wrong with what stands in it. */

import { html, names, useId } from "../lib/html.js";

/**
 * @param {{label: string, hint?: string, fault?: string, wide?: boolean, control: (props: Object) => any}} props
 *   `control` gets the attributes that tie it to label, hint and fault
 */
export function Field({ label, hint, fault, wide = false, control }) {
  const id = useId();
  const about = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ");
  return html`
    <div class=${names("form-field", { wide, wrong: fault })}>
      <label for=${id}>${label}</label>
      ${control({ id, "aria-describedby": about || null, "aria-invalid": fault ? "true" : null })}
      ${hint && html`<p class="form-hint" id=${`${id}-hint`}>${hint}</p>`}
      ${fault && html`<p class="fault" id=${`${id}-fault`}>${fault}</p>`}
    </div>
  `;
}

/** One line of text. `type`: as typed; `kind`: `text` (default), `password`, `url`, or a number's `numeric` and `decimal`. */
export function TextField({ kind = "text", value, type, placeholder = "", required = false, ...field }) {
  const secret = kind === "password";
  const control = (ties) => html`
    <input ...${ties} type=${secret ? "password" : "text"} inputmode=${secret ? null : kind} value=${value} placeholder=${placeholder} aria-required=${required ? "true" : null}
      autocomplete=${secret ? "new-password" : "off"} autocapitalize="off" spellcheck=${false} onInput=${(event) => type(event.currentTarget.value)} />
  `;
  return html`<${Field} ...${field} control=${control} />`;
}

/** @param {{options: Object<string, string>, value: string, choose: (value: string) => void}} props  `options`: texts by value */
export function SelectField({ options, value, choose, autofocus = false, ...field }) {
  const control = (ties) => html`
    <select ...${ties} value=${value} autofocus=${autofocus} onChange=${(event) => choose(event.currentTarget.value)}>
      ${Object.entries(options).map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`)}
    </select>
  `;
  return html`<${Field} ...${field} control=${control} />`;
}

export function Check({ label, checked, choose, disabled = false, describedBy = null }) {
  return html`
    <label class="form-check"><input type="checkbox" checked=${checked} disabled=${disabled} aria-describedby=${describedBy} onChange=${(event) => choose(event.currentTarget.checked)} />${label}</label>
  `;
}

/** After a refused save: the first field that is wrong, so that it can be mended at once. */
export function focusFault(form) {
  form.querySelector("[aria-invalid]")?.focus();
}
