/** Several calls wait: one decision for all of them, or for those that are chosen. */

import { t } from "../../i18n/index.js";
import { sentence } from "../../i18n/server.js";
import { isChanged } from "../../state/edit.js";
import { useFocusHeir } from "../lib/focus.js";
import { html, useEffect } from "../lib/html.js";
import { useApp } from "../lib/store.js";
import { decideWith, useAnswer } from "./answer.js";
import { Decider } from "./decider.js";
import { useSpots } from "./spots.js";

/** Some are decided: about the others it is asked anew. @param {{prompt: import("../../state/model.js").Prompt}} props */
export function Batch({ prompt }) {
  const id = [prompt.id, ...Object.keys(prompt.tools)].join(" ");
  return html`<${Calls} key=${id} id=${id} prompt=${prompt} />`;
}

function Calls({ id, prompt }) {
  const { hitl } = useApp();
  const { root, go, onKeyDown } = useSpots();
  const answer = useAnswer(id);
  const left = new Set(answer.value.left);
  const tools = Object.values(prompt.tools);
  const chosen = tools.filter((tool) => !left.has(tool.tool_call_id));
  const ids = chosen.map((tool) => tool.tool_call_id);
  useFocusHeir(root, lastCard);
  useEffect(() => answer.forgetTaken, []);

  function choose(callId, yes) {
    answer.patch({ left: yes ? [...left].filter((id) => id !== callId) : [...left, callId] });
  }

  return html`
    <section ref=${root} class="prompt batch" aria-label=${t("hitl.batch")} onKeyDown=${onKeyDown}>
      <p class="batch-title">${t("hitl.batch.title", { count: tools.length })}</p>
      <div class="batch-calls" role="group" aria-label=${t("hitl.batch.calls")}>${tools.map((tool) => html`
        <${Choice} key=${tool.tool_call_id} tool=${tool} chosen=${!left.has(tool.tool_call_id)} choose=${choose} />
      `)}</div>
      <${Decider} ...${{ answer, go }} labels=${labelsOf(chosen.length, tools.length)} disabled=${chosen.length === 0}
        dangerous=${chosen.some((tool) => tool.danger_level === "high")}
        confirm=${(read) => decideWith(answer, () => hitl.confirm(prompt, ids, read))}
        reject=${(reason) => decideWith(answer, () => hitl.reject(prompt, ids, reason))} />
    </section>
  `;
}

/** Whoever decided for all goes on from the last call that was asked about. */
const lastCard = () => [...document.querySelectorAll(".tool > summary")].at(-1);

function labelsOf(count, all) {
  const which = count === all ? "all" : "some";
  return {
    confirm: t(`hitl.batch.confirm_${which}`, { count }),
    anyway: t(`hitl.batch.confirm_${which}_anyway`, { count }),
    reject: t(`hitl.batch.reject_${which}`, { count }),
  };
}

function Choice({ tool, chosen, choose }) {
  const { value: { draft } } = useAnswer(tool.tool_call_id);
  return html`
    <label class="batch-call">
      <input type="checkbox" checked=${chosen} onChange=${(event) => choose(tool.tool_call_id, event.target.checked)} />
      <span class="batch-name">${sentence(tool.description)}</span>
      <span class="risk" data-danger=${tool.danger_level}>${t(`hitl.danger.${tool.danger_level}`)}</span>
      ${draft && isChanged(tool.tool_args, draft) && html`<span class="caution">${t("hitl.batch.edited")}</span>`}
    </label>
  `;
}
