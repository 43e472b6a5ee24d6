/** A chat in the list: choose it, rename it in place, and a menu with the rest. */

import { titleOf } from "../../app/words.js";
import { t } from "../../i18n/index.js";
import { takeKeyboard } from "../composer/field.js";
import { closeDrawers } from "../lib/drawers.js";
import { useFocusBack, useFocusHeir } from "../lib/focus.js";
import { html, memo, names, useRef, useState } from "../lib/html.js";
import { Icon } from "../lib/icons.js";
import { useApp } from "../lib/store.js";
import { RowMenu } from "./row_menu.js";
import { TitleField } from "./title_field.js";

/** @param {{session: Object, selected: boolean, run: string|null, waiting: number, unread: boolean}} props */
export const SessionRow = memo((props) => {
  const { session, selected } = props;
  const { deletions } = useApp();
  const [renaming, setRenaming] = useState(false);
  const root = useRef(null);
  const byKey = useRef(false);
  useFocusHeir(root, neighbourOf);
  useFocusBack(renaming, () => byKey.current && root.current.querySelector(".session-open"));

  function leave(key) {
    byKey.current = key;
    setRenaming(false);
  }

  const rename = () => setRenaming(true);
  const remove = () => deletions.remove(session.session_id);
  return html`
    <li ref=${root} class=${names("session", { selected, pinned: session.pinned, unread: props.unread })}>
      ${renaming
        ? html`<${TitleField} session=${session} leave=${leave} />`
        : html`<${Choice} ...${props} rename=${rename} remove=${remove} /><${RowMenu} session=${session} rename=${rename} remove=${remove} />`}
    </li>
  `;
});

function Choice({ session, selected, rename, remove, ...marks }) {
  const { sessions } = useApp();

  function open() {
    sessions.open(session.session_id);
    closeDrawers();
    takeKeyboard();
  }

  function onKey(event) {
    if (event.key === "F2") rename();
    else if (event.key === "Delete") remove();
    else return;
    event.preventDefault();
  }

  return html`
    <button type="button" class="session-open" aria-current=${selected ? "true" : null} aria-keyshortcuts="F2 Delete" onClick=${open} onDblClick=${rename} onKeyDown=${onKey}>
      <${Mark} ...${marks} />
      <span class="session-title" title=${titleOf(session)}>${titleOf(session)}</span>
      ${marks.waiting > 0 && html`<span class="session-badge" title=${t("chats.decisions_hint")}>${t("chats.decisions", { count: marks.waiting })}</span>`}
      ${session.pinned && html`<span class="session-pin" role="img" aria-label=${t("chats.pinned")}><${Icon} name="pin" /></span>`}
    </button>
  `;
}

/** What goes on there, or came since the last look. */
function Mark({ run, unread, waiting }) {
  const what = run ? "running" : unread && waiting === 0 ? "unread" : null;
  return html`<span class="session-mark" data-run=${run ?? ""} data-unread=${String(what === "unread")} role=${what && "img"} aria-label=${what && t(`chats.${what}`)}></span>`;
}

/** Who gets the focus from a row that goes. */
function neighbourOf(row) {
  const near = [row.nextElementSibling, row.previousElementSibling].map((one) => one?.querySelector(".session-open"));
  return near.find(Boolean) ?? document.getElementById("new-chat");
}
