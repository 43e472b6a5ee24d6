/** Cytoscape on one element: takes pictures (`state/topology.js`), brings only differences to the screen, keeps the view. */

import { coloursOf, scaleOf, spaceIn, styleOf } from "./graph_style.js";

/** Around the places of the nodes (px): their own size, names below them, the buttons in the corner. */
const MARGIN = { side: 44, top: 32, bottom: 88 };
const CLOSEST = 1.4; // zoom of a picture with few nodes
const SCHEME = "(prefers-color-scheme: dark)";

/** @param {(nodeId: string) => void} onTap */
export function createGraph(cytoscape, container, onTap) {
  const cy = cytoscape({ container, autoungrabify: true, boxSelectionEnabled: false, minZoom: 0.02, maxZoom: 4, style: [] });
  const scheme = matchMedia(SCHEME);
  const size = new ResizeObserver(resized);
  let colours = coloursOf(container);
  let space = 0;
  let moved = false; // by a person: the view is theirs until they ask for the whole
  let due = 0;

  function draw() {
    due = 0;
    cy.style(styleOf(colours, scaleOf(cy.zoom(), space)));
  }

  const soon = () => (due ||= requestAnimationFrame(draw));

  function fit() {
    moved = false;
    cy.viewport(viewOf(cy.nodes().map((node) => node.position()), cy.width(), cy.height()));
    draw();
  }

  function resized() {
    cy.resize();
    if (!moved && cy.width() > 0) fit();
  }

  function recolour() {
    colours = coloursOf(container);
    draw();
  }

  function show(picture, chosen) {
    const first = cy.elements().empty();
    const changed = bring(cy, picture, chosen, first);
    if (first && !picture.placed) cy.layout({ name: "cose", animate: false, randomize: false, fit: false }).run();
    if (changed || first) space = spaceIn(cy.nodes().map((node) => node.position()));
    if ((changed || first) && !moved) fit();
    else soon();
  }

  cy.on("zoom", soon);
  cy.on("dragpan scrollzoom pinchzoom", () => (moved = true));
  cy.on("tap", "node", (event) => onTap(event.target.id()));
  cy.on("mouseover", "node", () => container.classList.add("over-node"));
  cy.on("mouseout", "node", () => container.classList.remove("over-node"));
  scheme.addEventListener("change", recolour);
  size.observe(container);
  return {
    show,
    fit,
    recolour,
    zoom(factor) {
      moved = true;
      cy.zoom({ level: cy.zoom() * factor, renderedPosition: { x: cy.width() / 2, y: cy.height() / 2 } });
    },
    destroy() {
      cancelAnimationFrame(due);
      scheme.removeEventListener("change", recolour);
      size.disconnect();
      cy.destroy();
    },
  };
}

/** The view that shows all places. Sizes do not count: they follow the zoom. */
function viewOf(places, width, height) {
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const [across, down] = [width - 2 * MARGIN.side, height - MARGIN.top - MARGIN.bottom].map((room) => Math.max(room, 10));
  const zoom = Math.min(CLOSEST, across / (right - left), down / (bottom - top));
  return { zoom, pan: { x: width / 2 - (zoom * (left + right)) / 2, y: MARGIN.top + down / 2 - (zoom * (top + bottom)) / 2 } };
}

/** @returns {boolean} whether something came, went or moved */
function bring(cy, { placed, nodes, edges }, chosen, first) {
  const there = new Set([...nodes, ...edges].map((one) => one.id));
  const away = cy.elements().filter((element) => !there.has(element.id()));
  let changed = away.nonempty();
  cy.batch(() => {
    away.remove();
    for (const { position, ...data } of nodes) changed = bringNode(cy, data, position, placed, first) || changed;
    for (const data of edges) changed = bringEdge(cy, data) || changed;
    cy.nodes().forEach((node) => void node.toggleClass("chosen", node.id() === chosen));
  });
  return changed;
}

/** Where nobody gives nodes places, those that are there stay, and a new one comes beside them. */
function bringNode(cy, data, position, placed, first) {
  const known = cy.getElementById(data.id);
  if (known.empty()) {
    cy.add({ group: "nodes", data, position: placed || first ? position : besideOf(cy) });
    return true;
  }
  known.data(data);
  const { x, y } = known.position();
  if (!placed || (x === position.x && y === position.y)) return false;
  known.position(position);
  return true;
}

function besideOf(cy) {
  const { x2, y1, y2 } = cy.nodes().boundingBox();
  return { x: x2 + 80, y: (y1 + y2) / 2 };
}

function bringEdge(cy, data) {
  const known = cy.getElementById(data.id);
  if (known.nonempty()) {
    known.data({ from: data.from, to: data.to });
    return false;
  }
  cy.add({ group: "edges", data });
  return true;
}
