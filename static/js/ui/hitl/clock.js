/** How long there is to decide, by the server's clock. */

import { serverNow } from "../../net/clock.js";
import { html, names, useEffect, useState } from "../lib/html.js";
import { timeLeft } from "./words.js";

const SOON = 60_000; // ms

/** @param {{expiresAt: string}} props */
export function Clock({ expiresAt }) {
  const [now, setNow] = useState(serverNow);
  const left = Date.parse(expiresAt) - now;
  useEffect(() => {
    if (left <= 0) return undefined;
    const timer = setTimeout(() => setNow(serverNow()), (left % 1000) + 1);
    return () => clearTimeout(timer);
  }, [now]);
  return html`<span class=${names("prompt-clock", { soon: left < SOON })} role="timer">${timeLeft(left)}</span>`;
}
