/** Wires net, state and ui together. */

import { render } from "preact";
import { createChat } from "./app/chat.js";
import { createDeletions } from "./app/deletions.js";
import { createDrafts } from "./app/drafts.js";
import { createHistory } from "./app/history.js";
import { createHitl } from "./app/hitl.js";
import { createLab } from "./app/lab.js";
import { createLink } from "./app/link.js";
import { createLogout } from "./app/logout.js";
import { createNotify } from "./app/notify.js";
import { createOutbox } from "./app/outbox.js";
import { createPreferences } from "./app/preferences.js";
import { createPresets } from "./app/presets.js";
import { createProjects } from "./app/projects.js";
import { createRuns } from "./app/runs.js";
import { createSessions } from "./app/sessions.js";
import { createUnread } from "./app/unread.js";
import { said } from "./app/words.js";
import { onWake } from "./net/wake.js";
import { initialState, reducer } from "./state/reducer.js";
import { createCell, createFrames, createStore } from "./state/store.js";
import { App } from "./ui/app.js";
import { html } from "./ui/lib/html.js";
import { createToasts } from "./ui/lib/toast.js";

/** A token from the address has become a cookie: it must not stay in sight, in bookmarks or in the browser's history. */
function hideToken() {
  const address = new URL(location.href);
  if (!address.searchParams.has("token")) return;
  address.searchParams.delete("token");
  history.replaceState(null, "", address);
}

const store = createStore(reducer, initialState());
const app = {
  store,
  frames: createFrames(store),
  toasts: createToasts(createCell([])),
  /** The open dialog (`ui/lib/dialog.js`), the message that is being edited, whether a login is asked for. */
  dialog: createCell(null),
  editing: createCell(null),
  login: createCell(false),
  connection: null,
  /** Work that nobody waits for: a failure is shown, a missing login asked for. */
  report: (work) => Promise.resolve(work).catch((error) => {
    if (error.status === 401) app.login.set(true);
    else if (error.code !== "connection_lost") app.toasts.show(said(error));
  }),
};
app.preferences = createPreferences(app);
app.history = createHistory(app);
app.sessions = createSessions(app);
app.deletions = createDeletions(app);
app.unread = createUnread(app);
app.notify = createNotify(app);
app.outbox = createOutbox(app);
app.drafts = createDrafts(app);
app.presets = createPresets(app);
app.chat = createChat(app);
app.runs = createRuns(app);
app.hitl = createHitl(app);
app.lab = createLab(app);
app.connect = createLink(app);
app.projects = createProjects(app);
app.logOut = createLogout(app);
/** Whatever waits for its next try does not wait any longer. */
app.check = () => (app.connection ?? app.projects).check();

hideToken();
render(html`<${App} app=${app} />`, document.getElementById("app"));
addEventListener("hashchange", () => app.connection && app.sessions.select(location.hash.slice(1) || null));
addEventListener("pagehide", app.deletions.flush);
onWake(app.check);
app.report(app.projects.load());
