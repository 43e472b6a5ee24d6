/** What this person likes, kept by the browser: language, theme, notifications, limits for new messages. */

import { chooseLanguage } from "../i18n/index.js";
import { keep, kept } from "./keep.js";

const KEY = "copilot.preferences";

/** `limits`: fields of the protocol's section on limits, sent with each message. */
const DEFAULTS = { language: null, theme: "auto", notifications: false, limits: {} };

export function createPreferences({ store }) {
  function apply(preferences) {
    const language = chooseLanguage(preferences.language, navigator.languages);
    document.documentElement.lang = language === "zh" ? "zh-Hans" : language;
    document.documentElement.dataset.theme = preferences.theme;
    store.dispatch({ type: "preferences", preferences });
  }

  const read = () => apply({ ...DEFAULTS, ...kept(KEY, {}) });

  read();
  addEventListener("storage", (event) => event.key === KEY && read()); // another tab has changed them
  return {
    /** @param {Partial<typeof DEFAULTS>} changes */
    set(changes) {
      const next = { ...store.get().preferences, ...changes };
      keep(KEY, next);
      apply(next);
    },
  };
}
