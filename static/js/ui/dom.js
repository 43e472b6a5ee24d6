/** Building DOM without markup: data only ever becomes text nodes and attributes. */

/**
 * @param {string} tag
 * @param {Object} [props]  `class`, `on: {event: handler}`, `data: {key: value}`, anything else an attribute;
 *                          null, undefined and false leave it out
 * @param {...(Node|string|null|false|undefined)} children
 */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
    else if (key === "data") Object.assign(node.dataset, value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== false && child !== undefined));
  return node;
}

export const byId = (id) => document.getElementById(id);

/** Sets an element's text only if it differs: assistive technology hears changes, not repetitions. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setAttr(node, name, value) {
  if (value === null || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value === true ? "" : value);
}

/** Makes `nodes` the children of `parent`, moving as little as possible: what moves loses its focus and its scroll position. */
export function setChildren(parent, nodes) {
  const kept = new Set(nodes);
  for (const child of [...parent.childNodes]) if (!kept.has(child)) child.remove();
  nodes.forEach((node, at) => {
    if (parent.childNodes[at] !== node) parent.insertBefore(node, parent.childNodes[at] ?? null);
  });
}
