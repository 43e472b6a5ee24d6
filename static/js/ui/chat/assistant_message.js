/** An answer: thoughts, text, calls. */

import { t } from "../../i18n/index.js";
import { phaseOf } from "../../state/select.js";
import { html, memo, names } from "../lib/html.js";
import { Prose } from "./prose.js";
import { Thoughts } from "./thoughts.js";
import { ToolCard } from "./tool_card.js";

/**
 * @param {Object} props
 * @param {import("../../state/model.js").AssistantItem} props.item
 * @param {import("../../state/model.js").Asking|null} props.asking  of its session
 * @param {"broken"|"length"|null} props.end  how it ended before its time
 * @param {boolean} props.going  it is about to be replaced
 */
export const AssistantMessage = memo(({ item, asking, end, going }) => {
  const { text, reasoning, partial, calls } = item;
  return html`
    <article class=${names("message assistant", { going, streaming: partial && calls.length === 0 })} aria-label=${t("chat.copilot")}>
      ${reasoning !== "" && html`<${Thoughts} text=${reasoning} now=${partial && text === "" && calls.length === 0} />`}
      ${text !== "" && html`<${Prose} text=${text} live=${partial} />`}
      ${calls.length > 0 && html`<${Calls} calls=${calls} asking=${asking} />`}
      ${end !== null && html`<p class="answer-end">${t(`chat.end.${end}`)}</p>`}
    </article>
  `;
});

/** Side by side where there is room; a call that a person is asked about takes all of it. */
function Calls({ calls, asking }) {
  return html`<div class="calls" data-count=${calls.length}>${calls.map((call) => html`<${ToolCard} key=${call.id} ...${standing(call, asking)} />`)}</div>`;
}

/** What a card needs to know of the session's question, so that it is not drawn anew for another call's. */
function standing(call, asking) {
  const phase = phaseOf(call, asking);
  const prompt = phase === "asking" ? asking.prompt : null;
  return { call, phase, prompt, decision: asking?.decisions[call.id] ?? null };
}
