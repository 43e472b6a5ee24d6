/** Small things that outlive a reload, in the browser's local storage. Where it is full or forbidden, the page works without. */

/** @returns {any} what was kept under `key`, or `otherwise` */
export function kept(key, otherwise = null) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** @returns {boolean} whether it could be kept; `null` forgets */
export function keep(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** @returns {string[]} the keys that begin with `prefix` and have something kept */
export function keptNames(prefix) {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
}
