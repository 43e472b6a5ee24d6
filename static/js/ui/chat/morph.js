/** Makes `old` look like `fresh` and keeps what is equal: a selection or a scroll position in a growing text survives. */

export function morphChildren(old, fresh) {
  const wanted = [...fresh.childNodes];
  wanted.forEach((node, at) => {
    if (at < old.childNodes.length) morph(old.childNodes[at], node);
    else old.append(node);
  });
  while (old.childNodes.length > wanted.length) old.lastChild.remove();
}

/** Makes `text` the only content of `node`. */
export function setText(node, text) {
  if (node.childNodes.length === 1 && node.firstChild.nodeType === Node.TEXT_NODE) morphText(node.firstChild, text);
  else node.textContent = text;
}

function morph(old, fresh) {
  if (old.nodeType === Node.TEXT_NODE && fresh.nodeType === Node.TEXT_NODE) morphText(old, fresh.data);
  else if (old.nodeName === fresh.nodeName && old.href === fresh.href) morphChildren(old, fresh);
  else old.replaceWith(fresh);
}

function morphText(old, text) {
  if (text === old.data) return;
  if (text.startsWith(old.data)) old.appendData(text.slice(old.data.length));
  else old.data = text;
}
