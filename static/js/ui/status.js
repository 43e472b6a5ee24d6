/** The state of the connection, in words; while there is none, when it is tried again. */

import { t } from "../i18n/index.js";
import { statusOf, wordOf } from "../state/status.js";
import { useFocusHeir } from "./lib/focus.js";
import { html, useEffect, useRef, useState } from "./lib/html.js";
import { useApp, useStore } from "./lib/store.js";

const SHOWN = { "status.caught_up": 3000, "status.reloaded": 6000 }; // ms
const TICK = 500; // ms

export function ConnectionStatus() {
  const connection = useStore((state) => state.connection);
  const link = useStore((state) => state.link);
  const text = statusOf({ connection, link }, useOnline(), useWord());
  const trying = connection === "connecting" || connection === "reconnecting";
  return html`
    <div class="connection" data-says=${text.split(".")[1]}>
      <p class="status" id="status" role="status" data-status=${connection}><span class="dot"></span><span class="status-text">${t(text)}</span></p>
      ${trying && html`<${Retry} retryAt=${link.retryAt} />`}
    </div>
  `;
}

/** That nothing was missed, or that history was read again, is worth a word, but not for ever. */
function useWord() {
  const greeting = useStore((state) => state.greeting);
  const [over, setOver] = useState(null);
  const word = wordOf(greeting);
  useEffect(() => {
    if (word === null) return;
    const timer = setTimeout(() => setOver(greeting), SHOWN[word]);
    return () => clearTimeout(timer);
  }, [greeting]);
  return greeting === over ? null : word;
}

function useOnline() {
  const [online, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const look = () => setOnline(navigator.onLine);
    addEventListener("online", look);
    addEventListener("offline", look);
    return () => {
      removeEventListener("online", look);
      removeEventListener("offline", look);
    };
  }, []);
  return online;
}

function Retry({ retryAt }) {
  const app = useApp();
  const button = useRef(null);
  const left = useSeconds(retryAt);
  useFocusHeir(button, () => document.getElementById("composer-text"));
  return html`
    <span class="retry">
      <span class="retry-in" aria-hidden="true">${left !== null && t("status.retry_in", { count: left })}</span>
      <button type="button" class="link" ref=${button} aria-disabled=${String(left === null)} onClick=${() => app.check()}>${t("status.retry")}</button>
    </span>
  `;
}

/** How many whole seconds are left until then; null for no time. */
function useSeconds(until) {
  const [, draw] = useState(0);
  useEffect(() => {
    if (until === null) return;
    const timer = setInterval(() => draw((count) => count + 1), TICK);
    return () => clearInterval(timer);
  }, [until]);
  return until === null ? null : Math.max(1, Math.ceil((until - Date.now()) / 1000));
}
