/** Asks what a preset's placeholders stand for. */

import { t } from "../../i18n/index.js";
import { filled, isDevice, placeholdersOf } from "../../state/presets.js";
import { Dialog } from "../lib/dialog.js";
import { html, useId, useState } from "../lib/html.js";
import { useStore } from "../lib/store.js";

const DEVICES = "preset-devices";
const NO_NODES = [];

/** @param {{name: string, template: string, insert: (text: string) => void, close: () => void}} props */
export function FillIn({ name, template, insert, close }) {
  const asked = placeholdersOf(template);
  const [values, setValues] = useState(() => Object.fromEntries(asked.map((one) => [one.name, one.value])));
  const devices = useStore((state) => state.lab?.nodes ?? NO_NODES).map((node) => node.name).sort();

  function submit(event) {
    event.preventDefault();
    close();
    insert(filled(template, values));
  }

  return html`
    <${Dialog} title=${t("presets.fill", { name })} className="preset-dialog" close=${close}>
      <form onSubmit=${submit}>
        ${asked.map((one, at) => html`<${Blank} key=${one.name} name=${one.name} value=${values[one.name]} first=${at === 0}
          write=${(value) => setValues({ ...values, [one.name]: value })} />`)}
        <datalist id=${DEVICES}>${devices.map((device) => html`<option key=${device} value=${device} />`)}</datalist>
        <div class="dialog-buttons">
          <button type="button" class="plain" onClick=${close}>${t("app.cancel")}</button>
          <button class="primary">${t("presets.insert")}</button>
        </div>
      </form>
    <//>
  `;
}

function Blank({ name, value, first, write }) {
  const id = useId();
  return html`
    <label for=${id}>${name}</label>
    <input id=${id} type="text" autocomplete="off" autofocus=${first} list=${isDevice(name) ? DEVICES : undefined} value=${value}
      onInput=${(event) => write(event.target.value)} />
  `;
}
