/**
 * Messages and sets of command lines that a person has named, with placeholders: `{{device}}`, `{{network|10.0.0.0/24}}`. Pure.
 *
 * @typedef {{id: string, name: string, kind: "message"|"commands", text: string}} Preset  `commands`: one a line, for one device
 * @typedef {{name: string, value: string}} Placeholder  `value`: what stands there unless somebody says otherwise
 */

const PLACEHOLDER = /\{\{\s*([^{}|]+?)\s*(?:\|([^{}]*))?\}\}/g;
const DEVICE = /device|node|host|router|switch|设备|节点|主机|路由器|交换机/i;

export const MOST = { presets: 200, name: 80, text: 20_000 };

/** Each once, in their order. @returns {Placeholder[]} */
export function placeholdersOf(text) {
  const found = new Map();
  for (const [, name, value = ""] of text.matchAll(PLACEHOLDER)) found.set(name, found.get(name) || value.trim());
  return [...found].map(([name, value]) => ({ name, value }));
}

/** @param {Object<string, string>} values  by name */
export function filled(text, values) {
  return text.replace(PLACEHOLDER, (whole, name) => (Object.hasOwn(values, name) ? values[name] : whole));
}

/** Whether a placeholder stands for one of the lab's devices. */
export const isDevice = (name) => DEVICE.test(name);

/** Those whose name or text has all the words of a query. */
export function matching(presets, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return presets.filter(({ name, text }) => words.every((word) => `${name}\n${text}`.toLowerCase().includes(word)));
}

/** A preset as it may be kept, or null. */
export function tidied({ name, kind, text } = {}) {
  if (typeof name !== "string" || typeof text !== "string") return null;
  const tidy = { name: name.trim(), kind: kind === "commands" ? "commands" : "message", text: text.trim() };
  const fits = tidy.name !== "" && tidy.text !== "" && tidy.name.length <= MOST.name && tidy.text.length <= MOST.text;
  return fits ? tidy : null;
}

const isSame = (a, b) => a.name === b.name && a.text === b.text && a.kind === b.kind;

/** The file that presets are exchanged as. */
export function exported(presets) {
  return JSON.stringify({ presets: presets.map(({ id, ...preset }) => preset) }, null, 2);
}

/**
 * The presets of such a file that are not there yet.
 * @returns {Omit<Preset, "id">[]|null} null: it is no such file
 */
export function imported(text, known) {
  const listed = listIn(text);
  if (listed === null) return null;
  const tidy = listed.map((one) => tidied(one ?? undefined)).filter(Boolean);
  const fresh = tidy.filter((one, at) => ![...known, ...tidy.slice(0, at)].some((other) => isSame(one, other)));
  return tidy.length > 0 || listed.length === 0 ? fresh.slice(0, MOST.presets - known.length) : null;
}

function listIn(text) {
  try {
    const value = JSON.parse(text);
    const list = Array.isArray(value) ? value : value?.presets;
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}
