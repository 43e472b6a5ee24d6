/** Holds the state and tells who listens when it changed. */

export function createStore(reducer, state) {
  const cell = createCell(state);
  return {
    get: cell.get,
    subscribe: cell.subscribe,
    dispatch: (action) => cell.set(reducer(cell.get(), action)),
  };
}

/**
 * One value that views can listen to, for what is no part of the state: an open dialog, a word about a failure.
 * @template T
 * @typedef {{get: () => T, set: (value: T) => void, subscribe: (listener: () => void) => () => void}} Cell
 */
export function createCell(value) {
  const listeners = new Set();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The store's changes, told once per drawn frame, whatever number of events came. */
export function createFrames(store, onFrame = requestAnimationFrame) {
  const frame = createCell(0);
  let due = false;
  store.subscribe(() => {
    if (due) return;
    due = true;
    onFrame(() => {
      due = false;
      frame.set(frame.get() + 1);
    });
  });
  return { subscribe: frame.subscribe };
}
