/** The two side panels: beside the chat where there is room, over it where there is not. */

import { byId } from "./dom.js";

const KEY = "copilot.lab";
const PANELS = [
  { id: "sidebar", toggle: "sidebar-toggle", over: matchMedia("(max-width: 760px)") },
  { id: "lab", toggle: "lab-toggle", over: matchMedia("(max-width: 1080px)") },
];

function setOpen(panel, open) {
  const drawer = panel.over.matches;
  byId("app").classList.toggle(`${panel.id}-open`, open);
  byId(panel.id).inert = !open;
  byId(panel.toggle).setAttribute("aria-expanded", String(open));
  byId("backdrop").hidden = !PANELS.some((one) => one.over.matches && !byId(one.id).inert);
  if (drawer && open) byId(panel.id).querySelector("button")?.focus();
}

/** Where a panel is a drawer it starts closed. */
function arrange(panel) {
  setOpen(panel, !panel.over.matches && !(panel.id === "lab" && localStorage.getItem(KEY) === "closed"));
}

function flip(panel) {
  const open = byId(panel.id).inert;
  if (panel.id === "lab" && !panel.over.matches) localStorage.setItem(KEY, open ? "open" : "closed");
  if (open) closeDrawers();
  setOpen(panel, open);
}

export function closeDrawers() {
  for (const panel of PANELS.filter((one) => one.over.matches && !byId(one.id).inert)) {
    setOpen(panel, false);
    byId(panel.toggle).focus();
  }
}

export function createDrawers() {
  for (const panel of PANELS) {
    arrange(panel);
    panel.over.addEventListener("change", () => arrange(panel));
    byId(panel.toggle).addEventListener("click", () => flip(panel));
  }
  byId("backdrop").addEventListener("click", closeDrawers);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) closeDrawers();
  });
}
