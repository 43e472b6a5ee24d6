/**
 * The form of a model configuration: the fields as typed, and what the server is told. Pure.
 *
 * @typedef {{name: string, provider: string, base_url: string, model: string, api_key: string, remove_key: boolean,
 *   temperature: string, max_tokens: string, context_limit: string, is_default: boolean}} Draft
 */

import { t } from "../i18n/index.js";
import { readNumber } from "./numbers.js";

/** The server's providers, and where each one is unless a configuration says otherwise. */
export const PROVIDERS = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com",
  google_genai: "https://generativelanguage.googleapis.com",
  deepseek: "https://api.deepseek.com/v1",
  openrouter: "https://openrouter.ai/api/v1",
  xai: "https://api.x.ai/v1",
  ollama: "http://127.0.0.1:11434",
  demo: "",
};

const NUMBERS = {
  temperature: { min: 0, max: 2 },
  max_tokens: { whole: true, min: 1 },
  context_limit: { whole: true, min: 1, max: 1_000_000 },
};

/** @returns {Draft} */
export function emptyDraft() {
  return {
    name: "", provider: "openai", base_url: "", model: "", api_key: "", remove_key: false,
    temperature: "", max_tokens: "", context_limit: "", is_default: false,
  };
}

/** The key never comes out of the server. @returns {Draft} */
export function draftOf({ name, is_default: isDefault, config }) {
  const numbers = Object.keys(NUMBERS).map((field) => [field, String(config[field] ?? "")]);
  const { provider, model, base_url: url } = config;
  return { ...emptyDraft(), name, provider, model, base_url: url ?? "", is_default: isDefault, ...Object.fromEntries(numbers) };
}

/** @param {Draft} draft @returns {Object<string, string>} what is wrong, by field */
export function faultsOf(draft) {
  const faults = {
    name: draft.name.trim() === "" ? t("form.needed") : null,
    model: draft.model.trim() === "" ? t("form.needed") : null,
    base_url: isAddress(draft.base_url.trim()) ? null : t("models.address_form"),
    api_key: /^[!-~]*$/.test(draft.api_key.trim()) ? null : t("models.key_form"),
  };
  for (const [field, range] of Object.entries(NUMBERS)) faults[field] = readNumber(draft[field], range).fault;
  return Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== null));
}

const isAddress = (text) => text === "" || (/^https?:\/\/[^\s\\]+$/.test(text) && URL.canParse(text));

/** @param {Object|null} config  the one that is changed @returns {Object} the body of the request */
export function changesOf(draft, config) {
  const text = (name) => draft[name].trim();
  const numbers = Object.entries(NUMBERS).map(([field, range]) => [field, readNumber(draft[field], range).value]);
  return {
    name: text("name"), provider: draft.provider, base_url: text("base_url"), model: text("model"), ...Object.fromEntries(numbers),
    ...(text("api_key") !== "" && { api_key: text("api_key") }),
    ...(text("api_key") === "" && draft.remove_key && { api_key: "" }),
    ...(draft.is_default && !config?.is_default && { is_default: true }),
  };
}

/** What somebody else made of a configuration. @returns {[string, string][]} fields and their new texts */
export function changed(before, after) {
  const [old, fresh] = [draftOf(before), draftOf(after)];
  return Object.entries(fresh).filter(([field, value]) => typeof value === "string" && value !== old[field]);
}

/** A refusal, by field where it names one of the form's. @param {string} text  what it says as a whole */
export function serverFaults(error, draft, text) {
  const named = (Array.isArray(error.details) ? error.details : []).filter(({ field }) => Object.hasOwn(draft, field));
  if (named.length === 0) return { "": text };
  return Object.fromEntries(named.map(({ field, message }) => [field, keyAgain(field, draft) ? t("models.key_again") : message]));
}

/** A stored key goes to no other server than the one that it was given for. */
const keyAgain = (field, draft) => field === "api_key" && draft.api_key === "";
