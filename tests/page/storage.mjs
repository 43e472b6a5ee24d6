/** A browser's local storage, for modules that keep something there. `tell` is what another tab's change says to this one. */

export function storage() {
  const kept = new Map();
  const listeners = [];
  globalThis.localStorage = new Proxy({
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  }, { ownKeys: () => [...kept.keys()], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }) });
  globalThis.addEventListener = (type, listener) => type === "storage" && listeners.push(listener);
  return {
    names: () => [...kept.keys()],
    tell(key, newValue) {
      if (newValue === null) kept.delete(key);
      for (const listener of listeners) listener({ key, newValue });
    },
  };
}
