/** Values by name that outlive a reload, each a cell. The newest ones stay: what nobody touched for long makes room. */

import { createCell } from "../state/store.js";
import { keep, kept, keptNames } from "./keep.js";

/** @param {string} prefix  of the names in the browser's storage @param {number} most  values that are kept */
const age = (name) => kept(name)?.at ?? 0;

export function createShelf(prefix, most) {
  const cells = new Map();

  function makeRoom() {
    const names = keptNames(prefix);
    if (names.length < most) return;
    const oldest = names.sort((a, b) => age(a) - age(b)).slice(0, names.length - most + 1);
    for (const name of oldest) keep(name, null);
  }

  function store(name, value) {
    if (value !== null && kept(name) === null) makeRoom();
    keep(name, value === null ? null : { at: Date.now(), value });
  }

  function create(name) {
    const cell = createCell(kept(name)?.value ?? null);
    cell.subscribe(() => store(name, cell.get()));
    return cell;
  }

  return {
    /** The cell of what `id` names; null: nothing. @param {string} id */
    cell(id) {
      const name = prefix + id;
      if (!cells.has(name)) cells.set(name, create(name));
      return cells.get(name);
    },
  };
}
