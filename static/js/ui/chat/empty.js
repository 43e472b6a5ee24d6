/** What an empty chat shows: a hello and some first questions; or, for a closed project, how to open it. */

import { t } from "../../i18n/index.js";
import { currentProject } from "../../state/select.js";
import { html } from "../lib/html.js";
import { Icon } from "../lib/icons.js";
import { useApp, useStore } from "../lib/store.js";

const EXAMPLES = ["chat.example.lab", "chat.example.up", "chat.example.routes", "chat.example.ping"];

export function Empty() {
  const project = useStore(currentProject);
  if (project === null) return html`<section class="empty"><${Hello} title=${t("chat.hello")} text=${t("chat.hello_text")} /></section>`;
  return project.status === "opened" ? html`<${Examples} />` : html`<${Closed} project=${project} />`;
}

function Hello({ title, text }) {
  return html`<span class="empty-mark"><${Icon} name="mark" /></span><h2>${title}</h2><p>${text}</p>`;
}

function Examples() {
  const { chat } = useApp();
  return html`
    <section class="empty">
      <${Hello} title=${t("chat.hello")} text=${t("chat.hello_text")} />
      <div class="prompts" role="group" aria-label=${t("chat.examples")}>
        ${EXAMPLES.map((key) => html`<button type="button" key=${key} onClick=${() => chat.send(t(key))}>${t(key)}</button>`)}
      </div>
    </section>
  `;
}

function Closed({ project }) {
  const { projects, report } = useApp();
  return html`
    <section class="empty">
      <${Hello} title=${t("chat.closed", { name: project.name })} text=${t("chat.closed_text")} />
      <button type="button" class="primary" onClick=${() => report(projects.open(project.project_id))}>${t("chat.open_project")}</button>
    </section>
  `;
}
