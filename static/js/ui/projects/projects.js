/** All projects of the lab: show, open, close, create and delete them, as far as the server lets one. */

import { t } from "../../i18n/index.js";
import { Dialog } from "../lib/dialog.js";
import { html, useEffect } from "../lib/html.js";
import { useApp, useStore } from "../lib/store.js";
import { NewProject } from "./new_project.js";
import { ProjectRow } from "./row.js";

export function Projects({ close }) {
  const app = useApp();
  const projects = useStore((state) => state.projects);
  const chosen = useStore((state) => state.projectId);
  useEffect(() => {
    app.report(app.projects.list());
  }, []);
  return html`
    <${Dialog} title=${t("projects.title")} className="projects" close=${close}>
      <ul class="project-list">
        ${projects.map((project) => html`
          <${ProjectRow} key=${project.project_id} project=${project} current=${project.project_id === chosen} close=${close} />
        `)}
      </ul>
      <${NewProject} close=${close} />
      <div class="dialog-buttons"><button type="button" class="plain" onClick=${close}>${t("projects.done")}</button></div>
    <//>
  `;
}
