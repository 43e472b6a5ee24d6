/** The person's presets, as views read them. */

import { useMemo } from "../lib/html.js";
import { useApp, useCell } from "../lib/store.js";

/** @returns {import("../../state/presets.js").Preset[]} */
export function usePresets() {
  const { presets } = useApp();
  const own = useCell(presets.cell);
  return useMemo(presets.all, [own]);
}
