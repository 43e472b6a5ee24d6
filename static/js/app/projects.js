/** Which project the page shows. A closed one is shown as such: it has no chat until somebody opens it. */

import { api } from "../net/api.js";
import { currentProject, pickProject } from "../state/select.js";

const LAST = "copilot.project";

export function createProjects(app) {
  const { store } = app;

  async function load() {
    const projects = await api.projects();
    store.dispatch({ type: "projects", projects });
    const wanted = store.get().projectId ?? new URLSearchParams(location.search).get("project");
    const project = pickProject(projects, wanted, localStorage.getItem(LAST));
    if (project) show(project);
  }

  function show(project) {
    app.connection?.end();
    app.connection = null;
    store.dispatch({ type: "project_chosen", projectId: project.project_id });
    if (project.status !== "opened") return;
    app.connection = app.connect(project.project_id);
    app.sessions.select(location.hash.slice(1) || null);
    app.report(app.lab.read());
  }

  function choose(projectId) {
    localStorage.setItem(LAST, projectId);
    const address = new URL(location.href);
    address.searchParams.set("project", projectId);
    address.hash = "";
    history.replaceState(null, "", address);
    store.dispatch({ type: "project_chosen", projectId });
    return load();
  }

  async function open() {
    await api.openProject(currentProject(store.get()).project_id);
    await load();
  }

  return { load, choose, open };
}
