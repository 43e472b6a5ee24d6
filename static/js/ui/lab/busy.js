/** The devices that running tools touch, for views. */

import { busyNodes } from "../../state/busy.js";
import { useMemo } from "../lib/html.js";
import { useStore } from "../lib/store.js";

/** @returns {Set<string>} ids of nodes; the same set while nothing changed */
export function useBusy() {
  const ids = useStore(busyNodes);
  return useMemo(() => new Set(ids === "" ? [] : ids.split("\n")), [ids]);
}
