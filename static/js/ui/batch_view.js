/** Several calls wait: one decision for all of them. */

import { h, setText } from "./dom.js";
import { createDecider } from "./decider.js";

export function createBatch({ hitl }) {
  let prompt = null;
  const title = h("p", { class: "batch-title" });
  const decider = createDecider({ confirm: "Confirm all", anyway: "Confirm all anyway", reject: "Reject all" }, {
    confirm: (acknowledged) => hitl.confirm(prompt, undefined, acknowledged),
    reject: (reason) => hitl.reject(prompt, undefined, reason),
  });
  const root = h("section", { class: "prompt batch", "aria-label": "All decisions" }, title, decider.root);
  return {
    root,
    update(next) {
      prompt = next;
      const tools = Object.values(prompt.tools);
      setText(title, `${tools.length} calls wait for your decision`);
      decider.update(tools.some((tool) => tool.danger_level === "high"));
    },
  };
}
