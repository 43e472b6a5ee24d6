"""Nodes of the lab: they are created, stopped, suspended, renamed and deleted, item by item."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from pydantic import Field

from copilot_ws.agent.tools.base import Arguments, NoArguments, Plan, Surroundings, Tool, ToolResult
from copilot_ws.agent.tools.devices import find_node, nodes_of, unknown_device
from copilot_ws.agent.tools.items import MAX_ITEMS, changes, each, shown, the_node
from copilot_ws.core.ports import DangerLevel
from copilot_ws.labs.base import Template
from copilot_ws.wire.errors import NotFound

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


GONE = "The node is deleted with its configuration and its links; this cannot be undone."
TOOLS = (
    Tool("get_gns3_templates", "Lists what nodes can be made of.", NoArguments, templates),
    Tool(
        "create_gns3_node", "Creates nodes from templates; they are stopped at first.", NewNodes, create_nodes, changes
    ),
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
)
