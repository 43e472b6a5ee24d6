/**
 * The lab's nodes and links, in GNS3's shapes, as a picture and as words. Pure.
 *
 * @typedef {{nodes: Object[], links: Object[], error: string|null}} Lab
 * @typedef {"router"|"switch"|"host"|"cloud"} Kind
 */

/** @type {[Kind, RegExp][]} */
const KINDS = [
  ["cloud", /cloud|\bnat\b/],
  ["switch", /switch|hub/],
  ["router", /router|firewall|dynamips|\biou?s?\b|\basa/],
];

/** What a node is, as far as its symbol, type and platform tell. @returns {Kind} */
export function kindOf({ symbol = "", node_type = "", platform = "" }) {
  const text = `${symbol} ${node_type} ${platform}`.toLowerCase();
  return KINDS.find(([, pattern]) => pattern.test(text))?.[0] ?? "host";
}

export const portOf = (end) => end.label?.text || `${end.adapter_number}/${end.port_number}`;

export const byName = (nodes) => [...nodes].sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));

/** An event `topology_updated`: the nodes and links that changed, whole, and the ids of those that have gone. @param {Lab} lab */
export function changedLab(lab, { nodes = [], links = [], gone = [] }) {
  const away = new Set(gone);
  const kept = merged(lab.nodes, nodes, "node_id").filter((node) => !away.has(node.node_id));
  const standing = new Set(kept.map((node) => node.node_id));
  const whole = (link) => !away.has(link.link_id) && link.nodes.every((end) => standing.has(end.node_id));
  return { ...lab, nodes: kept, links: merged(lab.links, links, "link_id").filter(whole) };
}

function merged(known, fresh, key) {
  const changes = new Map(fresh.map((one) => [one[key], one]));
  const added = fresh.filter((one) => !known.some((other) => other[key] === one[key]));
  return [...known.map((one) => changes.get(one[key]) ?? one), ...added];
}

/** Links between two nodes that are there: one that is being made has a single end. @param {Lab} lab */
export function wiring({ nodes, links }) {
  const there = new Set(nodes.map((node) => node.node_id));
  return links.filter(({ nodes: ends }) => ends.length === 2 && ends.every((end) => there.has(end.node_id)));
}

/** The links of a node: its port, the other node and that one's port. */
export function neighbours(lab, nodeId) {
  return wiring(lab).flatMap(({ link_id: id, nodes: [a, b] }) =>
    [[a, b], [b, a]].filter(([near]) => near.node_id === nodeId).map(([near, far]) => ({
      id: `${id}.${portOf(near)}`, port: portOf(near), node: lab.nodes.find((node) => node.node_id === far.node_id), farPort: portOf(far),
    })));
}

/** The names of a node's ports that no link uses. */
export function freePorts(lab, node) {
  const used = new Set(neighbours(lab, node.node_id).map((one) => one.port));
  return (node.ports ?? []).map((port) => port.short_name ?? port.name).filter((name) => !used.has(name));
}

/**
 * What is drawn. `placed` is false where nobody has given the nodes places: they stand in a circle then.
 * @param {Lab} lab @param {Set<string>} busy  ids of nodes
 */
export function pictureOf(lab, busy) {
  const placed = lab.nodes.length < 2 || lab.nodes.some((node) => node.x !== lab.nodes[0].x || node.y !== lab.nodes[0].y);
  const places = placed ? apart(lab.nodes) : lab.nodes.map((_, at) => inCircle(at, lab.nodes.length));
  const nodes = lab.nodes.map((node, at) => ({
    id: node.node_id, name: node.name, kind: kindOf(node), status: node.status, busy: busy.has(node.node_id), position: places[at],
  }));
  const edges = wiring(lab).map(({ link_id: id, nodes: [a, b] }) => ({ id, source: a.node_id, target: b.node_id, from: portOf(a), to: portOf(b) }));
  return { placed, nodes, edges };
}

/** Places as in GNS3; of several nodes at the same one, each is seen. */
function apart(nodes) {
  const taken = new Map();
  return nodes.map(({ x, y }) => {
    const before = taken.get(`${x} ${y}`) ?? 0;
    taken.set(`${x} ${y}`, before + 1);
    return { x: x + 60 * before, y: y + 60 * before };
  });
}

function inCircle(at, count) {
  const angle = (2 * Math.PI * at) / count;
  return { x: Math.round(40 * count * Math.cos(angle)), y: Math.round(40 * count * Math.sin(angle)) };
}
