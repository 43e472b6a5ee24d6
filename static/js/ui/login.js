/** Asks for the access token, or for GNS3's user name and password; good ones become the server's cookie. The page behind it stays. */

import { LANGUAGES, currentLanguage, t } from "../i18n/index.js";
import { said } from "../app/words.js";
import { api } from "../net/api.js";
import { html, useEffect, useRef, useState } from "./lib/html.js";
import { Icon } from "./lib/icons.js";
import { useApp } from "./lib/store.js";

export function Login() {
  return html`<main class="login"><${Card} /><${Languages} /></main>`;
}

function Card() {
  const { login, projects, report, store } = useApp();
  const named = useNamedUsers();
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);
  const form = useRef(null);
  useEffect(() => form.current.querySelector("input:not([readonly])").focus(), [named]);

  async function submit(event) {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setFault("");
    const { username, password } = form.current.elements;
    try {
      await api.login(username.value.trim(), named ? password.value : password.value.trim());
      login.set(false);
      report(projects.load());
    } catch (error) {
      setFault(error.status === 401 ? t(named ? "login.wrong_password" : "login.wrong_token") : said(error));
      setBusy(false);
      password.select();
    }
  }

  return html`
    <form ref=${form} class="login-card" aria-busy=${String(busy)} onSubmit=${submit}>
      <span class="empty-mark"><${Icon} name="mark" /></span>
      <h1>${t("app.name")}</h1>
      ${store.get().userId !== null && html`<p class="login-again" role="status">${t("login.again")}</p>`}
      ${named ? html`<${Named} />` : html`<${Nobody} />`}
      <label for="token">${t(named ? "login.password" : "login.token")}</label>
      <input type="password" id="token" name="password" required autocomplete="current-password" spellcheck=${false} aria-describedby="login-hint login-error" />
      <p id="login-hint" class="login-hint">${t(named ? "login.gns3_hint" : "login.token_hint")}</p>
      <p id="login-error" class="login-error" role="alert">${fault}</p>
      <button class="primary">${t("login.continue")}</button>
    </form>
  `;
}

/** GNS3's users have names; the other ways to log in need a token only. */
function useNamedUsers() {
  const [named, setNamed] = useState(false);
  useEffect(() => void api.health().then(({ auth }) => setNamed(auth === "gns3"), () => {}), []);
  return named;
}

function Named() {
  return html`
    <label for="username">${t("login.username")}</label>
    <input id="username" name="username" required autocomplete="username" autocapitalize="off" spellcheck=${false} />
  `;
}

/** For what keeps passwords: an entry needs a name. */
function Nobody() {
  return html`<input class="visually-hidden" name="username" value="local" autocomplete="username" readonly tabindex="-1" aria-hidden="true" />`;
}

function Languages() {
  const { preferences } = useApp();
  return html`
    <div class="login-languages" role="group" aria-label=${t("login.language")}>
      ${Object.entries(LANGUAGES).map(([id, { name }]) => html`
        <button type="button" key=${id} lang=${id} aria-pressed=${String(id === currentLanguage())} onClick=${() => preferences.set({ language: id })}>${name}</button>
      `)}
    </div>
  `;
}
