/** A transcript's items as the rows that are shown: after the last answer to a message stands how that ended. Pure. */

const RAN = new Set(["running", "success", "error", "unknown"]);
const TOLD = new Set(["stopped", "failed"]); // endings that say that an answer broke off

/**
 * @typedef {{kind: "user", item: import("./model.js").UserItem}
 *   | {kind: "assistant", item: import("./model.js").AssistantItem, end: "broken"|"length"|null}
 *   | {kind: "ending", item: import("./model.js").UserItem, tools: number}} Row
 * `end`: how the answer ended before its time, where nothing below it says so; `tools`: how many calls ran
 * @param {import("./model.js").Item[]} items
 * @returns {Row[]}
 */
export function rowsOf(items) {
  return turnsOf(items).flatMap(({ asked, answers }) => {
    const told = asked !== null && TOLD.has(asked.outcome);
    const rows = answers.map((item, at) => ({ kind: "assistant", item, end: endOf(item, told && at === answers.length - 1) }));
    return [...(asked ? [{ kind: "user", item: asked }] : []), ...rows, ...endingOf(asked, answers)];
  });
}

function endOf({ cut, incomplete }, told) {
  if (cut) return "length";
  return incomplete && !told ? "broken" : null;
}

function turnsOf(items) {
  const turns = [];
  for (const item of items) {
    if (item.kind === "user") turns.push({ asked: item, answers: [] });
    else if (turns.length > 0) turns.at(-1).answers.push(item);
    else turns.push({ asked: null, answers: [item] });
  }
  return turns;
}

function endingOf(asked, answers) {
  if (asked === null || (asked.outcome === null && asked.error === null && asked.limits.length === 0)) return [];
  return [{ kind: "ending", item: asked, tools: toolsRun(answers) }];
}

/** How many calls of the newest turn have run or run. */
export const toolsOfRun = (items) => toolsRun(turnsOf(items).at(-1)?.answers ?? []);

const toolsRun = (answers) => answers.reduce((sum, { calls }) => sum + calls.filter((call) => RAN.has(call.state)).length, 0);
