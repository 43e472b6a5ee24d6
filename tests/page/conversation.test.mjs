/** What the conversation shows, as far as it is pure: rows, found places, lines of Markdown as harmless HTML. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Lexer } from "marked";
import { piecesOf, placesOf } from "../../static/js/state/find.js";
import { newAssistant, newCall, newUser } from "../../static/js/state/items.js";
import { rowsOf, toolsOfRun } from "../../static/js/state/turns.js";
import { inlineHtml, plainText } from "../../static/js/ui/chat/inline_html.js";

const inline = (text) => Lexer.lexInline(text);
const shape = ({ kind, item, end, tools }) => [kind, item.id, end ?? tools].filter((one) => one !== undefined);

test("below the last answer to a message stands how it ended", () => {
  const ran = newAssistant("a1", { calls: ["success", "limited", "error", "stopped"].map((state, at) => newCall(`c${at}`, "show", { state })) });
  const items = [newUser("u1", { outcome: "completed" }), ran, newAssistant("a2"), newUser("u2", { limits: [{ limit: "max_iterations" }] }), newAssistant("a3")];
  assert.deepEqual(rowsOf(items).map(shape), [
    ["user", "u1"], ["assistant", "a1"], ["assistant", "a2"], ["ending", "u1", 2],
    ["user", "u2"], ["assistant", "a3"], ["ending", "u2", 0],
  ]);
  assert.deepEqual(rowsOf([newAssistant("a1"), newUser("u1")]).map(shape), [["assistant", "a1"], ["user", "u1"]], "a page that begins within a turn");
  assert.equal(toolsOfRun(items.slice(0, 3)), 2);
  assert.equal(toolsOfRun([]), 0);
});

test("that an answer ended before its time is said once", () => {
  const ends = (fields, ...answers) => rowsOf([newUser("u1", fields), ...answers.map((one, at) => newAssistant(`a${at}`, one))])
    .filter((row) => row.kind === "assistant").map((row) => row.end);
  const broken = { incomplete: true };
  assert.deepEqual(["stopped", "failed", "limited", null].map((outcome) => ends({ outcome }, broken)), [[null], [null], ["broken"], ["broken"]]);
  assert.deepEqual(ends({ outcome: "failed" }, broken, broken), ["broken", null]);
  assert.deepEqual(ends({ outcome: "completed" }, { cut: true }, {}), ["length", null]);
});

test("places of words, whatever they are made of", () => {
  assert.deepEqual(placesOf("Up up UP", "up"), [0, 3, 6]);
  assert.deepEqual(placesOf("10.0.1.1 10x0", "10.0"), [0]);
  assert.deepEqual(placesOf("a(b)[c]", "(B)["), [1]);
  assert.deepEqual(placesOf("端口 up", "端口"), [0]);
  assert.deepEqual(placesOf("anything", ""), []);
  assert.deepEqual(piecesOf("is up, up", placesOf("is up, up", "up"), 2), [
    { text: "is ", number: null }, { text: "up", number: 0 }, { text: ", ", number: null }, { text: "up", number: 1 },
  ]);
});

test("raw HTML is text, pictures are links, only web addresses lead anywhere", () => {
  const cases = {
    "a **b** `c<d>` *e* ~~f~~": "a <strong>b</strong> <code>c&lt;d&gt;</code> <em>e</em> <del>f</del>",
    "<b onclick=x>b</b> <script>alert(1)</script>": "&lt;b onclick=x&gt;b&lt;/b&gt; &lt;script&gt;alert(1)&lt;/script&gt;",
    "<pre><img src=x onerror=y></pre>": "&lt;pre&gt;&lt;img src=x onerror=y&gt;&lt;/pre&gt;",
    "one<br>two<BR />three": "one<br>two<br>three",
    "R1 & R2 &lt; &amp;lt; &#39;": "R1 &amp; R2 &lt; &amp;lt; &#39;",
    "[in](https://example.org/?a=1&b=%22)": '<a href="https://example.org/?a=1&amp;b=%22">in</a>',
    "[no](javascript:alert(1)) [nor](data:text/html,x) [here](docs/x.md) [vb](VBscript:x)": "no nor here vb",
    "![shot](https://example.org/x.png) ![none](x.png)": '<a href="https://example.org/x.png">shot</a> none',
    "mail me@example.org": 'mail <a href="mailto:me@example.org">me@example.org</a>',
    '[q](https://example.org/"onmouseover="x)': '<a href="https://example.org/&quot;onmouseover=&quot;x">q</a>',
  };
  for (const [text, expected] of Object.entries(cases)) assert.equal(inlineHtml(inline(text)), expected, text);
});

test("what is nothing but text needs no HTML", () => {
  assert.equal(plainText(inline("10.0.1.0 is up")), "10.0.1.0 is up");
  assert.equal(plainText([]), "");
  for (const text of ["R1 &amp; R2", "**b**", "a\\*b", "<b>"]) assert.equal(plainText(inline(text)), null, text);
});
