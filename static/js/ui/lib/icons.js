/** The page's icons: 24 x 24 strokes. */

import { html } from "./html.js";

const PATHS = {
  menu: ["M4 7h16", "M4 12h16", "M4 17h16"],
  plus: ["M12 5v14", "M5 12h14"],
  lab: ["M4 5h16v14H4z", "M15 5v14"],
  pin: ["M9 4h6l-1 6 3 3v2H7v-2l3-3z", "M12 15v5"],
  edit: ["M5 19h4L19 9l-4-4L5 15z", "M13 7l4 4"],
  trash: ["M5 7h14", "M10 7V4h4v3", "M7 7l1 13h8l1-13"],
  send: ["M12 19V6", "M6 11l6-6 6 6"],
  stop: ["M8 8h8v8H8z"],
  down: ["M12 5v13", "M6 13l6 6 6-6"],
  up: ["M12 19V6", "M6 12l6-6 6 6"],
  undo: ["M9 14H5v-4", "M5 14a8 8 0 1 1 2.5 4.5"],
  copy: ["M9 9h10v11H9z", "M5 15V4h10"],
  check: ["M5 13l4 4L19 7"],
  cross: ["M6 6l12 12", "M18 6L6 18"],
  dash: ["M6 12h12"],
  ask: ["M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4", "M12 18h.01"],
  chevron: ["M9 6l6 6-6 6"],
  refresh: ["M19 12a7 7 0 1 1-2-5", "M19 4v4h-4"],
  sliders: ["M4 8h9", "M17 8h3", "M15 6v4", "M4 16h3", "M11 16h9", "M9 14v4"],
  folder: ["M4 7a1.5 1.5 0 0 1 1.5-1.5H9l2 2.5h7.5A1.5 1.5 0 0 1 20 9.5v8a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 17.5z"],
  grow: ["M14 4h6v6", "M20 4l-7 7", "M10 20H4v-6", "M4 20l7-7"],
  shrink: ["M19 11h-6V5", "M13 11l7-7", "M5 13h6v6", "M11 13l-7 7"],
  fit: ["M4 9V4h5", "M20 9V4h-5", "M4 15v5h5", "M20 15v5h-5", "M9 9h6v6H9z"],
  minus: ["M5 12h14"],
  dots: ["M5.5 12h.01", "M12 12h.01", "M18.5 12h.01"],
  search: ["M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13z", "M15.5 15.5L20 20"],
  save: ["M12 4v11", "M7 10.5l5 5 5-5", "M5 20h14"],
  presets: ["M8 7h12", "M8 12h12", "M8 17h12", "M4 7h.01", "M4 12h.01", "M4 17h.01"],
  keyboard: ["M3 7h18v10H3z", "M7 10.5h.01", "M12 10.5h.01", "M17 10.5h.01", "M8 14h8"],
  mark: ["M7 8.5 12 17M17 8.5 12 17M8 7h8", "M6 7h.01", "M18 7h.01", "M12 18h.01"],
};

/** @param {{name: string}} props */
export function Icon({ name }) {
  return html`
    <svg viewBox="0 0 24 24" class=${`icon icon-${name}`} aria-hidden="true">${PATHS[name].map((d) => html`<path d=${d} />`)}</svg>
  `;
}

/** A button that shows nothing but an icon: its label is what a screen reader says and what hovering shows. */
export function IconButton({ icon, label, className = "", ...rest }) {
  return html`
    <button type="button" class=${`icon-button ${className}`} aria-label=${label} title=${label} ...${rest}><${Icon} name=${icon} /></button>
  `;
}
