/** One piece of work at a time for a group of controls; what the server refuses is said beside them. */

import { said } from "../../app/words.js";
import { t } from "../../i18n/index.js";
import { html, useRef, useState } from "../lib/html.js";

/** @returns {{busy: boolean, fault: string|null, run: (work: () => Promise<any>) => Promise<void>}} */
export function useTask() {
  const [state, setState] = useState({ busy: false, fault: null });
  const running = useRef(false);

  async function run(work) {
    if (running.current) return;
    running.current = true;
    setState({ busy: true, fault: null });
    try {
      await work();
      setState({ busy: false, fault: null });
    } catch (error) {
      setState({ busy: false, fault: reasonOf(error) });
    }
    running.current = false;
  }

  return { ...state, run };
}

const reasonOf = (error) => (error.status === 403 ? `${t("projects.forbidden")} ${error.message}` : said(error));

export function Fault({ text }) {
  return text && html`<p class="fault" role="alert">${text}</p>`;
}
