/** What an answer used: a quiet word that opens into figures. */

import { t } from "../../i18n/index.js";
import { count, duration, money } from "../lib/format.js";
import { html } from "../lib/html.js";

/** @param {{item: import("../../state/model.js").UserItem, tools: number}} props  its run has ended */
export function TurnUsage({ item, tools }) {
  const figures = figuresOf(item.usage ?? {}, tools, item.duration);
  return figures.length > 0 && html`
    <details class="turn-usage">
      <summary>${t("chat.usage")}</summary>
      <p>${figures.join(" · ")}</p>
    </details>
  `;
}

function figuresOf({ input_tokens: input, output_tokens: output, llm_calls: calls, cost_usd: cost }, tools, took) {
  if (!calls) return [];
  return [
    duration(took),
    t("chat.usage.input", { count: count(input) }),
    t("chat.usage.output", { count: count(output) }),
    t("chat.usage.calls", { count: calls }),
    tools > 0 ? t("chat.usage.tools", { count: tools }) : "",
    cost > 0 ? money(cost) : "",
  ].filter(Boolean);
}
