/** One piece of work at a time for a group of controls: they keep the focus, and a failure is shown beside them. */

import { html, useRef, useState } from "../lib/html.js";
import { faultOf } from "./words.js";

const QUIET = { busy: false, fault: "" };

/** @returns {{busy: boolean, fault: string, run: (work: () => Promise<any>, failed?: (error: any) => void) => Promise<void>, reset: () => void}} */
export function useTask() {
  const [now, set] = useState(QUIET);
  const busy = useRef(false);

  function settle(fault) {
    busy.current = false;
    set({ busy: false, fault });
  }

  /** The controls stay busy after success: the event that follows takes them away. */
  async function run(work, failed = () => {}) {
    if (busy.current) return;
    busy.current = true;
    set({ busy: true, fault: "" });
    try {
      await work();
    } catch (error) {
      settle(faultOf(error));
      failed(error);
    }
  }

  return { ...now, run, reset: () => settle("") };
}

/** What a task failed with, said at once. */
export function TaskFault({ task }) {
  return task.fault && html`<p class="fault" role="alert">${task.fault}</p>`;
}
