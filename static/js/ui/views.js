/** Mounts the views and brings them up to date once per frame, whatever number of events came. */

import { listenForCopies } from "./clipboard.js";
import { createComposer } from "./composer.js";
import { byId } from "./dom.js";
import { createDrawers } from "./drawers.js";
import { createHeader } from "./header.js";
import { hydrateIcons } from "./icons.js";
import { createLabPanel } from "./lab_panel.js";
import { createScroll } from "./scroll.js";
import { createSidebar } from "./sidebar.js";
import { createTranscriptView } from "./transcript_view.js";

export function mount(app) {
  hydrateIcons(document);
  listenForCopies(document);
  createDrawers();
  const scroll = createScroll();
  const views = [createHeader(app), createSidebar(app), createTranscriptView(app, scroll), createComposer(app, scroll), createLabPanel(app)];
  let due = false;

  function draw() {
    due = false;
    for (const view of views) view.update(app.store.get());
  }

  app.store.subscribe(() => {
    if (due) return;
    due = true;
    requestAnimationFrame(draw);
  });
  byId("app").querySelector("[data-skip]").addEventListener("click", (event) => {
    event.preventDefault(); // the address' hash names the chat
    byId("composer-text").focus();
  });
  draw();
}
