/** Which project the page shows, and the way to all of them. */

import { t } from "../../i18n/index.js";
import { openProjects } from "../dialogs.js";
import { html } from "../lib/html.js";
import { IconButton } from "../lib/icons.js";
import { useApp, useStore } from "../lib/store.js";

export function ProjectChooser() {
  const app = useApp();
  const projects = useStore((state) => state.projects);
  const chosen = useStore((state) => state.projectId);
  const choose = (event) => app.report(app.projects.choose(event.target.value));
  return html`
    <label class="project">
      <span class="visually-hidden">${t("projects.project")}</span>
      <select id="project" value=${chosen ?? ""} disabled=${projects.length === 0} onChange=${choose}>
        ${projects.map((project) => html`<option key=${project.project_id} value=${project.project_id}>${nameOf(project)}</option>`)}
      </select>
    </label>
    <${IconButton} icon="folder" label=${t("projects.manage")} aria-haspopup="dialog" onClick=${() => openProjects(app)} />
  `;
}

const nameOf = ({ name, status }) => (status === "opened" ? name : t("projects.closed_name", { name }));
