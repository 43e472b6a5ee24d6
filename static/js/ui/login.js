/** Asks for the access token, or for a user of GNS3's; what is good becomes the server's cookie. */

import { api } from "../net/api.js";
import { byId, h } from "./dom.js";
import { icon } from "./icons.js";

const WORDS = {
  token: { label: "Access token", hint: "It stands in the address that the server printed when it started.", wrong: "The server does not know this token." },
  gns3: { label: "Password", hint: "Your name and password are those of GNS3.", wrong: "GNS3 does not know this name and password." },
};

export async function askLogin() {
  if (byId("login")) return;
  const kind = await api.health().then((health) => health.auth, () => "");
  if (byId("login")) return;
  const words = kind === "gns3" ? WORDS.gns3 : WORDS.token;
  const name = h("input", { type: "text", id: "username", name: "username", required: true, autocomplete: "username", spellcheck: "false" });
  const field = h("input", { type: "password", id: "token", name: "token", required: true, autocomplete: "current-password", spellcheck: "false", "aria-describedby": "login-hint login-error" });
  const error = h("p", { id: "login-error", class: "login-error", role: "alert" });
  const button = h("button", { class: "primary" }, "Continue");
  const form = h("form", { class: "login-card", on: { submit } },
    h("span", { class: "empty-mark" }, icon("mark")),
    h("h1", {}, "GNS3 Copilot"),
    ...(kind === "gns3" ? [h("label", { for: "username" }, "Name"), name] : []),
    h("label", { for: "token" }, words.label), field,
    h("p", { id: "login-hint", class: "login-hint" }, words.hint),
    error, button);

  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    error.textContent = "";
    try {
      await (kind === "gns3" ? api.login(name.value.trim(), field.value) : api.login("local", field.value.trim()));
      location.reload();
    } catch (failure) {
      error.textContent = failure.status === 401 ? words.wrong : failure.message;
      button.disabled = false;
      field.select();
    }
  }

  byId("app").hidden = true;
  document.body.append(h("main", { id: "login", class: "login" }, form));
  (kind === "gns3" ? name : field).focus();
}
