/** The last lines of a device's console, as the copilot saw them. */

import { said } from "../../app/words.js";
import { t } from "../../i18n/index.js";
import { html, useEffect, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { useApp } from "../lib/store.js";

const LINES = 50;
const EVERY = 1000; // ms, while the copilot is at work there

export function ConsoleTail({ node, busy }) {
  const { lines, error } = useTail(node.node_id, busy);
  const root = useRef(null);
  useLayoutEffect(() => {
    if (root.current) root.current.scrollTop = root.current.scrollHeight;
  }, [lines]);
  return html`
    <h4 id=${`tail-${node.node_id}`}>${t("lab.tail")}</h4>
    ${error && html`<p class="lab-note">${error}</p>`}
    ${lines?.length === 0 && html`<p class="lab-note">${t("lab.no_tail")}</p>`}
    ${lines?.length > 0 && html`<pre class="console-tail" tabindex="0" role="region" aria-labelledby=${`tail-${node.node_id}`} ref=${root}>${lines.join("\n")}</pre>`}
  `;
}

/** Read when it is opened, again and again while the device is busy, and once more after that. */
function useTail(nodeId, busy) {
  const app = useApp();
  const [tail, setTail] = useState({ lines: null, error: null });
  useEffect(() => {
    let timer = 0;
    let over = false;

    async function read() {
      const next = await app.lab.tail(nodeId, LINES).then((lines) => ({ lines, error: null }), (fault) => ({ lines: null, error: said(fault) }));
      if (over) return;
      setTail((before) => (sameLines(before, next) ? before : next));
      if (busy) timer = setTimeout(read, EVERY);
    }

    read();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [nodeId, busy]);
  return tail;
}

const sameLines = (a, b) => a.error === b.error && a.lines?.join("\n") === b.lines?.join("\n");
