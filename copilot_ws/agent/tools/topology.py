"""gns3_topology_reader: what is in the project, as the lab tells it now."""

from __future__ import annotations

from typing import Any

from copilot_ws.agent.tools.base import NoArguments, Surroundings, Tool, ToolResult
from copilot_ws.labs.base import Caller, Lab, Link, LinkEnd, Node, Project
from copilot_ws.labs.ports import port_name
from copilot_ws.wire.errors import CopilotError


async def read_topology(lab: Lab, caller: Caller, project: Project) -> dict[str, Any]:
    """`{project_name, project_id, status, nodes: [...], links: [...]}`, compact."""
    nodes = await lab.nodes(caller, project.project_id)
    links = await lab.links(caller, project.project_id)
    by_id = {node.node_id: node for node in nodes}
    return {
        "project_name": project.name,
        "project_id": project.project_id,
        "status": project.status,
        "nodes": [_node(node) for node in nodes],
        "links": [_link(link, by_id) for link in links],
    }


async def topology_if_readable(lab: Lab, caller: Caller, project: Project) -> dict[str, Any] | None:
    """The same; None: the lab cannot be asked now."""
    try:
        return await read_topology(lab, caller, project)
    except CopilotError:
        return None


def _node(node: Node) -> dict[str, Any]:
    return {
        "name": node.name,
        "node_id": node.node_id,
        "node_type": node.node_type,
        "platform": node.platform,
        "status": node.status,
        "console_host": node.console_host,
        "console": node.console,
    }


def _link(link: Link, nodes: dict[str, Node]) -> dict[str, Any]:
    ends = [_end(nodes.get(end.node_id), end) for end in link.nodes]
    return {"link_id": link.link_id, "endpoints": ends}


def _end(node: Node | None, end: LinkEnd) -> dict[str, str]:
    return {"node": node.name if node is not None else end.node_id, "port": port_name(node, end)}


async def _run(around: Surroundings, _: NoArguments) -> ToolResult:
    return ToolResult(await read_topology(around.lab, around.caller, around.project))


TOOL = Tool(
    "gns3_topology_reader",
    "Reads the topology of the current project: its nodes with their state and console, and its links.",
    NoArguments,
    _run,
)
