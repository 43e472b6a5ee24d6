/** Raises or lowers the limits of a run while it goes on. */

import { said } from "../../app/words.js";
import { t } from "../../i18n/index.js";
import { LIMITS } from "../../state/limits.js";
import { readNumber } from "../../state/numbers.js";
import { useFocusHeir } from "../lib/focus.js";
import { html, useId, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { useApp } from "../lib/store.js";

const FIELDS = ["max_iterations", "max_tool_calls", "max_execution_time_seconds", "max_total_tokens", "max_cost_usd"];

/** @param {{run: import("../../state/model.js").Run}} props */
export function RunLimits({ run }) {
  const [open, setOpen] = useState(false);
  const button = useRef(null);
  useFocusHeir(button, () => document.getElementById("composer-text"));

  function close() {
    setOpen(false);
    button.current.focus();
  }

  return html`
    <span class="run-limits">
      <button type="button" class="link" ref=${button} aria-expanded=${String(open)} onClick=${() => setOpen(!open)}>${t("chat.run.limits")}</button>
      ${open && html`<${Form} run=${run} close=${close} />`}
    </span>
  `;
}

function Form({ run, close }) {
  const app = useApp();
  const form = useRef(null);
  const [fault, setFault] = useState("");
  useLayoutEffect(() => form.current.querySelector("input").focus(), []);
  useFocusHeir(form, () => document.getElementById("composer-text"));

  async function submit(event) {
    event.preventDefault();
    const { changes, wrong } = readChanges(new FormData(event.target), run.limits ?? {});
    if (wrong) return setFault(wrong);
    try {
      if (Object.keys(changes).length > 0) await app.runs.limit(run.session_id, changes);
      return close();
    } catch (error) {
      return setFault(said(error));
    }
  }

  function onKey(event) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    close();
  }

  return html`
    <form class="limits-form" ref=${form} aria-label=${t("chat.run.limits_title")} onSubmit=${submit} onKeyDown=${onKey}>
      ${FIELDS.map((name) => html`<${Field} key=${name} name=${name} value=${run.limits?.[name]} />`)}
      <p class="fault" role="alert">${fault}</p>
      <div class="limits-buttons">
        <button type="submit" class="primary">${t("chat.run.limits_set")}</button>
        <button type="button" class="plain" onClick=${close}>${t("app.cancel")}</button>
      </div>
    </form>
  `;
}

function Field({ name, value }) {
  const id = useId();
  return html`
    <label for=${id}>${t(`limits.${name}`)}</label>
    <input id=${id} name=${name} type="text" inputmode="decimal" autocomplete="off" placeholder=${t("limits.unlimited")} defaultValue=${value} />
  `;
}

/** What differs from the limits in force; an empty field leaves what there is. */
function readChanges(data, limits) {
  const read = FIELDS.map((name) => [name, readNumber(data.get(name), LIMITS[name])]);
  const [name, wrong] = read.find(([, { fault }]) => fault !== null) ?? [];
  const changed = read.filter(([one, { value }]) => value !== null && value !== limits[one]);
  return {
    changes: Object.fromEntries(changed.map(([one, { value }]) => [one, value])),
    wrong: wrong ? `${t(`limits.${name}`)}: ${wrong.fault}` : "",
  };
}
