/** Keeps the end in view for who is there, and the reader's place for who is not. */

import { byId } from "./dom.js";

const NEAR = 56; // px that still count as the end

export function createScroll() {
  const box = byId("scroll");
  const jump = byId("jump");
  let sticks = true;

  const distance = () => box.scrollHeight - box.scrollTop - box.clientHeight;
  const toEnd = () => (box.scrollTop = box.scrollHeight);

  function settle() {
    sticks = distance() < NEAR;
    jump.hidden = sticks;
  }

  function follow() {
    if (sticks) toEnd();
    settle();
  }

  /** Runs `change`, which may grow the end or put older rows before the first; `moved`: another conversation. */
  function around(change, moved) {
    const first = box.querySelector(".message");
    const before = first?.getBoundingClientRect().top;
    change();
    if (moved) sticks = true;
    if (!sticks && first?.isConnected && box.scrollTop < NEAR) box.scrollTop += first.getBoundingClientRect().top - before;
    follow();
  }

  /** Somebody opens or closes something: they look at it, so it must not move. */
  function hold(event) {
    if (!event.target.closest("summary, .more")) return;
    sticks = false;
    requestAnimationFrame(settle);
  }

  box.addEventListener("scroll", settle, { passive: true });
  box.addEventListener("click", hold, { capture: true });
  new ResizeObserver(follow).observe(box);
  jump.addEventListener("click", () => {
    sticks = true;
    follow();
  });

  return { around, stick: () => (sticks = true) };
}
