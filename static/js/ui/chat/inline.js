/** The inside of a line of Markdown: sanitised, then morphed into its place. */

import DOMPurify from "dompurify";
import { h } from "preact";
import { memo, useLayoutEffect, useRef } from "../lib/html.js";
import { inlineHtml, plainText } from "./inline_html.js";
import { morphChildren, setText } from "./morph.js";

const ALLOWED = {
  ALLOWED_TAGS: ["a", "br", "code", "del", "em", "strong"],
  ALLOWED_ATTR: ["href", "rel", "target"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};

const MOST = 2000; // lines that are kept

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.nodeName !== "A" || !node.hasAttribute("href")) return;
  node.setAttribute("rel", "noopener noreferrer nofollow");
  node.setAttribute("target", "_blank");
});

/** @param {{tag: string, tokens: Object[]}} props  other properties go to the element */
export const Inline = memo(({ tag, tokens, ...rest }) => {
  const node = useRef(null);
  useLayoutEffect(() => fill(node.current, tokens), [tokens]);
  return h(tag, { ...rest, ref: node });
});

function fill(node, tokens) {
  const text = plainText(tokens);
  if (text === null) morphChildren(node, sanitised(inlineHtml(tokens)));
  else setText(node, text);
}

/** By its HTML, the last used one last: sanitising is most of what it costs to show a chat again. */
const made = new Map();

function sanitised(source) {
  const fragment = made.get(source) ?? DOMPurify.sanitize(source, ALLOWED);
  made.delete(source);
  made.set(source, fragment);
  if (made.size > MOST) made.delete(made.keys().next().value);
  return fragment.cloneNode(true);
}
