/** Where this page stands in a project's feed: each event is taken once, in order, and a hole in the numbers is seen. */

export function createPlace() {
  let place = null;
  return {
    /** @returns {import("./socket.js").Place|null} */
    get: () => place,
    greeted(hello) {
      if (hello.recovered !== true) place = { epoch: hello.epoch, seq: hello.seq };
    },
    /** @returns {"next"|"known"|"gap"} */
    take(event) {
      if (event.seq <= place.seq) return "known";
      if ((event.first_seq ?? event.seq) > place.seq + 1) return "gap";
      place = { ...place, seq: event.seq };
      return "next";
    },
  };
}
