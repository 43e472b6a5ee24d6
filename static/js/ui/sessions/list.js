/** The list of chats. More of them come when its end is scrolled into sight. */

import { t } from "../../i18n/index.js";
import { sessionRows } from "../../state/select.js";
import { isUnread } from "../../state/unread.js";
import { html, useEffect, useRef } from "../lib/html.js";
import { useApp, useCell, useStore } from "../lib/store.js";
import { SessionRow } from "./row.js";

export function SessionList() {
  const { unread } = useApp();
  const rows = useStore(sessionRows);
  const seen = useCell(unread.seen);
  const cursor = useStore(({ search, cursor: all }) => (search.query === "" ? all : search.cursor));
  const blank = useStore(({ listed, search }) => listed && search.query === "") && rows.length === 0;
  return html`
    <ul class="sessions" id="sessions" aria-label=${t("chats.title")} onKeyDown=${walk}>
      ${rows.map(({ session, ...row }) => html`<${SessionRow} key=${session.session_id} session=${session} unread=${isUnread(seen, session)} ...${row} />`)}
      ${cursor && html`<${More} key=${cursor} />`}
      ${blank && html`<li class="sessions-none">${t("chats.none")}</li>`}
    </ul>
  `;
}

function More() {
  const { sessions, report } = useApp();
  const button = useRef(null);
  const more = () => report(sessions.more());
  useEffect(() => {
    const watcher = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && more(), { rootMargin: "200px" });
    watcher.observe(button.current);
    return () => watcher.disconnect();
  }, []);
  return html`<li class="sessions-more"><button type="button" ref=${button} onClick=${more}>${t("chats.more")}</button></li>`;
}

const STEPS = { ArrowDown: (at) => at + 1, ArrowUp: (at) => Math.max(0, at - 1), Home: () => 0, End: () => Infinity };

/** The arrows go from chat to chat. */
function walk(event) {
  const from = event.target.closest(".session-open");
  if (!from || !STEPS[event.key]) return;
  event.preventDefault();
  const all = [...event.currentTarget.querySelectorAll(".session-open")];
  all[Math.min(STEPS[event.key](all.indexOf(from)), all.length - 1)].focus();
}
