/** Notices silence: a peer promised to say something every so often, and says nothing. */

/**
 * @param {() => void} onSilent
 * @param {number} patience  ms until the first word
 */
export function createWatchdog(onSilent, patience) {
  let timer = 0;
  let heard = 0;

  function listen() {
    heard = Date.now();
    clearTimeout(timer);
    timer = setTimeout(onSilent, patience);
  }

  listen();
  return {
    heard: listen,
    /** @param {number} seconds  how often the peer promises to say something */
    expect(seconds) {
      patience = seconds * 2500;
      listen();
    },
    /** Whether a word is overdue. Timers stand still while a computer sleeps, clocks do not. */
    overdue: () => Date.now() - heard > patience / 2,
    stop: () => clearTimeout(timer),
  };
}
