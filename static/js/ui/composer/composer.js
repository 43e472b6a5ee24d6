/** Where a person writes: the field, what may be put into it, and what becomes of it. */

import { t } from "../../i18n/index.js";
import { takes } from "../../state/composing.js";
import { Announcer } from "../hitl/announcer.js";
import { html, names, useRef } from "../lib/html.js";
import { useApp } from "../lib/store.js";
import { PresetButton, PresetMenu } from "../presets/menu.js";
import { Actions } from "./actions.js";
import { useDraft } from "./draft.js";
import { EditingBanner } from "./editing_banner.js";
import { Field } from "./field.js";
import { Hint } from "./hint.js";
import { useInserting } from "./inserting.js";
import { onFieldKey } from "./keys.js";
import { useSending } from "./sending.js";

export function Composer() {
  const app = useApp();
  const field = useRef(null);
  const draft = useDraft();
  const { submit, left, ...sending } = useSending(draft, field);
  const { opened, flip, write, ...presets } = useInserting(draft, field);
  const { mode, send } = sending;
  const keys = (event) => onFieldKey(event, { app, draft, submit, send });

  function cancel() {
    draft.clear();
    field.current.focus();
  }

  return html`
    <form class="composer" onSubmit=${(event) => (event.preventDefault(), submit())}>
      ${opened && html`<${PresetMenu} opened=${opened} text=${draft.text} ...${presets} />`}
      ${draft.editing && html`<${EditingBanner} cancel=${cancel} />`}
      <div class="composer-box">
        <${Field} ...${{ field, mode, write }} text=${draft.text} about=${draft.about} onKeyDown=${keys} />
        <div class="composer-tools">
          <${PresetButton} open=${opened !== null} disabled=${!takes(mode)} flip=${flip} />
          <${Left} left=${left} />
          <${Actions} ...${sending} field=${field} />
        </div>
      </div>
      <${Hint} mode=${mode} />
      <${Announcer} />
    </form>
  `;
}

function Left({ left }) {
  if (left === null) return null;
  const words = left < 0 ? t("composer.over", { count: -left }) : t("composer.left", { count: left });
  return html`<span class=${names("composer-left", { over: left < 0 })} role="status">${words}</span>`;
}
