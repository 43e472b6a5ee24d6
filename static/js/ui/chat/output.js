/** What a device or a tool said: folded when it is long, with a search, a copy and a file of it. */

import { t } from "../../i18n/index.js";
import { piecesOf, placesOf } from "../../state/find.js";
import { html, memo, names, useEffect, useMemo, useRef, useState } from "../lib/html.js";
import { IconButton } from "../lib/icons.js";
import { CopyButton } from "./copy_button.js";
import { saveText } from "./download.js";
import { FindBar } from "./find.js";

const LONG = 14; // lines that are shown of a folded output
const TOOLS = 4; // lines from which on there is something to find

/** @param {{text: string, file: string, className?: string}} props  `file`: the name under which it is saved */
export const Output = memo(({ text, file, className = "" }) => {
  const [open, setOpen] = useState(false);
  const finding = useFinding(text);
  const lines = useMemo(() => text.split("\n").length, [text]);
  const long = lines > LONG + 2;
  const whole = open || finding.open;
  return html`
    <div class=${names("output", className, { clipped: long && !whole })}>
      ${lines >= TOOLS && html`<${Tools} text=${text} file=${file} finding=${finding} />`}
      <pre tabindex="0">${finding.query === "" ? text : html`<${Marked} text=${text} ...${finding} />`}</pre>
      ${long && !finding.open && html`<button type="button" class="more" aria-expanded=${String(open)} onClick=${() => setOpen(!open)}>
        ${open ? t("chat.output.less") : t("chat.output.more", { count: lines })}
      </button>`}
    </div>
  `;
});

function Tools({ text, file, finding }) {
  const opener = useRef(null);

  function close() {
    finding.set({ open: false, query: "", current: 0 });
    opener.current.focus();
  }

  return html`
    <div class="output-tools">
      ${finding.open && html`<${FindBar} ...${finding} close=${close} />`}
      <span ref=${(node) => (opener.current = node?.firstElementChild)}>
        <${IconButton} icon="search" className="small" label=${t("chat.find.open")} aria-expanded=${String(finding.open)} onClick=${() => (finding.open ? close() : finding.set({ ...finding, open: true }))} />
      </span>
      <${IconButton} icon="save" className="small" label=${t("chat.output.save")} onClick=${() => saveText(file, text)} />
      <${CopyButton} text=${text} label=${t("chat.output.copy")} />
    </div>
  `;
}

function useFinding(text) {
  const [{ open, query, current }, set] = useState({ open: false, query: "", current: 0 });
  const places = useMemo(() => placesOf(text, query), [text, query]);
  return {
    open, query, current, places, set,
    count: places.length,
    change: (next) => set({ open, query: next, current: 0 }),
    step: (by) => places.length > 0 && set({ open, query, current: (current + by + places.length) % places.length }),
  };
}

/** The found places, the current one in view. */
function Marked({ text, query, places, current }) {
  const root = useRef(null);
  useEffect(() => root.current.querySelector("[data-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [places, current]);
  return html`
    <span ref=${root}>${piecesOf(text, places, query.length).map(({ text: piece, number }, at) => (
      number === null ? piece : html`<mark key=${at} data-current=${number === current ? "" : null}>${piece}</mark>`))}</span>
  `;
}
