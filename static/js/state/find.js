/** Finding words in an output. Pure. */

const MOST = 5000; // places that are marked: more help nobody

/** @returns {number[]} where `query` begins in `text`; capitals and small letters are the same */
export function placesOf(text, query) {
  if (query === "") return [];
  const pattern = new RegExp(query.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu");
  const places = [];
  for (const { index } of text.matchAll(pattern)) {
    places.push(index);
    if (places.length === MOST) break;
  }
  return places;
}

/**
 * The text as pieces, the found ones marked by their number.
 * @returns {{text: string, number: number|null}[]}
 */
export function piecesOf(text, places, length) {
  const pieces = [];
  let last = 0;
  places.forEach((at, number) => {
    if (at > last) pieces.push({ text: text.slice(last, at), number: null });
    pieces.push({ text: text.slice(at, at + length), number });
    last = at + length;
  });
  if (last < text.length) pieces.push({ text: text.slice(last), number: null });
  return pieces;
}
