/** The connection of the chosen project, wired to the state; and what the page does about some events besides folding them. */

import { api, socketUrl } from "../net/api.js";
import { Connection } from "../net/connection.js";

export function createLink(app) {
  const { store } = app;

  function onHello(hello) {
    store.dispatch({ type: "hello", hello });
    const state = store.get();
    if (hello.recovered !== true || !state.listed) app.report(app.sessions.list(hello.pending_hitl));
    if (state.selected !== null && !state.transcripts[state.selected]?.loaded) app.history.load(state.selected);
  }

  const reactions = {
    run_started: (event) => app.report(app.sessions.refresh(event.session_id)),
    done(event) {
      app.report(app.sessions.refresh(event.session_id));
      app.lab.refresh();
    },
    hitl_resolved(event) {
      if (event.decisions.some((one) => one.decision === "modified")) app.report(app.hitl.recall(event.session_id));
    },
    session_deleted(event) {
      if (location.hash.slice(1) === event.session_id) app.sessions.open(null);
    },
    topology_updated: () => app.lab.refresh(),
    project_updated: () => app.lab.refresh(),
  };

  function onEvent(event) {
    store.dispatch({ type: "event", event });
    reactions[event.type]?.(event);
    if (store.get().transcripts[event.session_id]?.stale) app.history.load(event.session_id);
  }

  async function diagnose(projectId) {
    try {
      const project = await api.project(projectId);
      return project.status === "opened" ? "retry" : "closed";
    } catch (error) {
      if (error.status === 401) return "login";
      return error.status === 404 ? "closed" : "retry";
    }
  }

  return function connect(projectId) {
    const connection = new Connection(socketUrl(projectId), {
      onHello,
      onEvent,
      onStatus: (status) => store.dispatch({ type: "connection", status }),
      onLogin: () => app.login.set(true),
      onProjectClosed: () => app.report(app.projects.load()),
      diagnose: () => diagnose(projectId),
    });
    connection.connect();
    return connection;
  };
}
