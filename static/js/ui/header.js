/** The project chooser and the state of the connection. */

import { byId, h, setText } from "./dom.js";

const TEXTS = { offline: "Offline", connecting: "Connecting…", connected: "Connected", reconnecting: "Reconnecting…" };
const SHOWN = 6000; // ms

export function createHeader(app) {
  const select = byId("project");
  const status = byId("status");
  const text = status.querySelector(".status-text");
  let projects = null;
  let reloaded = false;
  let until = 0;

  select.addEventListener("change", () => app.report(app.projects.choose(select.value)));

  function showProjects(state) {
    if (projects !== state.projects) {
      projects = state.projects;
      select.replaceChildren(...projects.map((project) =>
        h("option", { value: project.project_id }, project.status === "opened" ? project.name : `${project.name} (closed)`)));
      select.disabled = projects.length === 0;
    }
    if (select.value !== state.projectId) select.value = state.projectId ?? "";
  }

  /** That history was read again is worth a word, but not for ever. */
  function label(state) {
    if (state.reloaded && !reloaded) {
      until = Date.now() + SHOWN;
      setTimeout(() => update(app.store.get()), SHOWN + 50);
    }
    reloaded = state.reloaded;
    if (state.connection === "connected" && reloaded && Date.now() < until) return "Reloaded";
    return TEXTS[state.connection];
  }

  function update(state) {
    showProjects(state);
    status.dataset.status = state.connection;
    setText(text, label(state));
  }

  return { update };
}
