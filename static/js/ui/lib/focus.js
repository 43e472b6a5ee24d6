/** Where the keyboard goes when what has the focus disappears. */

import { useLayoutEffect } from "./html.js";

/** @param {{current: Element|null}} ref @param {(node: Element) => HTMLElement|null|undefined} heir  who gets the focus from `node` */
export function useFocusHeir(ref, heir) {
  useLayoutEffect(() => {
    const node = ref.current;
    return () => node.contains(document.activeElement) && heir(node)?.focus();
  }, []);
}
