/** Logging out: the browser forgets the token, and each of its tabs what it shows. */

import { api } from "../net/api.js";

export function createLogout(app) {
  const tabs = new BroadcastChannel("copilot.logout");

  /** To a page that knows nothing of its last user; the address' hash named a chat. */
  const leave = () => location.replace(location.pathname);

  tabs.onmessage = leave;
  return async function logOut() {
    app.deletions.flush();
    await api.logout();
    tabs.postMessage(null);
    leave();
  };
}
