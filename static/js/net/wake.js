/** Tells when a look at the connection is due: the computer woke up, the network came back, the page is seen again. */

const TICK = 5000, SLEPT = 20_000; // ms

export function onWake(listener) {
  let before = Date.now();
  setInterval(() => {
    const now = Date.now();
    if (now - before > SLEPT && !document.hidden) listener();
    before = now;
  }, TICK);
  addEventListener("online", listener);
  document.addEventListener("visibilitychange", () => document.hidden || listener());
}
