/** A person's presets, kept by the browser. Who has changed nothing yet finds some examples. */

import { t } from "../i18n/index.js";
import { imported, MOST, tidied } from "../state/presets.js";
import { createCell } from "../state/store.js";
import { newId } from "./ids.js";
import { keep, kept } from "./keep.js";

/** @returns {import("../state/presets.js").Preset[]} */
function examples() {
  const made = ["up", "routes", "ospf", "reach"].map((name) => ({ name: t(`presets.example.${name}`), kind: "message", text: t(`presets.example.${name}.text`) }));
  const look = { name: t("presets.example.look"), kind: "commands", text: "show ip interface brief\nshow ip route\nshow ip ospf neighbor" };
  return [...made, look].map((preset, at) => ({ id: `example-${at}`, ...preset }));
}

export function createPresets({ store }) {
  const cell = createCell(null); // null: nothing was changed yet
  let key = null;

  function enter() {
    const { userId } = store.get();
    const here = userId && `copilot.presets.${userId}`;
    if (here === key) return;
    key = here;
    cell.set(key && kept(key));
  }

  function put(presets) {
    cell.set(presets);
    keep(key, presets);
  }

  const all = () => cell.get() ?? examples();

  store.subscribe(enter);
  addEventListener("storage", (event) => event.key === key && cell.set(kept(key)));

  return {
    cell,
    all,
    put,
    /** A new one without an `id`; `null` where it does not fit. @returns {import("../state/presets.js").Preset|null} */
    save({ id = null, ...fields }) {
      const tidy = tidied(fields);
      const known = all();
      if (!tidy || (id === null && known.length >= MOST.presets)) return null;
      const preset = { id: id ?? newId(), ...tidy };
      put(id === null ? [...known, preset] : known.map((one) => (one.id === id ? preset : one)));
      return preset;
    },
    remove: (id) => put(all().filter((one) => one.id !== id)),
    /** @param {string} text  of a file @returns {number|null} how many are new; null: it holds no presets */
    take(text) {
      const fresh = imported(text, all());
      if (fresh?.length > 0) put([...all(), ...fresh.map((preset) => ({ id: newId(), ...preset }))]);
      return fresh && fresh.length;
    },
  };
}
