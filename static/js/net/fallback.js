/**
 * Which way the next line takes: a WebSocket, or the event stream where those are blocked. Pure.
 *
 * @typedef {"socket"|"stream"} Way
 * @typedef {{way: Way, refused: number}} Route  `refused`: sockets that were refused in a row while REST answered
 */

const REFUSALS = 2;

/** @type {Route} */
export const FIRST_ROUTE = { way: "socket", refused: 0 };

/**
 * What a line's end teaches.
 * @param {Route} route
 * @param {"greeted"|"fell"|"refused"|"silent"|"unreachable"} outcome  `greeted`: hello came; `fell`: lost after that; before it,
 *   while REST answers: `refused`, or `silent` (nothing came at all); `unreachable`: REST does not answer either
 * @returns {Route}
 */
export function nextRoute(route, outcome) {
  switch (outcome) {
    case "greeted":
      return { ...route, refused: 0 };
    case "refused":
      return route.way === "stream" ? FIRST_ROUTE : socketRefused(route.refused + 1);
    case "silent":
      return route.way === "stream" ? FIRST_ROUTE : socketRefused(REFUSALS);
    case "fell": // a socket is tried again, and one refusal leads back
      return route.way === "stream" ? socketRefused(REFUSALS - 1) : route;
    default:
      return route;
  }
}

function socketRefused(refused) {
  return refused < REFUSALS ? { way: "socket", refused } : { way: "stream", refused: 0 };
}
