/** Older messages: they come by themselves when somebody scrolls near them; the button is for keyboards. */

import { t } from "../../i18n/index.js";
import { useFocusHeir } from "../lib/focus.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { useApp } from "../lib/store.js";

const AHEAD = "600px 0px 0px 0px";

/** @param {{sessionId: string, first: string, box: {current: Element}}} props  `first`: the oldest message that is here */
export function Older({ sessionId, first, box }) {
  const app = useApp();
  const button = useRef(null);
  const busy = useRef(false);
  const [loading, setLoading] = useState(false);
  useFocusHeir(button, () => box.current);

  async function load() {
    if (busy.current) return;
    setLoading((busy.current = true));
    await app.report(app.history.loadOlder(sessionId));
    setLoading((busy.current = false));
  }

  useEffect(() => {
    const seen = new IntersectionObserver(([entry]) => entry.isIntersecting && load(), { root: box.current, rootMargin: AHEAD });
    seen.observe(button.current);
    return () => seen.disconnect();
  }, [first]);

  return html`
    <button type="button" class="older" ref=${button} aria-busy=${String(loading)} onClick=${load}>${t(loading ? "chat.older_loading" : "chat.older")}</button>
  `;
}
