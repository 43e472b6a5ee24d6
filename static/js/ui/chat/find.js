/** The small field that finds words in an output. */

import { t } from "../../i18n/index.js";
import { html, useLayoutEffect, useRef } from "../lib/html.js";
import { IconButton } from "../lib/icons.js";

/**
 * @param {Object} props
 * @param {string} props.query
 * @param {number} props.count    places that were found
 * @param {number} props.current  the number of the one that is shown
 * @param {(query: string) => void} props.change
 * @param {(step: 1|-1) => void} props.step
 * @param {() => void} props.close
 */
export function FindBar({ query, count, current, change, step, close }) {
  const field = useRef(null);
  useLayoutEffect(() => field.current.focus(), []); // at once: the next letter belongs here

  function onKey(event) {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  }

  return html`
    <div class="find" role="search">
      <input ref=${field} type="text" aria-label=${t("chat.find.field")} placeholder=${t("chat.find.field")} autocomplete="off" spellcheck=${false}
        value=${query} onInput=${(event) => change(event.target.value)} onKeyDown=${onKey} />
      <span class="find-count" role="status">${query !== "" && found(current, count)}</span>
      <${IconButton} icon="up" className="small" label=${t("chat.find.previous")} disabled=${count === 0} onClick=${() => step(-1)} />
      <${IconButton} icon="down" className="small" label=${t("chat.find.next")} disabled=${count === 0} onClick=${() => step(1)} />
      <${IconButton} icon="cross" className="small" label=${t("chat.find.close")} onClick=${close} />
    </div>
  `;
}

const found = (current, count) => (count === 0 ? t("chat.find.none") : t("chat.find.count", { current: current + 1, count }));
