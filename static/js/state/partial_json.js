/** Reads JSON that is still being written: what is open is closed, what is half a word is left out. */

/** @returns {any} undefined where nothing can be made of it yet */
export function parsePartial(text) {
  const whole = tryParse(text);
  if (whole !== undefined) return whole;
  const { closers, safe } = scan(text);
  return tryParse(text + closers) ?? (safe === null ? undefined : tryParse(text.slice(0, safe.end) + safe.closers));
}

/** What is open at the end, and the last place where a value was whole. */
function scan(text) {
  const open = [];
  let inString = false;
  let escaped = false;
  let safe = null;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (escaped) escaped = false;
      else if (char === "\\") escaped = true;
      else if (char === '"') inString = false;
      continue;
    }
    if (char === '"') inString = true;
    else if (char === "{" || char === "[") {
      open.push(char === "{" ? "}" : "]");
      safe = { end: at + 1, closers: closing(open) };
    } else if (char === "}" || char === "]") {
      open.pop();
      safe = { end: at + 1, closers: closing(open) };
    } else if (char === ",") safe = { end: at, closers: closing(open) };
  }
  return { closers: (inString ? (escaped ? '\\"' : '"') : "") + closing(open), safe };
}

const closing = (open) => open.toReversed().join("");

function tryParse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
