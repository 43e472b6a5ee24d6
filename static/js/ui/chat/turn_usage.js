/** What an answer used: a quiet word that opens into figures. */

import { t } from "../../i18n/index.js";
import { count, money } from "../lib/format.js";
import { html } from "../lib/html.js";

/** @param {{usage: Object|null, tools: number}} props  of a run that has ended */
export function TurnUsage({ usage, tools }) {
  const figures = figuresOf(usage ?? {}, tools);
  return figures.length > 0 && html`
    <details class="turn-usage">
      <summary>${t("chat.usage")}</summary>
      <p>${figures.join(" · ")}</p>
    </details>
  `;
}

function figuresOf({ input_tokens: input, output_tokens: output, llm_calls: calls, cost_usd: cost }, tools) {
  if (!calls) return [];
  return [
    t("chat.usage.input", { count: count(input) }),
    t("chat.usage.output", { count: count(output) }),
    t("chat.usage.calls", { count: calls }),
    t("chat.usage.tools", { count: tools }),
    typeof cost === "number" ? money(cost) : "",
  ].filter(Boolean);
}
