/** Lines of a difference, clipped when they are many. */

import { t } from "../../i18n/index.js";
import { html, names, useState } from "../lib/html.js";

const LONG = 14; // lines that are shown of a clipped difference
const SIGNS = { add: "+", del: "-", same: " ", file: "", hunk: "" };

/** The sign before each line is text: colour alone tells nothing to some. @param {{label: string, lines: import("../../state/diff.js").DiffLine[]}} props */
export function DiffBlock({ label, lines }) {
  const [open, setOpen] = useState(false);
  const long = lines.length > LONG + 2;
  return html`
    <div class=${names("output diff", { clipped: long && !open })}>
      <pre tabindex="0" role="group" aria-label=${label}>${lines.map(({ kind, text }) => html`<span class=${`line-${kind}`}>${SIGNS[kind]}${text}${"\n"}</span>`)}</pre>
      ${long && html`<button type="button" class="more" aria-expanded=${open} onClick=${() => setOpen(!open)}>
        ${open ? t("hitl.less") : t("hitl.more", { count: lines.length })}
      </button>`}
    </div>
  `;
}
