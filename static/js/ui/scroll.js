/** Keeps the end in view for who is there, and the reader's place for who is not. */

import { byId } from "./dom.js";

const NEAR = 56; // px that still count as the end
const MARKS = 40; // rows looked at to keep the place: the first ones may join older ones

const topOf = (row) => row.getBoundingClientRect().top;

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
    const before = sticks ? [] : [...box.querySelectorAll(".message")].slice(0, MARKS).map((row) => [row, topOf(row)]);
    change();
    if (moved) sticks = true;
    const [row, top] = before.find(([one]) => one.isConnected) ?? [];
    if (!sticks && row && box.scrollTop < NEAR) box.scrollTop += topOf(row) - top;
    follow();
  }

  /** Somebody opens or closes something: they look at it, so it must not move. */
  function hold(event) {
    if (!event.target.closest("summary, .more, .prompt")) return;
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
