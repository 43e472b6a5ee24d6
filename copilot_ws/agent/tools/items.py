"""What the tools that build the lab share: a result for each item, and nodes by what a person's yes was about."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from copilot_ws.agent.tools.base import CHANGES_ALL, Plan, Surroundings, ToolResult
from copilot_ws.agent.tools.devices import find_node, means_another, nodes_of, unknown_device
from copilot_ws.labs.base import Node
from copilot_ws.wire.errors import Conflict, CopilotError, NotFound

log = logging.getLogger(__name__)

MAX_ITEMS = 50
Work = Callable[[Any], Awaitable[dict[str, Any]]]


async def each(around: Surroundings, items: Sequence[Any], name_of: Callable[[Any], str], work: Work) -> ToolResult:
    """`work` on each item in order; one that fails leaves the others' results as they are.

    What is begun and what is done is noted at once: a call that is stopped in the middle tells it, and what the lab
    was asked for it may do all the same.
    """

    async def one(item: Any) -> dict[str, Any]:
        around.sent(name_of(item), "begun")
        return await attempt(around, name_of(item), work(item))

    return summed_up([await one(item) for item in items])


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
    assert_bound(around, name, node.node_id)
    return node


def assert_bound(around: Surroundings, name: str, found: str) -> None:
    """A person's yes is about what a name meant when they were asked."""
    if around.targets is not None and around.targets.get(name) != found:
        raise Conflict(means_another(name))
