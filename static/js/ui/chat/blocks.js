/** The blocks of a Markdown text. Each is drawn anew only when its token is another one. */

import { t } from "../../i18n/index.js";
import { html, memo } from "../lib/html.js";
import { CodeBlock } from "./code_block.js";
import { Inline } from "./inline.js";

const KINDS = {
  paragraph: ({ tokens }) => html`<${Inline} tag="p" tokens=${tokens} />`,
  text: ({ tokens, text, raw }) => html`<${Inline} tag="div" tokens=${tokens ?? plain(text ?? raw)} />`,
  heading: ({ depth, tokens }) => html`<${Inline} tag=${depth <= 2 ? "h3" : "h4"} tokens=${tokens} />`,
  html: ({ raw }) => html`<${Inline} tag="p" tokens=${[{ type: "html", text: raw.trim() }]} />`,
  hr: () => html`<hr />`,
  code: ({ text, lang }) => html`<${CodeBlock} text=${text} language=${(lang ?? "").split(/\s/, 1)[0]} />`,
  blockquote: ({ tokens }) => html`<blockquote><${Blocks} tokens=${tokens} /></blockquote>`,
  list: List,
  list_item: ({ tokens }) => html`<li><${Blocks} tokens=${inLines(tokens)} /></li>`,
  table: Table,
};

const plain = (text) => [{ type: "text", text }];

/** @param {{token: Object}} props  of marked */
export const Block = memo(({ token }) => (KINDS[token.type] ?? KINDS.text)(token));

const Blocks = ({ tokens }) => tokens.filter((token) => token.type !== "space").map((token, at) => html`<${Block} key=${at} token=${token} />`);

/** A check box belongs to the line that it stands in. */
function inLines([first, second, ...rest]) {
  if (first?.type !== "checkbox") return [first, second, ...rest].filter(Boolean);
  return [{ ...second, type: "text", tokens: [first, ...(second?.tokens ?? [])] }, ...rest];
}

function List({ ordered, start, items }) {
  const children = items.map((item, at) => html`<${Block} key=${at} token=${item} />`);
  return ordered ? html`<ol start=${start}>${children}</ol>` : html`<ul>${children}</ul>`;
}

function Table({ header, rows }) {
  const cells = (tag, row) => row.map(({ tokens, align }, at) => html`<${Inline} key=${at} tag=${tag} tokens=${tokens} class=${align && `align-${align}`} />`);
  return html`
    <div class="table" tabindex="0" role="region" aria-label=${t("chat.table")}>
      <table>
        <thead><tr>${cells("th", header)}</tr></thead>
        <tbody>${rows.map((row, at) => html`<tr key=${at}>${cells("td", row)}</tr>`)}</tbody>
      </table>
    </div>
  `;
}
