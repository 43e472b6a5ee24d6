/** The two side panels: beside the chat where there is room, over it where there is not. */

import { keep, kept } from "../../app/keep.js";
import { createCell } from "../../state/store.js";
import { useEffect } from "./html.js";
import { useCell } from "./store.js";

const KEY = "copilot.lab";
const PANELS = { sidebar: "(max-width: 760px)", lab: "(max-width: 1080px)" };

/** Which panels are open. */
export const drawers = createCell({ sidebar: false, lab: false });

const isOver = (panel) => matchMedia(PANELS[panel]).matches;
const anyOver = (open) => Object.keys(PANELS).some((panel) => open[panel] && isOver(panel));

/** Where a panel is a drawer it starts closed. */
function arrange(panel) {
  const open = !isOver(panel) && !(panel === "lab" && kept(KEY) === "closed");
  drawers.set({ ...drawers.get(), [panel]: open });
}

export function flipDrawer(panel) {
  const open = !drawers.get()[panel];
  if (open) closeDrawers();
  if (panel === "lab" && !isOver(panel)) keep(KEY, open ? "open" : "closed");
  drawers.set({ ...drawers.get(), [panel]: open });
}

/** Closes what lies over the chat. */
export function closeDrawers() {
  const open = drawers.get();
  if (!anyOver(open)) return;
  drawers.set(Object.fromEntries(Object.keys(PANELS).map((panel) => [panel, open[panel] && !isOver(panel)])));
}

export function useDrawers() {
  const open = useCell(drawers);
  useEffect(listen, []);
  return { open, over: anyOver(open), close: closeDrawers };
}

function listen() {
  const watched = Object.entries(PANELS).map(([panel, query]) => [matchMedia(query), () => arrange(panel)]);
  const onKey = (event) => event.key === "Escape" && !event.defaultPrevented && closeDrawers();
  for (const [media, tell] of watched) {
    tell();
    media.addEventListener("change", tell);
  }
  addEventListener("keydown", onKey);
  return () => {
    for (const [media, tell] of watched) media.removeEventListener("change", tell);
    removeEventListener("keydown", onKey);
  };
}
