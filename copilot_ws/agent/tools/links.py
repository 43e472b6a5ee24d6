"""Links of the lab: they are created and deleted, item by item."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from copilot_ws.agent.tools.base import Arguments, Plan, Surroundings, Tool, ToolResult
from copilot_ws.agent.tools.devices import find_node, nodes_of
from copilot_ws.agent.tools.items import MAX_ITEMS, assert_bound, changes, each, the_node
from copilot_ws.labs.base import Link, LinkEnd, Node, Plug
from copilot_ws.labs.ports import port_name
from copilot_ws.wire.errors import CopilotError, NotFound

# creating


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


# deleting


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
        assert_bound(around, str(item), link.link_id)
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


TOOLS = (
    Tool("create_gns3_link", "Links free ports of two nodes.", NewLinks, create_links, changes),
    Tool(
        "delete_gns3_link",
        "Deletes links, after a person has confirmed it.",
        LinkNames,
        delete_links,
        plan_delete_links,
    ),
)
