/** The server's time: a browser on another machine may have a clock of its own, and deadlines are the server's. */

const FAIR = 2000; // ms: the Date header has whole seconds, so less than this says nothing

let ahead = 0;

/** @param {string|null} date  a response's Date header */
export function setClock(date) {
  const difference = Date.parse(date ?? "") - Date.now();
  if (!Number.isNaN(difference)) ahead = Math.abs(difference) > FAIR ? difference : 0;
}

export const serverNow = () => Date.now() + ahead;
