/** What the page says outside of itself: in the title of its tab, and, where a person allowed it, as notifications of the system. */

import { t } from "../i18n/index.js";
import { endedNotice, noticeOf } from "../state/notices.js";
import { pageTitle } from "../state/select.js";

export function createNotify(app) {
  const { store } = app;
  const shown = new Map(); // tag -> Notification

  /** Not in a frame callback: tabs in the background draw none. */
  function entitle() {
    const title = pageTitle(store.get(), t("app.name"));
    if (document.title !== title) document.title = title;
  }

  function close(tag) {
    shown.get(tag)?.close();
    shown.delete(tag);
  }

  async function go({ sessionId }, projectId) {
    window.focus();
    if (store.get().projectId !== projectId) await app.projects.choose(projectId);
    app.sessions.open(sessionId);
  }

  function show(notice) {
    const { projectId, sessions } = store.get();
    const body = sessions[notice.sessionId]?.title ?? "";
    const notification = made(t(`chats.notice.${notice.kind}`, notice), { body, tag: notice.tag, lang: document.documentElement.lang });
    notification?.addEventListener("click", () => {
      close(notice.tag);
      app.report(go(notice, projectId));
    });
    if (notification) shown.set(notice.tag, notification);
  }

  store.subscribe(entitle);
  entitle();
  document.addEventListener("visibilitychange", () => document.hidden || [...shown.keys()].forEach(close));

  return {
    /** An event of the feed, or a question that `hello` found open. */
    tell(event) {
      close(endedNotice(event));
      const { preferences, hidden } = store.get();
      if (!document.hidden || !preferences.notifications || permission() !== "granted" || hidden[event.session_id]) return;
      const notice = noticeOf(event);
      if (notice) show(notice);
    },
  };
}

/** @returns {"granted"|"denied"|"default"|"unsupported"} */
export const permission = () => (typeof Notification === "function" ? Notification.permission : "unsupported");

/** Asks the person, which browsers allow only in answer to a click. */
export const askPermission = () => Notification.requestPermission();

/** Chrome on Android has the constructor and refuses it: only service workers may notify there. */
function made(title, options) {
  try {
    return new Notification(title, options);
  } catch {
    return null;
  }
}
