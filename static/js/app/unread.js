/** Which chats hold something that nobody looked at. Kept by the browser, per user and project; its other tabs hear of it. */

import { serverNow } from "../net/clock.js";
import { createCell } from "../state/store.js";
import { looked } from "../state/unread.js";
import { keep, kept } from "./keep.js";

export function createUnread(app) {
  const seen = createCell({ since: "", chats: {} });
  let key = null;

  /** A browser that does not know the project yet takes everything there for read. */
  function enter(next) {
    key = next;
    if (key === null) return;
    const known = kept(key) ?? { since: new Date(serverNow()).toISOString(), chats: {} };
    keep(key, known);
    seen.set(known);
  }

  /** The chat on screen is being looked at. */
  function look() {
    const { projectId, userId, sessions, selected } = app.store.get();
    const place = projectId && userId ? `copilot.seen.${userId}.${projectId}` : null;
    if (place !== key) enter(place);
    const session = sessions[selected];
    if (key === null || !session || document.hidden) return;
    const next = looked(seen.get(), session);
    if (next === seen.get()) return;
    seen.set(next);
    keep(key, next);
  }

  app.store.subscribe(look);
  document.addEventListener("visibilitychange", look);
  addEventListener("storage", (event) => event.key === key && seen.set(kept(key, seen.get())));
  return { seen };
}
