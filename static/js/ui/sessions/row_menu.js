/** What can be done with a chat besides opening it: a button with a menu, over everything else while it is open. */

import { titleOf } from "../../app/words.js";
import { t } from "../../i18n/index.js";
import { api } from "../../net/api.js";
import { html, useId, useRef, useState } from "../lib/html.js";
import { Icon, IconButton } from "../lib/icons.js";
import { useApp, useStore } from "../lib/store.js";

const ROOM = 230; // px that the menu takes, at most

export function RowMenu({ session, rename, remove }) {
  const [open, setOpen] = useState(false);
  const menu = useRef(null);
  const anchor = useRef(null);
  const id = useId();

  function onOpening(event) {
    if (event.newState !== "open") return;
    place(menu.current, anchor.current.getBoundingClientRect());
    setOpen(true);
  }

  /** The items go only when the menu has: the browser gives the focus back to the button if it is still in the menu. */
  function onToggled(event) {
    if (event.newState === "open") menu.current.querySelector("[role=menuitem]").focus();
    else setOpen(false);
  }

  return html`
    <span class="session-actions" ref=${anchor}>
      <${IconButton} icon="dots" className="small" label=${t("chats.actions", { title: titleOf(session) })} aria-haspopup="menu"
        aria-expanded=${String(open)} popovertarget=${id} />
    </span>
    <div ref=${menu} id=${id} class="menu" popover="auto" role="menu" aria-label=${t("chats.actions", { title: titleOf(session) })}
      onBeforeToggle=${onOpening} onToggle=${onToggled} onKeyDown=${(event) => onKey(event, menu.current)}>
      ${open && html`<${Items} session=${session} close=${() => menu.current.hidePopover()} rename=${rename} remove=${remove} />`}
    </div>
  `;
}

function Items({ session, close, rename, remove }) {
  const { sessions, report } = useApp();
  const projectId = useStore((state) => state.projectId);
  const { session_id: id, pinned } = session;
  const pin = () => report(sessions.pin(id, !pinned));
  const after = (work) => () => {
    close();
    work();
  };
  const download = (format) => api.exportUrl(projectId, id, format);
  return html`
    <${Item} icon="pin" label=${t(pinned ? "chats.unpin" : "chats.pin")} onClick=${after(pin)} />
    <${Item} icon="edit" label=${t("chats.rename")} onClick=${after(rename)} />
    <${Item} icon="save" label=${t("chats.export_markdown")} href=${download("markdown")} download onClick=${close} />
    <${Item} icon="save" label=${t("chats.export_json")} href=${download("json")} download onClick=${close} />
    <${Item} icon="trash" label=${t("chats.delete")} className="menu-danger" onClick=${after(remove)} />
  `;
}

function Item({ icon, label, className = "", ...rest }) {
  const content = html`<${Icon} name=${icon} />${label}`;
  const props = { role: "menuitem", tabindex: -1, class: `menu-item ${className}`, ...rest };
  return rest.href ? html`<a ...${props}>${content}</a>` : html`<button type="button" ...${props}>${content}</button>`;
}

/** Below its button, or above where there is no room; style properties, because the policy forbids style attributes. */
function place(menu, { top, bottom, right }) {
  const above = bottom + ROOM > innerHeight;
  menu.style.top = above ? "auto" : `${bottom + 4}px`;
  menu.style.bottom = above ? `${innerHeight - top + 4}px` : "auto";
  menu.style.left = `${Math.max(8, right - ROOM)}px`;
}

const STEPS = { ArrowDown: (at, all) => (at + 1) % all, ArrowUp: (at, all) => (at + all - 1) % all, Home: () => 0, End: (at, all) => all - 1 };

function onKey(event, menu) {
  event.stopPropagation();
  const items = [...menu.querySelectorAll("[role=menuitem]")];
  if (STEPS[event.key]) items[STEPS[event.key](items.indexOf(document.activeElement), items.length)].focus();
  else if (event.key === "Escape" || event.key === "Tab") menu.hidePopover();
  else return;
  if (event.key !== "Tab") event.preventDefault();
}
