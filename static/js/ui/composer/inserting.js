/** The list of presets over the field: open or not, and what comes out of it. */

import { useState } from "../lib/html.js";
import { toEnd } from "./field.js";

/**
 * @param {import("./draft.js").MessageDraft} draft
 * @param {{current: HTMLTextAreaElement}} field
 */
export function useInserting(draft, field) {
  const [opened, open] = useState(null); // "slash" or "button": how
  const close = () => open(null);
  return {
    opened,
    close,
    flip: () => open(opened ? null : "button"),
    /** What is typed in the field: a slash in an empty one opens the list. */
    write(text) {
      if (text === "/" && draft.text === "") open("slash");
      else draft.write(text);
    },
    /** Behind what is there already. */
    insert(text) {
      close();
      draft.write(draft.text.trim() === "" ? text : `${draft.text.trimEnd()}\n${text}`);
      requestAnimationFrame(() => toEnd(field.current));
    },
    /** Back to the field, with what was typed in the list if it was meant for there. */
    leave(typed = "") {
      close();
      if (typed) draft.write(typed);
      toEnd(field.current);
    },
  };
}
