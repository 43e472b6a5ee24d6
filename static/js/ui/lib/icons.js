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
  copy: ["M9 9h10v11H9z", "M5 15V4h10"],
  check: ["M5 13l4 4L19 7"],
  cross: ["M6 6l12 12", "M18 6L6 18"],
  dash: ["M6 12h12"],
  ask: ["M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4", "M12 18h.01"],
  chevron: ["M9 6l6 6-6 6"],
  refresh: ["M19 12a7 7 0 1 1-2-5", "M19 4v4h-4"],
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
