/** The lab at a glance: nodes with their state, links as text. */

import { currentProject } from "../state/select.js";
import { byId, h } from "./dom.js";
import { icon } from "./icons.js";

export function createLabPanel(app) {
  const root = byId("lab");
  let shown = [];

  function update(state) {
    const project = currentProject(state);
    const now = [state.lab, project?.name, project?.status];
    if (shown.length > 0 && now.every((value, at) => value === shown[at])) return;
    shown = now;
    if (project?.status !== "opened") return void root.replaceChildren(h("div", { class: "lab-head" }, h("h2", {}, project?.name ?? "")));
    const again = h("button", { type: "button", class: "icon-button small", "aria-label": "Refresh the lab", on: { click: () => app.lab.read() } }, icon("refresh"));
    root.replaceChildren(h("div", { class: "lab-head" }, h("h2", {}, project?.name ?? "Lab"), again), ...content(state.lab));
  }

  return { update };
}

function content(lab) {
  if (!lab) return [];
  if (lab.error) return [h("p", { class: "lab-note" }, lab.error)];
  const nodes = [...lab.nodes].sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
  const names = new Map(nodes.map((node) => [node.node_id, node.name]));
  return [
    h("h3", {}, `Nodes ${nodes.length}`),
    h("ul", { class: "nodes" }, ...nodes.map(nodeRow)),
    h("h3", {}, `Links ${lab.links.length}`),
    h("ul", { class: "links" }, ...lab.links.map((link) => linkRow(link, names))),
  ];
}

function nodeRow(node) {
  return h("li", {}, h("span", { class: "dot", data: { node: node.status } }), h("span", { class: "node-name" }, node.name),
    h("span", { class: "node-kind" }, node.platform ?? node.node_type ?? ""), h("span", { class: "node-state" }, node.status));
}

function linkRow(link, names) {
  const end = (one) => h("span", { class: "link-end" }, h("b", {}, names.get(one.node_id) ?? "?"), ` ${port(one)}`);
  const [a, b] = link.nodes;
  return h("li", {}, end(a), h("span", { class: "link-line", role: "img", "aria-label": "to" }), b ? end(b) : "");
}

const port = (one) => one.label?.text ?? `${one.adapter_number}/${one.port_number}`;
