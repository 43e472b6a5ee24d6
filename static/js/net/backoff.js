/** Waiting times between attempts: doubled each time, with jitter so that clients do not come back in step. */
export function createBackoff({ first = 500, most = 15_000, random = Math.random } = {}) {
  let attempt = 0;
  return {
    next: () => Math.min(most, first * 2 ** attempt++) * (0.5 + random() / 2),
    reset: () => void (attempt = 0),
  };
}
