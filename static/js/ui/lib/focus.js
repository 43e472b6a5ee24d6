/** Where the keyboard goes when what has the focus disappears. */

import { useLayoutEffect, useRef } from "./html.js";

/** @param {{current: Element|null}} ref @param {(node: Element) => HTMLElement|null|undefined} heir  who gets the focus from `node` */
export function useFocusHeir(ref, heir) {
  useLayoutEffect(() => {
    const node = ref.current;
    return () => node.contains(document.activeElement) && heir(node)?.focus();
  }, []);
}

/** Something opened in the place of something else: when it closes, `find` says who gets the focus back. @param {boolean} open */
export function useFocusBack(open, find) {
  const was = useRef(open);
  useLayoutEffect(() => {
    if (was.current && !open) (find() || null)?.focus();
    was.current = open;
  }, [open]);
}
