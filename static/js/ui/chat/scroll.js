/** Keeps the end in view for who is there, and the reader's place for who is not. */

import { useLayoutEffect, useRef, useState } from "../lib/html.js";

const NEAR = 56; // px that still count as the end
const MARKS = 40; // rows looked at to keep the place: the first ones may join older ones
const OPENERS = "summary, [aria-expanded], .prompt";

const topOf = (row) => row.getBoundingClientRect().top;

/**
 * @param {string|null} first  the id of the first row: older ones come before it
 * @returns {{box: Object, rows: Object, away: boolean, toEnd: () => void}} refs of the box that scrolls and of the rows in it
 */
export function useScroll(first) {
  const [box, rows, keeper] = [useRef(null), useRef(null), useRef(null)];
  const [away, setAway] = useState(false);
  const known = useRef(first);
  if (first !== known.current) keeper.current?.remember();
  known.current = first;
  useLayoutEffect(() => {
    keeper.current = createKeeper(box.current, rows.current, setAway);
    return keeper.current.end;
  }, []);
  useLayoutEffect(() => keeper.current.restore(), [first]);
  return { box, rows, away, toEnd: () => keeper.current.toEnd() };
}

function createKeeper(box, rows, tellAway) {
  const anchors = CSS.supports("overflow-anchor", "auto");
  let sticks = true;
  let marks = [];
  let top = 0;

  const distance = () => box.scrollHeight - box.scrollTop - box.clientHeight;

  function settle() {
    sticks = distance() < NEAR;
    tellAway(!sticks);
  }

  function follow() {
    if (sticks) box.scrollTop = box.scrollHeight;
    top = box.scrollTop;
    settle();
  }

  /** What grew below since the last look moves nobody away from the end: only going up does. */
  function onScroll() {
    const up = box.scrollTop < top - 1;
    top = box.scrollTop;
    if (up || !sticks) settle();
  }

  /** Somebody opens or closes something: they look at it, so it must not move. */
  function hold(event) {
    if (!event.target.closest(OPENERS)) return;
    sticks = false;
    requestAnimationFrame(settle);
  }

  const watch = new ResizeObserver(follow);
  watch.observe(box);
  watch.observe(rows);
  box.addEventListener("scroll", onScroll, { passive: true });
  box.addEventListener("click", hold, { capture: true });

  return {
    toEnd() {
      sticks = true;
      follow();
    },
    /** Before rows are put in front of the first one. */
    remember() {
      marks = sticks ? [] : [...rows.querySelectorAll(".message")].slice(0, MARKS).map((row) => [row, topOf(row)]);
    },
    /** Browsers keep the place by themselves, but not at the very top. */
    restore() {
      const [row, before] = marks.find(([one]) => one.isConnected) ?? [];
      marks = [];
      if (row && (!anchors || box.scrollTop < NEAR)) box.scrollTop += topOf(row) - before;
      follow();
    },
    end() {
      watch.disconnect();
      box.removeEventListener("scroll", onScroll);
      box.removeEventListener("click", hold, { capture: true });
    },
  };
}
