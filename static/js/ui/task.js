/** One piece of work at a time for a group of controls: they keep the focus, and a failure is shown beside them. */

import { h, setText } from "./dom.js";
import { faultOf } from "./verdict.js";

export function createTask(root) {
  const fault = h("p", { class: "fault", role: "alert", hidden: true });
  let busy = false;

  /** The controls stay busy after success: the event that follows takes them away. */
  async function run(work, failed = () => {}) {
    if (busy) return;
    set(true, "");
    try {
      await work();
    } catch (error) {
      set(false, faultOf(error));
      failed(error);
    }
  }

  function set(now, text) {
    busy = now;
    root.setAttribute("aria-busy", String(busy));
    setText(fault, text);
    fault.hidden = text === "";
  }

  return { fault, run, reset: () => set(false, "") };
}
