/** What a person said. The last message of an idle chat can be changed and sent again. */

import { t } from "../../i18n/index.js";
import { html, memo, names } from "../lib/html.js";
import { IconButton } from "../lib/icons.js";
import { useApp } from "../lib/store.js";

/**
 * @param {Object} props
 * @param {import("../../state/model.js").UserItem} props.item
 * @param {string|null} props.editIn  the session, if the message can be changed
 * @param {boolean} props.going       it is about to be replaced
 */
export const UserMessage = memo(({ item, editIn, going }) => html`
  <article class=${names("message user", { going })} aria-label=${t("chat.you")}>
    ${editIn !== null && html`<${EditButton} sessionId=${editIn} item=${item} />`}
    <div class="bubble">${item.text}</div>
  </article>
`);

function EditButton({ sessionId, item }) {
  const { editing } = useApp();
  const edit = () => editing.set({ sessionId, messageId: item.id, text: item.text });
  return html`<${IconButton} icon="edit" className="small edit-message" label=${t("chat.edit")} onClick=${edit} />`;
}
