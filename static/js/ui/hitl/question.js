/** The question about one call: what will be sent, how long there is to decide, and the decision. */

import { t } from "../../i18n/index.js";
import { sentence } from "../../i18n/server.js";
import { parseUnified } from "../../state/diff.js";
import { isChanged } from "../../state/edit.js";
import { parsePartial } from "../../state/partial_json.js";
import { useFocusHeir } from "../lib/focus.js";
import { html, useEffect, useMemo } from "../lib/html.js";
import { useApp } from "../lib/store.js";
import { decideWith, useAnswer } from "./answer.js";
import { Clock } from "./clock.js";
import { Decider } from "./decider.js";
import { DiffBlock } from "./diff_block.js";
import { Editor } from "./editor.js";
import { arrived } from "./jump.js";
import { Lines } from "./lines.js";
import { useSpots } from "./spots.js";
import { UnsentEdit } from "./unsent_edit.js";

/** @param {{call: import("../../state/model.js").ToolCall, prompt: import("../../state/model.js").Prompt|null}} props  no prompt: it was decided */
export function Question({ call, prompt }) {
  const answer = useAnswer(call.id);
  const { draft, sent, taken } = answer.value;
  const tool = prompt?.tools[call.id] ?? null;
  useEffect(() => {
    if (tool === null) answer.forgetTaken();
  }, [tool === null, taken]);
  if (tool) return html`<${Open} key=${prompt.id} ...${{ tool, prompt, answer }} />`;
  const unsent = draft && !sent && isChanged(parsePartial(call.args), draft);
  return unsent ? html`<${UnsentEdit} draft=${draft} args=${parsePartial(call.args)} close=${answer.forget} />` : null;
}

function Open({ tool, prompt, answer }) {
  const { hitl } = useApp();
  const { root, go, onKeyDown } = useSpots();
  const callId = tool.tool_call_id;
  useFocusHeir(root, cardOf);
  useEffect(() => arrived(root.current), []);

  function edit(editing) {
    go(editing ? "draft" : "edit");
    answer.patch({ editing });
  }

  const decide = {
    confirm: (read) => decideWith(answer, () => hitl.confirm(prompt, [callId], read)),
    reject: (reason) => decideWith(answer, () => hitl.reject(prompt, [callId], reason)),
    modify: (args, apply, read) => decideWith(answer, () => hitl.modify(prompt, callId, args, apply, read)),
  };
  return html`
    <section ref=${root} class="prompt" tabindex="-1" aria-label=${t("hitl.question")} data-danger=${tool.danger_level} data-call=${callId}
      onKeyDown=${onKeyDown}>
      <${Head} tool=${tool} expiresAt=${prompt.expiresAt} />
      <${Lines} tool=${tool} />
      ${tool.preview && html`<${Preview} text=${tool.preview} />`}
      ${answer.value.editing
        ? html`<${Editor} ...${{ tool, answer }} modify=${decide.modify} back=${() => edit(false)} />`
        : html`<${Decision} ...${{ tool, answer, go }} ...${decide} edit=${() => edit(true)} />`}
    </section>
  `;
}

/** Who has just decided stays at the card with the keyboard. */
const cardOf = (root) => root.closest(".tool")?.querySelector("summary");

function Head({ tool, expiresAt }) {
  return html`
    <div class="prompt-head">
      <strong class="prompt-title">${sentence(tool.description)}</strong>
      <span class="risk" data-danger=${tool.danger_level}>${t(`hitl.danger.${tool.danger_level}`)}</span>
      ${expiresAt !== null && html`<${Clock} key=${expiresAt} expiresAt=${expiresAt} />`}
    </div>
  `;
}

function Preview({ text }) {
  const lines = useMemo(() => parseUnified(text), [text]);
  return html`<div class="changes"><p class="changes-title">${t("hitl.preview")}</p><${DiffBlock} label=${t("hitl.preview")} lines=${lines} /></div>`;
}

function Decision({ tool, answer, go, confirm, reject, edit }) {
  const { draft } = answer.value;
  const labels = { confirm: t("hitl.confirm"), anyway: t("hitl.confirm_anyway"), reject: t("hitl.reject") };
  const isEdited = draft && isChanged(tool.tool_args, draft);
  return html`
    <${Decider} ...${{ labels, answer, go, confirm, reject }} dangerous=${tool.danger_level === "high"}>
      <button type="button" class="plain" data-spot="edit" aria-keyshortcuts="E" onClick=${edit}>${isEdited ? t("hitl.edit_on") : t("hitl.edit")}</button>
    <//>
  `;
}
