/** Every text that the page says, by key. A language is a file beside this one, one for what the server says, and a line in LANGUAGES. */

import en from "./en.js";
import zh from "./zh.js";
import zhServer from "./zh_server.js";

const SILENT = { codes: {}, refused: "", sentences: {}, patterns: [] }; // what the server says is English

/**
 * @typedef {{codes: Object<string, string>, refused: string, sentences: Object<string, string>, patterns: [RegExp, string][]}} ServerTexts  (`server.js`)
 * @type {Object<string, {name: string, texts: Object<string, string|Object<string, string>>, server: ServerTexts}>}
 */
export const LANGUAGES = { en: { name: "English", texts: en, server: SILENT }, zh: { name: "简体中文", texts: zh, server: zhServer } };

let language = "en";
let plurals = new Intl.PluralRules("en");

/** @param {string|null} wanted  a language of LANGUAGES; otherwise the first of `preferred` that there is */
export function chooseLanguage(wanted, preferred = []) {
  const known = [wanted, ...preferred.map((tag) => tag.split("-")[0])].find((tag) => Object.hasOwn(LANGUAGES, tag ?? ""));
  language = known ?? "en";
  plurals = new Intl.PluralRules(language);
  return language;
}

export const currentLanguage = () => language;
export const serverTexts = () => LANGUAGES[language].server;

/**
 * The text of `key`, with `{name}`s filled in; a text with plural forms (`{one, other}`) is chosen by `params.count`.
 * A key that a language lacks is said in English; one that nobody has is shown as it is.
 */
export function t(key, params = {}) {
  const text = LANGUAGES[language].texts[key] ?? en[key] ?? key;
  const form = typeof text === "string" ? text : text[plurals.select(params.count)] ?? text.other;
  return form.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(params, name) ? String(params[name]) : whole));
}
