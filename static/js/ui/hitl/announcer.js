/** Says that the copilot asks: to those who do not see it, and without taking the keyboard from what they do. */

import { t } from "../../i18n/index.js";
import { sentence } from "../../i18n/server.js";
import { promptOf, waitingSessions } from "../../state/select.js";
import { html } from "../lib/html.js";
import { useStore } from "../lib/store.js";

export function Announcer() {
  const here = useStore(asked);
  const elsewhere = useStore((state) => waitingSessions(state) - (promptOf(state, state.selected) ? 1 : 0));
  return html`
    <p class="visually-hidden" role="status">${here && t("hitl.needs", { what: here })}</p>
    <p class="visually-hidden" role="status">${elsewhere > 0 && t("hitl.needs_elsewhere", { count: elsewhere })}</p>
  `;
}

function asked(state) {
  return Object.values(promptOf(state, state.selected)?.tools ?? {}).map((tool) => sentence(tool.description)).join(", ");
}
