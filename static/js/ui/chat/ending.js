/** What stands below the last answer to a message: limits that were reached, how it ended, what it used. */

import { t } from "../../i18n/index.js";
import { html, memo, names } from "../lib/html.js";
import { Advice } from "./advice.js";
import { TurnUsage } from "./turn_usage.js";
import { UndoButton } from "./undo_button.js";

const LIMITS = new Set([
  "max_iterations", "max_tool_calls", "max_execution_time_seconds", "max_total_tokens", "max_cost_usd", "max_device_config_calls",
  "max_diagnostic_calls", "context_tokens",
]);
const ERRORS = new Set([
  "llm_auth", "llm_not_configured", "llm_rate_limited", "llm_timeout", "llm_unavailable", "llm_bad_response", "llm_context_length",
  "token_expired", "limit_reached", "interrupted", "internal", "lab_error",
]);

/**
 * @param {Object} props
 * @param {import("../../state/model.js").UserItem} props.item
 * @param {number} props.tools   how many calls ran
 * @param {boolean} props.last   nothing came after it, and nothing goes on
 * @param {boolean} props.going  it is about to be replaced
 */
export const Ending = memo(({ item, tools, last, going }) => html`
  <footer class=${names("ending", { going })} aria-label=${t("chat.ending")}>
    ${item.limits.map(({ limit, value, message }) => html`<p key=${limit} class="notice" data-tone="info">${limitText(limit, value, message)}</p>`)}
    ${item.error !== null ? html`<${Fault} ...${{ item, tools, last }} />` : html`<${Outcome} item=${item} />`}
    ${item.outcome !== null && html`
      <div class="ending-line">
        <${TurnUsage} item=${item} tools=${tools} />
        ${item.undoable && last && html`<${UndoButton} runId=${item.runId} />`}
      </div>
    `}
  </footer>
`);

const limitText = (limit, value, message) => (LIMITS.has(limit) ? t(`chat.limit.${limit}`, { value, count: value }) : message);

/** The server's own words say more than a code: they stand below what it means. */
function Fault({ item, tools, last }) {
  const { code, message } = item.error;
  return html`
    <div class="notice" data-tone="error" role=${last ? "alert" : null}>
      <strong>${t(ERRORS.has(code) ? `chat.error.${code}` : "chat.error.other")}</strong>
      <p>${message}</p>
      ${last && html`<${Advice} item=${item} tools=${tools} />`}
    </div>
  `;
}

function Outcome({ item }) {
  if (item.outcome === "stopped") return html`<p class="notice" data-tone="stopped">${t("chat.stopped")}</p>`;
  if (item.outcome === "failed") return html`<p class="notice" data-tone="error">${t("chat.error.other")}</p>`;
  return item.outcome === "limited" && item.limits.length === 0 && html`<p class="notice" data-tone="info">${t("chat.limited")}</p>`;
}
