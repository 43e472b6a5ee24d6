/** How views read the state: each is drawn again, at most once a frame, when what it selects is another value. */

import { createContext, useContext, useLayoutEffect, useReducer, useRef } from "./html.js";

export const AppContext = createContext(null);

/** What `main.js` put together: store, commands, cells. */
export const useApp = () => useContext(AppContext);

/**
 * @template T
 * @param {(state: import("../../state/model.js").State) => T} select  gives values that stay the same while nothing changed
 * @returns {T}
 */
export function useStore(select) {
  const { store, frames } = useApp();
  return useSource(frames, () => select(store.get()));
}

/** The value of a cell. @template T @param {import("../../state/store.js").Cell<T>} cell @returns {T} */
export function useCell(cell) {
  return useSource(cell, cell.get);
}

function useSource(source, read) {
  const [, draw] = useReducer((count) => count + 1, 0);
  const shown = useRef();
  const reader = useRef();
  reader.current = read;
  shown.current = read();
  useLayoutEffect(() => {
    const look = () => Object.is(shown.current, reader.current()) || draw();
    look();
    return source.subscribe(look);
  }, [source]);
  return shown.current;
}
