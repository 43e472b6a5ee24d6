/** Texts: each language has all of them, whole; what the page asks for is there, and what is there is asked for. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import en from "../../static/js/i18n/en.js";
import { LANGUAGES, chooseLanguage, t } from "../../static/js/i18n/index.js";
import { requestOf } from "../../static/js/net/rest_commands.js";

const SOURCE = new URL("../../static/js/", import.meta.url);
const files = readdirSync(SOURCE, { recursive: true }).filter((path) => path.endsWith(".js") && !path.startsWith("i18n"));
const code = files.map((path) => readFileSync(new URL(path, SOURCE), "utf8")).join("\n");
const regions = [...new Set(Object.keys(en).map((key) => key.split(".")[0]))].join("|");
const isCommand = (name) => !Object.hasOwn(en, name) && requestOf(name, { session_id: "s" }) !== null; // which are named alike
const literals = [...code.matchAll(new RegExp(`"((?:${regions})\\.[a-z][a-z0-9_.]*)"`, "g"))].map(([, name]) => name);
const named = new Set(literals.filter((name) => !isCommand(name)));
/** Keys that are put together: `lab.${status}`. */
const made = [...code.matchAll(new RegExp(`\`((?:${regions})\\.[^\`]*\\$\\{[^\`]*)\``, "g"))]
  .map(([, template]) => new RegExp(`^${template.split(/\$\{[^}]*\}/).map((part) => part.replaceAll(".", "\\.")).join("[a-z0-9_.]+")}$`));

const forms = (text) => (typeof text === "string" ? { only: text } : text);
const blanks = (text) => [...new Set(Object.values(forms(text)).flatMap((form) => form.match(/\{\w+\}/g) ?? []))].sort();

for (const [id, { name, texts }] of Object.entries(LANGUAGES)) {
  test(`${name} has each text, with the same blanks and the plural forms that it needs`, () => {
    assert.deepEqual(Object.keys(texts).filter((key) => !Object.hasOwn(en, key)), []);
    const { pluralCategories } = new Intl.PluralRules(id).resolvedOptions();
    for (const key of Object.keys(en)) {
      assert.ok(Object.hasOwn(texts, key), `${key} is missing`);
      assert.ok(Object.values(forms(texts[key])).every((form) => form.trim() !== ""), `${key} is empty`);
      assert.deepEqual(blanks(texts[key]), blanks(en[key]), key);
      if (typeof texts[key] !== "string") assert.deepEqual(Object.keys(texts[key]).sort(), [...pluralCategories].sort(), key);
    }
  });
}

/** Names, units and figures. */
const SAME = /^(app\.name|chat\.copilot|chat\.(call\.progress|run\.(of|time|tokens|cost))|hitl\.edit\.as_json|settings\.connection\.(msgpack|json)|models\.(took|provider\.\w+))$/;

test("nothing is left in English in the Chinese texts", () => {
  const chinese = (text) => Object.values(forms(text)).every((form) => /\p{Script=Han}/u.test(form));
  const foreign = Object.keys(en).filter((key) => !chinese(LANGUAGES.zh.texts[key]) && !SAME.test(key));
  assert.deepEqual(foreign, []);
});

test("what the page asks for is there, and what is there is asked for", () => {
  assert.ok(named.size > 300, "the page's texts were found");
  assert.deepEqual([...named].filter((key) => !Object.hasOwn(en, key)), []);
  assert.deepEqual(Object.keys(en).filter((key) => !named.has(key) && !made.some((pattern) => pattern.test(key))), []);
});

test("a text is filled in, in the language that was chosen", () => {
  chooseLanguage("zh");
  assert.equal(t("chats.found", { count: 3 }), "找到 3 个对话");
  chooseLanguage(null, ["fr-CH", "zh-TW"]);
  assert.equal(t("app.close"), "关闭");
  chooseLanguage(null, ["fr"]);
  assert.deepEqual([t("chats.found", { count: 1 }), t("chats.found", { count: 3 })], ["1 chat found", "3 chats found"]);
});
