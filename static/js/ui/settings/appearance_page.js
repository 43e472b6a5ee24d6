/** How the page looks and speaks: what is chosen holds at once. */

import { askPermission, permission } from "../../app/notify.js";
import { LANGUAGES, t } from "../../i18n/index.js";
import { html, useId, useState } from "../lib/html.js";
import { useApp, useStore } from "../lib/store.js";
import { Check, SelectField } from "./fields.js";

const LANGUAGE = "language";

export function AppearancePage({ focus }) {
  const { preferences, dialog } = useApp();
  const language = useStore((state) => state.preferences.language);

  /** Another language draws the dialog anew: it goes on at the same field. */
  function speak(wanted) {
    dialog.set({ ...dialog.get(), props: { page: "appearance", focus: LANGUAGE } });
    preferences.set({ language: wanted || null });
  }

  const names = Object.entries(LANGUAGES).map(([id, { name }]) => [id, name]);
  return html`
    <div class="settings-form">
      <${Themes} />
      <${SelectField} label=${t("settings.language")} value=${language ?? ""} autofocus=${focus === LANGUAGE} choose=${speak}
        options=${Object.fromEntries([["", t("settings.language.auto")], ...names])} wide />
      <${Notifications} />
    </div>
  `;
}

function Themes() {
  const { preferences } = useApp();
  const theme = useStore((state) => state.preferences.theme);
  const name = useId();
  return html`
    <fieldset class="themes wide">
      <legend>${t("settings.theme")}</legend>
      ${["auto", "light", "dark"].map((one) => html`
        <label key=${one}><input type="radio" name=${name} checked=${one === theme} onChange=${() => preferences.set({ theme: one })} /><span>${t(`settings.theme.${one}`)}</span></label>
      `)}
    </fieldset>
  `;
}

function Notifications() {
  const { preferences } = useApp();
  const wanted = useStore((state) => state.preferences.notifications);
  const [allowed, setAllowed] = useState(permission);
  const hint = useId();

  async function choose(on) {
    const answer = on && allowed === "default" ? await askPermission() : allowed;
    setAllowed(answer);
    preferences.set({ notifications: on && answer === "granted" });
  }

  const never = allowed === "denied" || allowed === "unsupported";
  return html`
    <div class="form-field wide">
      <${Check} label=${t("settings.notifications")} checked=${wanted && allowed === "granted"} disabled=${never} describedBy=${hint} choose=${choose} />
      <p class="form-hint" id=${hint}>${t(never ? `settings.notifications.${allowed}` : "settings.notifications.hint")}</p>
    </div>
  `;
}
