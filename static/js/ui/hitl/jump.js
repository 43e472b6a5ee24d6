/** Going from one waiting decision to the next with the keyboard, also to those of other chats. */

import { t } from "../../i18n/index.js";
import { waitingPlaces } from "../../state/asking.js";
import { createCell } from "../../state/store.js";

/** The call whose question gets the keyboard as soon as its chat shows it. */
const wanted = createCell(null);

/** @param {1|-1} step */
export function goToDecision(app, step) {
  const { store, sessions, toasts } = app;
  const places = waitingPlaces(store.get());
  if (places.length === 0) return toasts.show(t("hitl.none_waits"), { tone: "info" });
  const { sessionId, callId } = next(places, step);
  if (sessionId === store.get().selected) return focus(document.querySelector(`[data-call="${CSS.escape(callId)}"]`));
  wanted.set(callId);
  sessions.open(sessionId);
}

/** A question has come on screen. */
export function arrived(node) {
  if (node.dataset.call !== wanted.get()) return;
  wanted.set(null);
  focus(node);
}

function next(places, step) {
  const here = document.activeElement?.closest("[data-call]")?.dataset.call;
  const at = places.findIndex((place) => place.callId === here);
  if (at < 0) return places.at(step > 0 ? 0 : -1);
  return places.at((at + step) % places.length);
}

function focus(node) {
  if (!node) return;
  node.closest("details").open = true;
  node.focus();
  node.scrollIntoView({ block: "nearest" });
}
