/** The chats of the project: a new one, the search, the list, what the chosen one has used. */

import { t } from "../../i18n/index.js";
import { currentProject } from "../../state/select.js";
import { closeDrawers } from "../lib/drawers.js";
import { html } from "../lib/html.js";
import { Icon } from "../lib/icons.js";
import { useApp, useStore } from "../lib/store.js";
import { SessionList } from "./list.js";
import { SearchField } from "./search_field.js";
import { Usage } from "./usage.js";

export function Sidebar({ inert }) {
  const { deletions } = useApp();
  const projectId = useStore((state) => state.projectId);

  /** Wherever the keyboard went from a chat that was deleted; a field undoes its own. */
  function onKey(event) {
    if (event.key !== "z" || !(event.ctrlKey || event.metaKey) || event.target.closest("input")) return;
    event.preventDefault();
    deletions.undo();
  }

  return html`
    <nav class="sidebar" id="sidebar" aria-label=${t("chats.title")} inert=${inert} onKeyDown=${onKey}>
      <${NewChat} />
      <${SearchField} key=${projectId} />
      <${SessionList} />
      <${Usage} />
    </nav>
  `;
}

function NewChat() {
  const { sessions } = useApp();
  const closed = useStore((state) => currentProject(state)?.status !== "opened");

  function begin() {
    sessions.open(null);
    closeDrawers();
    document.getElementById("composer-text")?.focus();
  }

  return html`
    <button type="button" class="new-chat" id="new-chat" disabled=${closed} onClick=${begin}><${Icon} name="plus" />${t("chats.new")}</button>
  `;
}
