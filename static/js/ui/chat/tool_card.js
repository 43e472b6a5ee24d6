/** A tool call, from its first argument to its result; a call that a person is asked about carries the question. */

import { deviceWork } from "../../state/tool_data.js";
import { html, memo, names, useLayoutEffect, useMemo, useRef, useState } from "../lib/html.js";
import { ToolBody } from "./tool_body.js";
import { ToolSummary } from "./tool_summary.js";

const WIDE = /_config_/; // configurations are read line by line

/**
 * @param {Object} props
 * @param {import("../../state/model.js").ToolCall} props.call
 * @param {string} props.phase  where it stands (`phaseOf`)
 * @param {import("../../state/model.js").Prompt|null} props.prompt  while a person is asked about it
 * @param {import("../../state/model.js").Decision|null} props.decision
 */
export const ToolCard = memo(({ call, phase, prompt, decision }) => {
  const root = useRef(null);
  const work = useMemo(() => deviceWork(call), [call]);
  const { open, toggled } = useOpen(phase === "asking" || call.state === "error" || work.length > 0);
  useKeptFocus(root, phase === "asking");
  return html`
    <details class=${names("tool", { wide: phase === "asking" || decision !== null || WIDE.test(call.name) })} ref=${root} data-state=${phase} open=${open} onToggle=${toggled}>
      <${ToolSummary} call=${call} phase=${phase} decision=${decision} devices=${work.map((device) => device.name).join(", ")} />
      ${open !== null && html`<${ToolBody} ...${{ call, phase, prompt, decision, work }} />`}
    </details>
  `;
});

/** Opens by itself once there is something to see; from then on as its reader wants it. */
function useOpen(worthIt) {
  const [chosen, choose] = useState(null);
  const opened = useRef(null);
  if (worthIt) opened.current ??= true;
  const open = chosen ?? opened.current;
  return { open, toggled: (event) => event.currentTarget.open === Boolean(open) || choose(event.currentTarget.open) };
}

/** Who has just decided stays at this card with the keyboard. */
function useKeptFocus(root, asking) {
  const asked = useRef(asking);
  const hadFocus = asked.current && !asking && root.current.contains(document.activeElement);
  asked.current = asking;
  useLayoutEffect(() => {
    if (hadFocus && document.activeElement === document.body) root.current.querySelector("summary").focus({ preventScroll: true });
  });
}
