/** Changing a call's arguments before it runs. What is typed is checked at once, and judged by the server when it is sent. */

import { t } from "../../i18n/index.js";
import { changesOf, draftOf, placeFaults, readDraft, strangers } from "../../state/edit.js";
import { html, useState } from "../lib/html.js";
import { useStore } from "../lib/store.js";
import { Ack } from "./ack.js";
import { Changes } from "./changes.js";
import { Fields } from "./fields.js";
import { Dangers } from "./lines.js";
import { TaskFault, useTask } from "./task.js";
import { Views } from "./views.js";
import { dangersOf, detailsOf } from "./words.js";

const UNJUDGED = { dangers: null, read: false, details: [] };
const NO_NODES = [];

/**
 * @param {Object} props
 * @param {Object} props.tool  PendingTool
 * @param {ReturnType<import("./answer.js").useAnswer>} props.answer
 * @param {(args: Object, apply: "direct"|"regenerate", acknowledged: boolean) => Promise<void>} props.modify
 * @param {() => void} props.back
 */
export function Editor({ tool, answer, modify, back }) {
  const draft = answer.value.draft ?? draftOf(tool.tool_args);
  const task = useTask();
  const [judged, setJudged] = useState(UNJUDGED);
  const { args, fault } = readDraft(draft);
  const changes = args ? changesOf(tool.tool_args, args) : [];
  const placed = placeFaults(draft, judged.details);

  function change(next) {
    task.reset();
    setJudged(UNJUDGED);
    answer.patch({ draft: next });
  }

  /** Dangerous lines are shown before they may be sent; what does not fit is shown where it stands. */
  function refused(error) {
    const dangers = dangersOf(error);
    if (dangers || detailsOf(error).length > 0) task.reset();
    setJudged({ dangers, read: false, details: detailsOf(error) });
  }

  const ready = changes.length > 0 && (judged.dangers === null || judged.read);
  const send = (apply) => task.run(() => modify(args, apply, judged.read), refused);
  return html`
    <section class="editor" aria-label=${t("hitl.edit.title")} aria-busy=${task.busy} onKeyDown=${(event) => leaveOn(event, back)}>
      <${Views} draft=${draft} turn=${(view) => change(view)} />
      <${Fields} draft=${draft} change=${change} faults=${placed.devices} fault=${fault ? faultText(fault) : placed.rest.join("\n")} />
      ${args && html`<${Strangers} args=${args} />`}
      <${Changes} label=${t("hitl.edit.changes")} changes=${changes} />
      ${judged.dangers && html`
        <${Dangers} dangers=${judged.dangers} />
        <${Ack} checked=${judged.read} change=${(read) => setJudged({ ...judged, read })} takesFocus />
      `}
      <div class="decider-buttons">
        <button type="button" class=${judged.dangers ? "danger" : "primary"} disabled=${!ready} onClick=${() => send("direct")}>${t("hitl.edit.direct")}</button>
        <button type="button" class="plain" disabled=${!ready} onClick=${() => send("regenerate")}>${t("hitl.edit.regenerate")}</button>
        <button type="button" class="link" onClick=${back}>${t("hitl.back")}</button>
      </div>
      <${TaskFault} task=${task} />
    </section>
  `;
}

function leaveOn(event, back) {
  if (event.key !== "Escape" || event.isComposing) return;
  event.preventDefault();
  back();
}

function Strangers({ args }) {
  const nodes = useStore((state) => state.lab?.nodes ?? NO_NODES);
  const names = strangers(args, nodes);
  return names.length > 0 && html`<p class="caution" role="status">${t("hitl.edit.strangers", { count: names.length, names: names.join(", ") })}</p>`;
}

function faultText({ code, fault }) {
  return t(`hitl.fault.${code}`, fault && { ...fault, what: t(`hitl.json.${fault.wants}`) });
}
