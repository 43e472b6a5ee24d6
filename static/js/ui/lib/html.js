/** Preact and its templates, from one place. Text and attributes are escaped by the renderer: nothing here makes markup from strings. */

import { Component, Fragment, createContext, createRef, h } from "preact";
import htm from "htm";

export { Component, Fragment, createContext, createRef };
export { useCallback, useContext, useEffect, useId, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";

export const html = htm.bind(h);

/** Class names of an object's true keys. `names("a", { b: true, c: false })` is "a b". */
export function names(...parts) {
  return parts.flatMap((part) => {
    if (!part) return [];
    return typeof part === "string" ? [part] : Object.keys(part).filter((key) => part[key]);
  }).join(" ");
}

/** A component that is drawn again only when one of its properties is another value. */
export function memo(render) {
  return class extends Component {
    shouldComponentUpdate(next) {
      const before = this.props;
      const keys = Object.keys(next);
      return keys.length !== Object.keys(before).length || keys.some((key) => !Object.is(next[key], before[key]));
    }

    render(props) {
      return render(props);
    }
  };
}
