/** What a thinking model thinks, folded away. */

import { t } from "../../i18n/index.js";
import { html, memo, names } from "../lib/html.js";
import { Icon } from "../lib/icons.js";
import { GrowingText } from "./growing_text.js";

/** @param {{text: string, now: boolean}} props  `now`: the model is still at it */
export const Thoughts = memo(({ text, now }) => html`
  <details class=${names("thoughts", { now })}>
    <summary><${Icon} name="chevron" /><span>${t(now ? "chat.thinking" : "chat.thoughts")}</span></summary>
    <${GrowingText} tag="div" class="thoughts-text" text=${text} />
  </details>
`);
