/**
 * What a chat has used. Pure.
 *
 * @typedef {{model: string, calls: number, input: number, output: number, cost: number|null}} Bill  `cost` in US dollars, null: unknown
 */

/** The chat's counts with those of a run that still goes on. @returns {{input: number, output: number, total: number}} */
export function tokensOf(session, usage) {
  const sum = (key) => Number(session?.[key] ?? 0) + Number(usage?.[key] ?? 0);
  return { input: sum("input_tokens"), output: sum("output_tokens"), total: sum("total_tokens") };
}

/** Per model, what a provider would bill. @returns {Bill[]} */
export function billsOf(session) {
  return Object.entries(session?.stats?.billed ?? {}).map(([model, bill]) => ({
    model,
    calls: bill.calls ?? 0,
    input: bill.input_tokens ?? 0,
    output: bill.output_tokens ?? 0,
    cost: typeof bill.cost_usd === "number" ? bill.cost_usd : null,
  }));
}

/** The tools that ran, the most used first. @returns {[string, number][]} */
export function toolsOf(session) {
  return Object.entries(session?.stats?.tool_calls ?? {}).sort(([, a], [, b]) => b - a);
}
