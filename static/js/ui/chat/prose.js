/** Shows a growing Markdown text: finished blocks are left alone, the last ones are brought up to date in place. */

import { NO_MARKDOWN, grown } from "../../state/markdown.js";
import { html, memo, useEffect, useLayoutEffect, useReducer, useRef } from "../lib/html.js";
import { Block } from "./blocks.js";

const REST = 3; // times as long as the last drawing took: a block that is costly to draw never takes the page's whole time

/** @param {{text: string, live: boolean}} props  `live`: more will come */
export const Prose = memo(({ text, live }) => {
  const shown = usePaced(text, live);
  const markdown = useRef(NO_MARKDOWN);
  markdown.current = grown(markdown.current, shown, !live);
  return html`<div class="prose">${markdown.current.blocks.map(({ start, token }) => html`<${Block} key=${start} token=${token} />`)}</div>`;
});

/** The newest text, or for a while the one before it. */
function usePaced(text, live) {
  const [, draw] = useReducer((count) => count + 1, 0);
  const shown = useRef(text);
  const rests = useRef(0);
  const begun = performance.now();
  const isDue = !live || begun >= rests.current;
  if (isDue) shown.current = text;
  useLayoutEffect(() => {
    const now = performance.now();
    if (isDue) rests.current = now + REST * (now - begun);
  });
  useEffect(() => {
    if (shown.current === text) return undefined;
    const timer = setTimeout(draw, rests.current - performance.now());
    return () => clearTimeout(timer);
  });
  return shown.current;
}
