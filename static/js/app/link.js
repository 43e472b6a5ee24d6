/** The connection of the chosen project, wired to the state; and what the page does about some events besides folding them. */

import { api, chatPrefix, socketUrl } from "../net/api.js";
import { serverNow } from "../net/clock.js";
import { wantedCodec } from "../net/codecs.js";
import { Connection } from "../net/connection.js";
import { socketLine } from "../net/socket.js";
import { streamLine } from "../net/stream.js";

const PATIENCE = 5000; // ms for a look at what is wrong

export function createLink(app) {
  const { store } = app;

  function onHello(hello) {
    store.dispatch({ type: "hello", hello });
    for (const status of hello.recovered === true ? [] : hello.pending_hitl) app.notify.tell({ type: "hitl_required", ...status });
    const state = store.get();
    if (hello.recovered === false) app.lab.refresh();
    if (hello.recovered !== true || !state.listed) app.report(app.sessions.list(hello.pending_hitl));
    if (state.selected !== null && !state.transcripts[state.selected]?.loaded) app.history.load(state.selected);
    app.report(app.outbox.greeted(hello));
  }

  const reactions = {
    run_started: (event) => app.outbox.forget(event.client_message_id),
    done: () => app.lab.refresh(),
    hitl_resolved(event) {
      if (event.decisions.some((one) => one.decision === "modified")) app.report(app.hitl.recall(event.session_id));
    },
    session_deleted(event) {
      app.outbox.forgetChat(event.session_id);
      if (location.hash.slice(1) === event.session_id) app.sessions.open(null);
    },
    topology_updated: () => app.lab.changed(),
    project_updated: () => app.lab.refresh(),
  };

  function onEvent(event) {
    store.dispatch({ type: "event", event, at: serverNow() });
    reactions[event.type]?.(event);
    app.notify.tell(event);
    if (store.get().transcripts[event.session_id]?.stale) app.history.load(event.session_id);
  }

  return function connect(projectId) {
    const lines = { socket: socketLine(socketUrl(projectId), wantedCodec(location.search)), stream: streamLine(chatPrefix(projectId)) };
    const connection = new Connection(lines, {
      onHello,
      onEvent,
      onStatus: (status, link) => store.dispatch({ type: "connection", status, link }),
      onLogin: () => app.login.set(true),
      onProjectClosed: () => app.report(app.projects.load()),
      diagnose: () => diagnose(projectId),
    });
    connection.connect();
    return connection;
  };
}

async function diagnose(projectId) {
  try {
    const project = await api.project(projectId, AbortSignal.timeout(PATIENCE));
    return project.status === "opened" ? "open" : "closed";
  } catch (error) {
    if (error.status === 401) return "login";
    return error.status === 403 || error.status === 404 ? "closed" : "unreachable";
  }
}
