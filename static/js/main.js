/** Wires net, state and ui together. */

import { createChat } from "./app/chat.js";
import { createHistory } from "./app/history.js";
import { createHitl } from "./app/hitl.js";
import { createLab } from "./app/lab.js";
import { createLink } from "./app/link.js";
import { createProjects } from "./app/projects.js";
import { createSessions } from "./app/sessions.js";
import { initialState, reducer } from "./state/reducer.js";
import { createStore } from "./state/store.js";
import { askLogin } from "./ui/login.js";
import { toast } from "./ui/toast.js";
import { mount } from "./ui/views.js";

/** A token from the address has become a cookie: it must not stay in sight, in bookmarks or in the browser's history. */
function hideToken() {
  const address = new URL(location.href);
  if (!address.searchParams.has("token")) return;
  address.searchParams.delete("token");
  history.replaceState(null, "", address);
}

const app = {
  store: createStore(reducer, initialState()),
  connection: null,
  askLogin,
  /** Work that nobody waits for: a failure is shown, a missing login asked for. */
  report: (work) => Promise.resolve(work).catch((error) => {
    if (error.status === 401) askLogin();
    else if (error.code !== "connection_lost") toast(error.message);
  }),
};
app.history = createHistory(app);
app.sessions = createSessions(app);
app.chat = createChat(app);
app.hitl = createHitl(app);
app.lab = createLab(app);
app.connect = createLink(app);
app.projects = createProjects(app);

hideToken();
mount(app);
addEventListener("hashchange", () => app.connection && app.sessions.select(location.hash.slice(1) || null));
addEventListener("online", () => app.connection?.connect());
document.addEventListener("visibilitychange", () => document.hidden || app.connection?.connect());
app.report(app.projects.load());
