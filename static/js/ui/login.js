/** Asks for the access token; a good one becomes the server's cookie. */

import { api } from "../net/api.js";
import { byId, h } from "./dom.js";
import { icon } from "./icons.js";

export function askLogin() {
  if (byId("login")) return;
  const field = h("input", { type: "password", id: "token", name: "token", required: true, autocomplete: "current-password", spellcheck: "false", "aria-describedby": "login-hint login-error" });
  const error = h("p", { id: "login-error", class: "login-error", role: "alert" });
  const button = h("button", { class: "primary" }, "Continue");
  const form = h("form", { class: "login-card", on: { submit } },
    h("span", { class: "empty-mark" }, icon("mark")),
    h("h1", {}, "GNS3 Copilot"),
    h("label", { for: "token" }, "Access token"), field,
    h("p", { id: "login-hint", class: "login-hint" }, "It stands in the address that the server printed when it started."),
    error, button);

  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    error.textContent = "";
    try {
      await api.login(field.value.trim());
      location.reload();
    } catch (failure) {
      error.textContent = failure.status === 401 ? "The server does not know this token." : failure.message;
      button.disabled = false;
      field.select();
    }
  }

  byId("app").hidden = true;
  document.body.append(h("main", { id: "login", class: "login" }, form));
  field.focus();
}
