/** A text that only ever grows: what stands there is left alone, with a selection in it. */

import { h } from "preact";
import { memo, useLayoutEffect, useRef } from "../lib/html.js";
import { setText } from "./morph.js";

/** @param {{tag: string, text: string}} props  other properties go to the element */
export const GrowingText = memo(({ tag, text, ...rest }) => {
  const node = useRef(null);
  useLayoutEffect(() => setText(node.current, text), [text]);
  return h(tag, { ...rest, ref: node });
});
