"""Building the lab: nodes and links are created, started, stopped, renamed and deleted, item by item."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from pydantic import Field, model_validator

from copilot_ws.agent.tools.base import CHANGES_ALL, Arguments, NoArguments, Plan, Surroundings, Tool, ToolResult
from copilot_ws.agent.tools.devices import find_node, means_another, nodes_of, unknown_device
from copilot_ws.core.ports import DangerLevel
from copilot_ws.labs.base import Link, LinkEnd, Node, Plug, Template
from copilot_ws.labs.ports import port_name
from copilot_ws.wire.errors import Conflict, CopilotError, NotFound

log = logging.getLogger(__name__)

MAX_ITEMS = 50
Work = Callable[[Any], Awaitable[dict[str, Any]]]


async def each(around: Surroundings, items: Sequence[Any], name_of: Callable[[Any], str], work: Work) -> ToolResult:
    """`work` on each item in order; one that fails leaves the others' results as they are.

    What is done is noted at once: a call that is stopped in the middle tells it.
    """
    return summed_up([await attempt(around, name_of(item), work(item)) for item in items])


async def attempt(around: Surroundings, name: str, work: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    """The result of one item; what is done is noted."""
    try:
        done = await work
        around.sent(name, "done")
        return {"name": name, "status": "success", **done}
    except CopilotError as fault:
        return {"name": name, "status": "failed", "error": fault.message}
    except Exception:
        log.exception("an item of a lab tool failed")
        return {"name": name, "status": "failed", "error": "A fault of the server; it is logged."}


def summed_up(results: list[dict[str, Any]]) -> ToolResult:
    failed = all(result["status"] == "failed" for result in results)
    return ToolResult({"results": results}, "error" if failed else "success")


async def changes(_: Surroundings, __: Any) -> Plan:
    return CHANGES_ALL


def shown(node: Node) -> dict[str, Any]:
    return {"name": node.name, "node_id": node.node_id, "state": node.status, "console": node.console}


async def the_node(around: Surroundings, name: str) -> Node:
    nodes = await nodes_of(around)
    node = find_node(nodes, name)
    if node is None:
        raise NotFound(unknown_device(nodes, name))
    _assert_bound(around, name, node.node_id)
    return node


def _assert_bound(around: Surroundings, name: str, found: str) -> None:
    """A person's yes is about what a name meant when they were asked."""
    if around.targets is not None and around.targets.get(name) != found:
        raise Conflict(means_another(name))


# templates


async def templates(around: Surroundings, _: NoArguments) -> ToolResult:
    found = await around.lab.templates(around.caller)
    return ToolResult({"templates": [template.model_dump(mode="json") for template in found]})


# creating


class NewNode(Arguments):
    template: str = Field(description="Name or id of a template, see get_gns3_templates")
    name: str | None = Field(None, description="The node's name; without one the lab finds it")
    x: int = 0
    y: int = 0


class NewNodes(Arguments):
    nodes: list[NewNode] = Field(min_length=1, max_length=MAX_ITEMS)


async def create_nodes(around: Surroundings, arguments: NewNodes) -> ToolResult:
    known = await around.lab.templates(around.caller)

    async def create(item: NewNode) -> dict[str, Any]:
        template = _template(known, item.template)
        node = await around.lab.create_node(
            around.caller, around.project.project_id, template.template_id, item.name, item.x, item.y
        )
        ports = [port.short_name for port in node.ports]
        return {**shown(node), "template": template.name, "ports": ports}

    return await each(around, arguments.nodes, lambda item: item.name or item.template, create)


def _template(known: Sequence[Template], wanted: str) -> Template:
    exact = [t for t in known if wanted.strip().lower() in (t.template_id.lower(), t.name.lower())]
    if not exact:
        names = ", ".join(template.name for template in known)
        raise NotFound(f"There is no template {wanted!r}. The templates: {names}.")
    return exact[0]


class LinkEnds(Arguments):
    node_a: str = Field(description="Name or id of a node")
    port_a: str = Field(description="Its port, such as Gi0/0 or e0")
    node_b: str
    port_b: str


class NewLinks(Arguments):
    links: list[LinkEnds] = Field(min_length=1, max_length=MAX_ITEMS)


async def create_links(around: Surroundings, arguments: NewLinks) -> ToolResult:
    async def create(item: LinkEnds) -> dict[str, Any]:
        one, other = await the_node(around, item.node_a), await the_node(around, item.node_b)
        ends = (Plug(one.node_id, item.port_a), Plug(other.node_id, item.port_b))
        link = await around.lab.create_link(around.caller, around.project.project_id, ends)
        return {"link_id": link.link_id}

    return await each(around, arguments.links, lambda i: f"{i.node_a} {i.port_a} - {i.node_b} {i.port_b}", create)


# states


class NodeNames(Arguments):
    node_ids: list[str] = Field(min_length=1, max_length=MAX_ITEMS, description="Names or ids of nodes")


def _on_nodes(method: str) -> Callable[[Surroundings, NodeNames], Awaitable[ToolResult]]:
    async def run(around: Surroundings, arguments: NodeNames) -> ToolResult:
        async def one(name: str) -> dict[str, Any]:
            node = await the_node(around, name)
            work = getattr(around.lab, method)
            changed = await work(around.caller, around.project.project_id, node.node_id)
            return shown(changed) if changed is not None else {"name": node.name, "state": "deleted"}

        return await each(around, arguments.node_ids, str, one)

    return run


def _asks(verb: str, level: DangerLevel, reason: str = "") -> Callable[[Surroundings, NodeNames], Awaitable[Plan]]:
    """A plan that asks a person about these nodes; with a `reason` each of them is dangerous."""

    async def plan(around: Surroundings, arguments: NodeNames) -> Plan:
        nodes = await nodes_of(around)
        bound = {name: node for name in arguments.node_ids if (node := find_node(nodes, name)) is not None}
        if not bound:
            return Plan(refused=unknown_device(nodes, arguments.node_ids[0]))
        found = list({node.node_id: node for node in bound.values()}.values())
        dangerous = [{"device_name": n.name, "command": verb, "reason": reason} for n in found] if reason else []
        names = ", ".join(node.name for node in found)
        return Plan(
            touches=None,
            changes=True,
            needs_person=True,
            danger_level=level,
            description=f"{verb.capitalize()} {names}",
            dangerous=dangerous,
            targets={name: node.node_id for name, node in bound.items()},
        )

    return plan


class NewName(Arguments):
    node_id: str = Field(description="Name or id of a node")
    name: str = Field(description="Its new name")


class NewNames(Arguments):
    nodes: list[NewName] = Field(min_length=1, max_length=MAX_ITEMS)


async def rename(around: Surroundings, arguments: NewNames) -> ToolResult:
    async def one(item: NewName) -> dict[str, Any]:
        node = await the_node(around, item.node_id)
        renamed = await around.lab.rename_node(around.caller, around.project.project_id, node.node_id, item.name)
        return {**shown(renamed), "was": node.name}

    return await each(around, arguments.nodes, lambda item: item.node_id, one)


# deleting links


class LinkName(Arguments):
    link_id: str | None = Field(None, description="The link's id; or both node names instead")
    node_a: str | None = None
    node_b: str | None = None

    @model_validator(mode="after")
    def _named(self) -> LinkName:
        if self.link_id is None and (self.node_a is None or self.node_b is None):
            raise ValueError("give link_id, or node_a and node_b")
        return self

    def __str__(self) -> str:
        return self.link_id or f"{self.node_a} - {self.node_b}"


class LinkNames(Arguments):
    links: list[LinkName] = Field(min_length=1, max_length=MAX_ITEMS)


async def _link(around: Surroundings, wanted: LinkName) -> Link:
    links = await around.lab.links(around.caller, around.project.project_id)
    if wanted.link_id is not None:
        found = [link for link in links if link.link_id == wanted.link_id]
    else:
        nodes = await nodes_of(around)
        ends = [find_node(nodes, name or "") for name in (wanted.node_a, wanted.node_b)]
        ids = {node.node_id for node in ends if node is not None}
        found = [link for link in links if {end.node_id for end in link.nodes} == ids]
    if len(found) != 1:
        raise NotFound(
            f"There is no link {wanted}." if not found else f"There are {len(found)} links {wanted}: use ids."
        )
    return found[0]


async def delete_links(around: Surroundings, arguments: LinkNames) -> ToolResult:
    async def one(item: LinkName) -> dict[str, Any]:
        link = await _link(around, item)
        _assert_bound(around, str(item), link.link_id)
        await around.lab.delete_link(around.caller, around.project.project_id, link.link_id)
        return {"link_id": link.link_id, "state": "deleted"}

    return await each(around, arguments.links, str, one)


async def plan_delete_links(around: Surroundings, arguments: LinkNames) -> Plan:
    nodes = {node.node_id: node for node in await nodes_of(around)}
    bound: dict[str, Link] = {}
    faults: list[str] = []
    for item in arguments.links:
        try:
            bound[str(item)] = await _link(around, item)
        except CopilotError as fault:
            faults.append(fault.message)
    if not bound:
        return Plan(refused=" ".join(faults))
    found = list({link.link_id: link for link in bound.values()}.values())
    texts = [" - ".join(_end(nodes.get(end.node_id), end) for end in link.nodes) for link in found]
    reason = "The link is removed; what goes over it is cut off."
    return Plan(
        touches=None,
        changes=True,
        needs_person=True,
        danger_level="high",
        description=f"Delete link {', '.join(texts)}",
        dangerous=[{"device_name": text, "command": "delete link", "reason": reason} for text in texts],
        targets={name: link.link_id for name, link in bound.items()},
    )


def _end(node: Node | None, end: LinkEnd) -> str:
    return f"{node.name if node is not None else '?'} {port_name(node, end)}"


GONE = "The node is deleted with its configuration and its links; this cannot be undone."
TOOLS = (
    Tool("get_gns3_templates", "Lists what nodes can be made of.", NoArguments, templates),
    Tool(
        "create_gns3_node", "Creates nodes from templates; they are stopped at first.", NewNodes, create_nodes, changes
    ),
    Tool("create_gns3_link", "Links free ports of two nodes.", NewLinks, create_links, changes),
    Tool(
        "stop_gns3_node",
        "Stops nodes, after a person has confirmed it. What a device has not saved is lost.",
        NodeNames,
        _on_nodes("stop_node"),
        _asks("stop", "medium"),
    ),
    Tool(
        "suspend_gns3_node",
        "Suspends nodes, after a person has confirmed it.",
        NodeNames,
        _on_nodes("suspend_node"),
        _asks("suspend", "medium"),
    ),
    Tool("update_gns3_node_name", "Renames nodes.", NewNames, rename, changes),
    Tool(
        "delete_gns3_node",
        "Deletes nodes for good, after a person has confirmed it.",
        NodeNames,
        _on_nodes("delete_node"),
        _asks("delete", "high", GONE),
    ),
    Tool(
        "delete_gns3_link",
        "Deletes links, after a person has confirmed it.",
        LinkNames,
        delete_links,
        plan_delete_links,
    ),
)
