/** The form for a new project, which the page then shows. */

import { t } from "../../i18n/index.js";
import { html, useId, useState } from "../lib/html.js";
import { useApp } from "../lib/store.js";
import { Fault, useTask } from "./task.js";

export function NewProject({ close }) {
  const app = useApp();
  const id = useId();
  const [name, setName] = useState("");
  const { busy, fault, run } = useTask();

  function submit(event) {
    event.preventDefault();
    if (name.trim() === "") return;
    run(async () => {
      await app.projects.create(name.trim());
      close();
    });
  }

  return html`
    <form class="project-new" aria-busy=${String(busy)} onSubmit=${submit}>
      <label for=${id}>${t("projects.new")}</label>
      <div class="project-new-row">
        <input id=${id} class="text-field" value=${name} maxlength="255" autocomplete="off" onInput=${(event) => setName(event.target.value)} />
        <button type="submit" class="primary" disabled=${name.trim() === ""}>${t("projects.create")}</button>
      </div>
      <${Fault} text=${fault} />
    </form>
  `;
}
