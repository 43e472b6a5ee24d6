/** An edit that came too late: it was decided otherwise, and nothing that was typed is lost. */

import { t } from "../../i18n/index.js";
import { changesOf, readDraft } from "../../state/edit.js";
import { useFocusHeir } from "../lib/focus.js";
import { html, useRef } from "../lib/html.js";
import { Changes } from "./changes.js";
import { Fields } from "./fields.js";

/** @param {{args: Object, draft: import("../../state/edit.js").Draft, close: () => void}} props */
export function UnsentEdit({ args, draft, close }) {
  const root = useRef(null);
  const { args: fresh } = readDraft(draft);
  useFocusHeir(root, (node) => node.closest(".tool")?.querySelector("summary"));
  return html`
    <section ref=${root} class="prompt editor" aria-label=${t("hitl.edit.title")}>
      <p class="caution">${t("hitl.edit.unsent")}</p>
      <${Fields} draft=${draft} />
      <${Changes} label=${t("hitl.edit.changes")} changes=${fresh ? changesOf(args, fresh) : []} />
      <div class="decider-buttons"><button type="button" class="plain" onClick=${close}>${t("hitl.edit.drop")}</button></div>
    </section>
  `;
}
