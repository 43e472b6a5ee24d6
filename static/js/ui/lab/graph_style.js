/** How the picture looks: colours from the page's variables, sizes that stay readable at each zoom. */

const COLOURS = ["raised", "text", "muted", "line-strong", "accent", "good", "warn", "panel"];
const ICONS = new URL("../../../icons/", import.meta.url);

/** Canvases know no CSS variables: they are looked up on an element. @returns {Object<string, string>} */
export function coloursOf(element) {
  const probe = document.createElement("span");
  element.append(probe);
  const found = COLOURS.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color];
  });
  probe.remove();
  return Object.fromEntries(found);
}

const within = (least, value, most) => Math.max(least, Math.min(value, most));

/** How much room nodes have: for most of them the next one is at least so far away. @param {{x: number, y: number}[]} places */
export function spaceIn(places) {
  const distance = (a) => (b) => (a === b ? Infinity : Math.hypot(a.x - b.x, a.y - b.y));
  const nearest = places.map((place) => Math.min(...places.map(distance(place)))).sort((a, b) => a - b);
  return within(40, nearest[Math.floor(nearest.length / 4)] ?? Infinity, 200);
}

/**
 * Sizes in pixels of the screen, whatever the zoom: zooming in makes room, and room shows more.
 * @param {number} zoom @param {number} space  between the nearest nodes
 */
export function scaleOf(zoom, space) {
  const room = space * zoom;
  return { zoom, room, node: within(10, room * 0.5, 44), font: room < 30 ? 0 : within(9.5, room * 0.17, 13), port: 10.5 };
}

/** Half of a port's name, measured along its link (px). */
function half(edge, end, { port }) {
  const [a, b] = [edge.source().position(), edge.target().position()];
  const [across, down] = [Math.abs(a.x - b.x), Math.abs(a.y - b.y)];
  return (across * edge.data(end).length * port * 0.3 + down * port * 0.6) / Math.max(1, Math.hypot(across, down));
}

/** How far from its node a port's name stands (px); where the link leaves below, beyond the node's own name. */
function distance(edge, end, scale) {
  const ends = [edge.source().position(), edge.target().position()];
  const [near, far] = end === "from" ? ends : ends.reverse();
  const below = far.y - near.y > 0.6 * Math.abs(far.x - near.x);
  return 6 + (below ? scale.font + 5 : 0) + half(edge, end, scale);
}

/** Whether the link is long enough for the names of both ports. */
function roomy(edge, scale) {
  const [a, b] = [edge.source().position(), edge.target().position()];
  const taken = ["from", "to"].map((end) => distance(edge, end, scale) + half(edge, end, scale));
  return Math.hypot(a.x - b.x, a.y - b.y) * scale.zoom > scale.node + taken[0] + taken[1] + 4;
}

export function styleOf(colours, scale) {
  return [nodeStyle(colours, scale), ...stateStyles(colours, scale), edgeStyle(colours, scale)];
}

function nodeStyle(colours, { zoom, node, font, room }) {
  return {
    selector: "node",
    style: {
      shape: "round-rectangle", width: node / zoom, height: node / zoom, "corner-radius": node / 4 / zoom,
      "background-color": colours.raised, "border-color": colours["line-strong"], "border-width": 1.6 / zoom,
      "background-image": (element) => new URL(`${element.data("kind")}.svg`, ICONS).href, "background-fit": "none", "background-width": "74%", "background-height": "74%",
      label: "data(name)", color: colours.text, "font-size": Math.max(1, font) / zoom, "text-opacity": font > 0 ? 1 : 0, "font-weight": 600,
      "font-family": "system-ui, sans-serif", "text-valign": "bottom", "text-margin-y": 4 / zoom, "text-wrap": "wrap", "text-overflow-wrap": "anywhere", "text-max-width": Math.max(40, room - 6) / zoom,
      "text-background-color": colours.panel, "text-background-opacity": 0.8, "text-background-padding": 1 / zoom,
      "overlay-opacity": 0,
    },
  };
}

/** A state is told by colour and by the kind of line; a device at work shines. */
function stateStyles(colours, { zoom }) {
  return [
    { selector: 'node[status = "started"]', style: { "border-color": colours.good } },
    { selector: 'node[status = "stopped"]', style: { "border-style": "dashed", "background-image-opacity": 0.55, color: colours.muted } },
    { selector: 'node[status = "suspended"]', style: { "border-color": colours.warn, "border-style": "dotted" } },
    { selector: "node.chosen", style: { "border-color": colours.accent, "border-width": 3 / zoom } },
    { selector: "node[?busy]", style: { "border-color": colours.accent, "border-width": 2.6 / zoom, "underlay-color": colours.accent, "underlay-opacity": 0.3, "underlay-padding": 8 / zoom } },
  ];
}

function edgeStyle(colours, scale) {
  const { zoom, port } = scale;
  const text = (name) => (edge) => (roomy(edge, scale) ? edge.data(name) : "");
  const offset = (name) => (edge) => distance(edge, name, scale) / zoom;
  return {
    selector: "edge",
    style: {
      "curve-style": "bezier", "control-point-step-size": 26 / zoom, width: 1.6 / zoom, "line-color": colours["line-strong"],
      "source-label": text("from"), "target-label": text("to"), "source-text-offset": offset("from"), "target-text-offset": offset("to"),
      color: colours.muted, "font-size": port / zoom, "font-family": "system-ui, sans-serif",
      "text-background-color": colours.panel, "text-background-opacity": 0.9, "text-background-padding": 1.5 / zoom,
      "overlay-opacity": 0, events: "no",
    },
  };
}
