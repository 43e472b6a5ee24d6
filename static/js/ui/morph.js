/** Makes `old` look like `fresh` and keeps what is equal: a selection or a scroll position in a growing answer survives. */
export function morph(old, fresh) {
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName || old.className !== fresh.className) {
    old.replaceWith(fresh);
  } else if (old.nodeType === Node.TEXT_NODE) morphText(old, fresh.data);
  else morphChildren(old, fresh);
}

function morphText(old, text) {
  if (text === old.data) return;
  if (text.startsWith(old.data)) old.appendData(text.slice(old.data.length));
  else old.data = text;
}

function morphChildren(old, fresh) {
  const wanted = [...fresh.childNodes];
  wanted.forEach((node, at) => {
    if (at < old.childNodes.length) morph(old.childNodes[at], node);
    else old.append(node);
  });
  while (old.childNodes.length > wanted.length) old.lastChild.remove();
}
