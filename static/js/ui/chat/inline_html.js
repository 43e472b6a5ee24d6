/** The inside of a line of Markdown as HTML of a few harmless elements. Raw HTML of the text is shown as text. Pure. */

import { Parser, Renderer } from "marked";

const WEB = /^(?:https?:|mailto:)/i;
const BREAK = /^<br\s*\/?>$/i;
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escapeAll = (text) => text.replace(/[&<>"']/g, (char) => ENTITIES[char]);
/** An entity that the text writes stands for its character. */
const escapeText = (text) => text.replace(/[<>"']|&(?!(?:#\d{1,7}|#x[a-f\d]{1,6}|\w+);)/gi, (char) => ENTITIES[char]);

class Harmless extends Renderer {
  text(token) {
    return token.tokens ? this.parser.parseInline(token.tokens) : escapeText(token.text);
  }

  /** People write line breaks in cells of tables like this. */
  html({ text }) {
    return BREAK.test(text) ? "<br>" : escapeAll(text);
  }

  checkbox({ checked }) {
    return checked ? "☑ " : "☐ ";
  }

  link({ href, tokens }) {
    const label = this.parser.parseInline(tokens);
    return WEB.test(href) ? `<a href="${escapeAll(href)}">${label}</a>` : label;
  }

  /** Nothing is fetched that nobody asked for: a picture is a link to it. */
  image({ href, text }) {
    const label = escapeText(text || href);
    return WEB.test(href) ? `<a href="${escapeAll(href)}">${label}</a>` : label;
  }
}

const parser = new Parser({ renderer: new Harmless() });

/** @param {Object[]} tokens  marked's inline tokens */
export const inlineHtml = (tokens) => parser.parseInline(tokens);

/** @returns {string|null} what the tokens say, if that is nothing but text */
export function plainText(tokens) {
  const isPlain = (token) => token.type === "text" && !token.tokens && !token.text.includes("&");
  return tokens.every(isPlain) ? tokens.map((token) => token.text).join("") : null;
}
