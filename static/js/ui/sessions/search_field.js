/** The search over titles and messages: it asks when nobody has typed for a moment, and what it found stands in the list. */

import { t } from "../../i18n/index.js";
import { listedSessions } from "../../state/select.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { Icon } from "../lib/icons.js";
import { useApp, useStore } from "../lib/store.js";

const QUIET = 200; // ms without typing

export function SearchField() {
  const { store, sessions, report } = useApp();
  const [text, setText] = useState(store.get().search.query);
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);

  function type(next, wait = QUIET) {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => report(sessions.search(next.trim())), wait);
  }

  function onKey(event) {
    if (event.isComposing) return;
    if (event.key === "Escape" && text !== "") {
      event.preventDefault();
      type("", 0);
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      document.querySelector("#sessions .session-open")?.focus();
    }
  }

  /** What an input method is still making of the keys is no word yet. */
  function onInput(event) {
    if (event.isComposing) setText(event.currentTarget.value);
    else type(event.currentTarget.value);
  }

  return html`
    <div class="session-search" role="search">
      <${Icon} name="search" />
      <input id="session-search" type="search" aria-label=${t("chats.search")} placeholder=${t("chats.search_hint")} autocomplete="off"
        spellcheck=${false} enterkeyhint="search" value=${text} aria-controls="sessions" onKeyDown=${onKey}
        onInput=${onInput} onCompositionEnd=${(event) => type(event.currentTarget.value)} />
    </div>
    <p class="search-said" role="status"><${Said} /></p>
  `;
}

function Said() {
  const { query, state, cursor } = useStore((one) => one.search);
  const count = useStore((one) => listedSessions(one).length);
  if (query === "") return null;
  if (state === "asking") return t("chats.searching");
  if (state === "failed") return t("chats.search_failed");
  if (count === 0) return t("chats.found_none");
  return t(cursor ? "chats.found_more" : "chats.found", { count });
}
