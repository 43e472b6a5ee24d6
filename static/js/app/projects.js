/** The projects of the lab, and which one the page shows. A closed one is shown as such: it has no chat until somebody opens it. */

import { api } from "../net/api.js";
import { createBackoff } from "../net/backoff.js";
import { pickProject } from "../state/select.js";
import { keep, kept } from "./keep.js";
import { meet } from "./people.js";

const LAST = "copilot.project";

export function createProjects(app) {
  const { store } = app;
  const shown = () => store.get().projectId;
  const backoff = createBackoff();
  let timer = 0;

  async function list() {
    store.dispatch({ type: "projects", projects: await api.projects() });
  }

  /** Without the server there is no project to connect to: it is asked again until it answers. */
  async function load() {
    clearTimeout(timer);
    timer = 0;
    try {
      await look();
      backoff.reset();
    } catch (error) {
      if (!passing(error)) throw error;
      later(backoff.next());
    }
  }

  function later(delay) {
    app.connection?.end();
    app.connection = null;
    timer = setTimeout(check, delay);
    say(Date.now() + delay);
  }

  /** Does not wait for the next try any longer. */
  function check() {
    if (timer === 0) return;
    say(null);
    app.report(load());
  }

  const say = (retryAt) => store.dispatch({ type: "connection", status: "connecting", link: { way: "socket", retryAt, stopping: false } });

  async function look() {
    const [me] = await Promise.all([api.me(), list()]);
    meet(me);
    store.dispatch({ type: "user", userId: me.user_id });
    const wanted = shown() ?? new URLSearchParams(location.search).get("project");
    const project = pickProject(store.get().projects, wanted, kept(LAST));
    if (project) show(project);
    else store.dispatch({ type: "project_chosen", projectId: null });
  }

  function show(project) {
    app.connection?.end();
    app.connection = null;
    store.dispatch({ type: "project_chosen", projectId: project.project_id });
    app.outbox.restore();
    if (project.status !== "opened") return;
    app.connection = app.connect(project.project_id);
    app.sessions.select(location.hash.slice(1) || null);
    app.report(app.lab.read());
  }

  /** @param {string|null} projectId  null: whichever there is */
  function choose(projectId) {
    keep(LAST, projectId);
    const address = new URL(location.href);
    if (projectId === null) address.searchParams.delete("project");
    else address.searchParams.set("project", projectId);
    address.hash = "";
    history.replaceState(null, "", address);
    store.dispatch({ type: "project_chosen", projectId });
    return load();
  }

  return {
    load,
    check,
    list,
    choose,
    async open(projectId = shown()) {
      await api.openProject(projectId);
      await (projectId === shown() ? load() : choose(projectId));
    },
    async close(projectId) {
      await api.closeProject(projectId);
      await (projectId === shown() ? load() : list());
    },
    async create(name) {
      await choose((await api.createProject(name)).project_id);
    },
    async remove(projectId) {
      await api.deleteProject(projectId);
      await (projectId === shown() ? choose(null) : list());
    },
  };
}

/** No answer, or one that stands for none: the server, or what is before it, will come back. */
const passing = (error) => error instanceof TypeError || error.status >= 500;
