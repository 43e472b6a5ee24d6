/** What the run of the chosen chat has used so far, of what it may use. */

import { serverNow } from "../../net/clock.js";
import { t } from "../../i18n/index.js";
import { currentRun, currentTranscript } from "../../state/select.js";
import { toolsOfRun } from "../../state/turns.js";
import { clockTime, count, money, short } from "../lib/format.js";
import { html, names, useEffect, useState } from "../lib/html.js";
import { useApp, useStore } from "../lib/store.js";
import { RunLimits } from "./run_limits.js";

export function RunBar() {
  const run = useStore(currentRun);
  return run && html`<${Bar} key=${run.run_id} run=${run} />`;
}

function Bar({ run }) {
  const app = useApp();
  const tools = useStore((state) => toolsOfRun(currentTranscript(state)?.items ?? []));
  useEffect(() => void (run.limits ?? app.report(app.runs.learnLimits(run.session_id))), []);
  return html`
    <section class="run-bar" role="group" aria-label=${t("chat.run")}>
      <${Elapsed} run=${run} most=${run.limits?.max_execution_time_seconds} />
      <${Figures} run=${run} limits=${run.limits ?? {}} tools=${tools} />
      ${run.estimate && run.usage?.llm_calls === 0 && html`<span>${estimateText(run.estimate)}</span>`}
      <${RunLimits} run=${run} />
      ${run.retry && html`<p class="run-retry" role="status">${retryText(run.retry)}</p>`}
    </section>
  `;
}

/** It stands while people are asked. */
function Elapsed({ run, most }) {
  const [now, setNow] = useState(serverNow);
  const { startedAt, waited, waitingSince } = run;
  useEffect(() => {
    if (waitingSince !== null) return undefined;
    const timer = setTimeout(() => setNow(serverNow()), 1000 - ((now - startedAt) % 1000));
    return () => clearTimeout(timer);
  }, [now, waitingSince]);
  if (startedAt === null) return null;
  const ms = Math.max(0, (waitingSince ?? now) - startedAt - waited);
  return html`<${Figure} label="chat.run.time" done=${ms / 1000} most=${most} show=${(seconds) => clockTime(seconds * 1000)} />`;
}

function Figures({ run: { usage, spent }, limits, tools }) {
  const ran = html`<${Figure} label="chat.run.tools" done=${tools} most=${limits.max_tool_calls} show=${count} />`;
  if (usage === null) return ran;
  const { llm_calls: calls, total_tokens: tokens, cost_usd: cost } = usage;
  return html`
    <${Figure} label="chat.run.calls" done=${calls} most=${limits.max_iterations} show=${count} />
    ${ran}
    ${limits.max_total_tokens && spent !== null
      ? html`<${Figure} label="chat.run.tokens" done=${spent} most=${limits.max_total_tokens} show=${short} />`
      : html`<${Figure} label="chat.run.tokens" done=${tokens} show=${short} />`}
    ${cost > 0 && html`<${Figure} label="chat.run.cost" done=${cost} most=${limits.max_cost_usd} show=${money} />`}
  `;
}

/** `3 of 20 model calls`; `near`: most of it is used up. */
function Figure({ label, done, most, show }) {
  const value = most ? t("chat.run.of", { done: show(done), most: show(most) }) : show(done);
  return html`<span class=${names("figure", { near: most && done >= most * 0.8 })}>${t(label, { value, count: most ?? done })}</span>`;
}

const estimateText = ({ input_tokens: tokens, cost_usd: cost }) =>
  (typeof cost === "number" ? t("chat.run.estimate_cost", { tokens: short(tokens), cost: money(cost) }) : t("chat.run.estimate", { tokens: short(tokens) }));

const retryText = ({ attempt, of, delay_seconds: delay, message }) =>
  t("chat.run.retry", { attempt, of, count: Math.max(1, Math.round(delay)), message });
