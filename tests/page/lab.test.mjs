/** The lab's picture and words, which devices are at work, and what the page says of its connection. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { busyNodes, targetsOf } from "../../static/js/state/busy.js";
import { newCall } from "../../static/js/state/items.js";
import { initialState, reducer } from "../../static/js/state/reducer.js";
import { statusOf, wordOf } from "../../static/js/state/status.js";
import { changedLab, freePorts, kindOf, neighbours, pictureOf } from "../../static/js/state/topology.js";
import { scaleOf, spaceIn } from "../../static/js/ui/lab/graph_style.js";

const port = (short) => ({ name: short, short_name: short });
const node = (name, x = 0, fields = {}) => ({ node_id: `id-${name}`, name, status: "started", node_type: "dynamips", platform: "ios", x, y: 0, ports: [port("Gi0/0"), port("Gi0/1")], ...fields });
const end = (name, text) => ({ node_id: `id-${name}`, adapter_number: 0, port_number: 1, label: text ? { text } : undefined });
const link = (a, b, from = "Gi0/1", to = "Gi0/0") => ({ link_id: `${a}-${b}`, nodes: [end(a, from), ...(b ? [end(b, to)] : [])] });
const lab = { nodes: [node("R1", 0), node("R2", 100), node("PC1", 200)], links: [link("R1", "R2")], error: null };

for (const [kind, fields] of [
  ["router", { symbol: ":/symbols/router.svg", node_type: "dynamips" }],
  ["router", { symbol: "", node_type: "iou", platform: "ios" }],
  ["switch", { symbol: ":/symbols/multilayer_switch.svg", node_type: "qemu" }],
  ["switch", { node_type: "ethernet_hub" }],
  ["cloud", { node_type: "nat" }],
  ["cloud", { symbol: ":/symbols/cloud.svg" }],
  ["host", { symbol: ":/symbols/vpcs_guest.svg", node_type: "vpcs", platform: "vpcs" }],
  ["host", { node_type: "docker", platform: "linux" }],
]) test(`${JSON.stringify(fields)} is a ${kind}`, () => assert.equal(kindOf(fields), kind));

test("nodes stand where GNS3 has them, links say their ports at both ends", () => {
  const { placed, nodes, edges } = pictureOf(lab, new Set(["id-R2"]));
  assert.equal(placed, true);
  assert.deepEqual(nodes[1], { id: "id-R2", name: "R2", kind: "router", status: "started", busy: true, position: { x: 100, y: 0 } });
  assert.deepEqual(edges, [{ id: "R1-R2", source: "id-R1", target: "id-R2", from: "Gi0/1", to: "Gi0/0" }]);
});

test("a link without a second end, or to a node that is not there, is not drawn", () => {
  assert.deepEqual(pictureOf({ ...lab, links: [link("R1"), link("R1", "R9")] }, new Set()).edges, []);
});

test("without places the nodes stand apart", () => {
  const { placed, nodes } = pictureOf({ ...lab, nodes: lab.nodes.map((one) => ({ ...one, x: 0 })) }, new Set());
  assert.equal(placed, false);
  assert.ok(spaceIn(nodes.map((one) => one.position)) > 50);
});

test("of two nodes at one place both are seen, and they make no other one smaller", () => {
  const { nodes } = pictureOf({ ...lab, nodes: [...lab.nodes, node("R3", 100)] }, new Set());
  assert.notDeepEqual(nodes[3].position, nodes[1].position);
  const near = [{ x: 0, y: 0 }, { x: 1, y: 0 }, ...[1, 2, 3, 4, 5, 6].map((at) => ({ x: at * 150, y: 900 }))];
  assert.equal(spaceIn(near), 150);
});

test("a port without a label is named by its numbers", () => {
  const [wire] = neighbours({ ...lab, links: [link("R1", "R2", "")] }, "id-R1");
  assert.deepEqual([wire.port, wire.node.name, wire.farPort], ["0/1", "R2", "Gi0/0"]);
  assert.deepEqual(freePorts(lab, lab.nodes[0]), ["Gi0/0"]);
});

test("an event changes, adds and takes away, and keeps what it does not name", () => {
  const stopped = { ...lab.nodes[0], status: "stopped" };
  const after = changedLab(lab, { nodes: [stopped, node("SW1")], links: [link("R1", "PC1", "Gi0/0", "e0")], gone: ["id-R2"] });
  assert.deepEqual(after.nodes.map((one) => [one.name, one.status]), [["R1", "stopped"], ["PC1", "started"], ["SW1", "started"]]);
  assert.deepEqual(after.links.map((one) => one.link_id), ["R1-PC1"], "a node takes its links with it");
  assert.equal(after.nodes[1], lab.nodes[2]);
});

test("topology_updated reaches the state, and its numbers count", () => {
  const known = [{ type: "hello", hello: { epoch: "e", seq: 0, recovered: null } }, { type: "lab", lab }].reduce(reducer, initialState());
  const event = { type: "topology_updated", seq: 1, session_id: "", nodes: [], links: [], gone: ["id-PC1"] };
  const state = reducer(known, { type: "event", event });
  assert.deepEqual([state.lab.nodes.length, state.feed.seq], [2, 1]);
  assert.equal(reducer(state, { type: "event", event }), state);
});

const call = (args, fields = {}) => newCall("c1", "tool", { args: JSON.stringify(args), state: "running", ...fields });

for (const [name, args, targets] of [
  ["devices", { device_configs: [{ device_name: "R1", commands: ["show clock"] }, { device_name: "R2", commands: [] }] }, ["R1", "R2"]],
  ["names or ids", { node_ids: ["R1", "id-R2", 3] }, ["R1", "id-R2"]],
  ["nodes to rename", { nodes: [{ node_id: "R1", name: "Core" }] }, ["R1"]],
  ["links", { links: [{ node_a: "R1", port_a: "Gi0/0", node_b: "R2", port_b: "Gi0/0" }, { link_id: "R1-R2" }] }, ["R1", "R2", "R1-R2"]],
  ["nothing", { nodes: "R1", links: [null] }, []],
]) test(`a call's targets: ${name}`, () => assert.deepEqual(targetsOf(call(args)), targets));

test("busy are the devices of calls that run, of every session's live run", () => {
  const transcript = (...calls) => ({ items: [{ kind: "user", id: "u" }, { kind: "assistant", id: "a", calls }] });
  const state = {
    lab, runs: { s1: {}, s2: {} }, work: {},
    transcripts: {
      s1: transcript(call({ node_ids: ["pc1"] }), call({ node_ids: ["R2"] }, { state: "ready" })),
      s2: transcript(call({ links: [{ link_id: "R1-R2" }] })),
      s3: transcript(call({ node_ids: ["R9"] })),
    },
  };
  assert.equal(busyNodes(state), "id-PC1\nid-R1\nid-R2");
  assert.equal(busyNodes({ ...state, runs: { s3: {} } }), "");
  assert.equal(busyNodes({ ...state, lab: null }), "");
});

test("busy are also the devices of calls in chats that were never opened, as long as they run", () => {
  const told = (...events) => events.map((event, at) => ({ type: "event", event: { session_id: "s", run_id: "r", seq: at + 1, ...event } }));
  const begun = [{ type: "hello", hello: { epoch: "e", seq: 0, recovered: null, runs: [{ session_id: "s", run_id: "r", status: "running" }] } }, { type: "lab", lab }];
  const asked = (complete) => ({ type: "tool_call", tool_call: { id: "c1", function: { name: "tool", arguments: '{"node_ids": ["r1"]}', complete } } });
  const busy = (...events) => busyNodes([...begun, ...told(...events)].reduce(reducer, initialState()));
  const start = { type: "tool_start", tool_call_id: "c1" }, end = { type: "tool_end", tool_call_id: "c1" };
  assert.equal(busy(asked(true)), "", "it waits");
  assert.equal(busy(asked(true), start), "id-R1");
  assert.equal(busy(asked(true), start, { type: "tool_progress", tool_call_id: "c1", device_name: "PC1" }), "id-PC1\nid-R1");
  assert.equal(busy({ type: "tool_progress", tool_call_id: "c1", device_name: "R2" }), "id-R2", "seen from its middle on");
  assert.equal(busy(asked(true), start, end), "");
  assert.equal(busy(asked(true), start, { type: "done" }), "");
  assert.equal(busy(asked(true), start, { type: "session_deleted" }), "");
});

test("sizes keep their pixels while the zoom changes, as far as the nodes leave room", () => {
  assert.equal(scaleOf(1, 200).node, scaleOf(2, 200).node);
  assert.ok(scaleOf(0.1, 200).node < scaleOf(1, 200).node);
  assert.equal(scaleOf(0.05, 200).font, 0, "names that would cover each other are not shown");
});

const link_ = (fields = {}) => ({ way: "socket", retryAt: null, stopping: false, ...fields });
for (const [connection, link, online, word, key] of [
  ["connected", link_(), true, null, "status.connected"],
  ["connected", link_({ way: "stream" }), true, null, "status.stream"],
  ["connected", link_(), true, wordOf({ recovered: true }), "status.caught_up"],
  ["connected", link_(), true, wordOf({ recovered: false }), "status.reloaded"],
  ["connecting", link_(), true, null, "status.connecting"],
  ["reconnecting", link_({ retryAt: 1 }), true, null, "status.reconnecting"],
  ["reconnecting", link_({ retryAt: 1 }), false, null, "status.offline"],
  ["reconnecting", link_(), false, null, "status.reconnecting"],
  ["reconnecting", link_({ retryAt: 1, stopping: true }), true, null, "status.stopping"],
  ["idle", link_(), true, null, "status.idle"],
]) test(`${connection}, ${JSON.stringify(link)}, ${online ? "online" : "offline"}, ${word}: ${key}`, () => assert.equal(statusOf({ connection, link }, online, word), key));

test("a first hello is worth no word", () => assert.equal(wordOf({ recovered: null }), null));
