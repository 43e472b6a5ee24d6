"""start_gns3_node: starts nodes side by side and waits until their consoles answer, telling how far they are."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from copilot_ws.agent.tools.base import Surroundings, Tool, ToolResult
from copilot_ws.agent.tools.items import attempt, changes, shown, summed_up, the_node
from copilot_ws.agent.tools.nodes import NodeNames
from copilot_ws.labs.base import Node
from copilot_ws.labs.console import ConsoleError

READY_SECONDS: Final = 240.0
"""A router under software emulation boots for minutes."""
TELL_SECONDS: Final = 3.0
PAUSE_SECONDS: Final = 1.0
NO_COMMAND_LINE: Final = frozenset(
    ("ethernet_switch", "ethernet_hub", "frame_relay_switch", "atm_switch", "cloud", "nat")
)


async def start_nodes(around: Surroundings, arguments: NodeNames) -> ToolResult:
    slots = asyncio.Semaphore(around.max_parallel)

    async def start(name: str) -> dict[str, Any]:
        async with slots:
            found = await the_node(around, name)
            around.progress(found.name, 0, 1, "starting")
            node = await around.lab.start_node(around.caller, around.project.project_id, found.node_id)
        return {**shown(node), **await _ready(around, node)}

    names = list(dict.fromkeys(arguments.node_ids))
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(attempt(around, name, start(name)), name=f"start {name}") for name in names]
    return summed_up([task.result() for task in tasks])


async def _ready(around: Surroundings, node: Node) -> dict[str, Any]:
    """`ready` and after how many `seconds`, with a `note` where a person has to see to it; {}: it has no console."""
    if node.console is None or node.console_type != "telnet" or node.node_type in NO_COMMAND_LINE:
        return {}
    clock = asyncio.get_running_loop().time
    begun = clock()
    async with asyncio.TaskGroup() as group:
        teller = group.create_task(_tell(around, node, begun), name=f"tell of {node.name}")
        try:
            async with asyncio.timeout(READY_SECONDS):
                note = await _until_it_answers(around, node)
        except TimeoutError:
            last = _last_line(around, node)
            note = f"Started, but its console has shown no prompt within {READY_SECONDS:.0f} s. Last seen: {last!r}"
            return {"ready": False, "note": note}
        finally:
            teller.cancel()
    around.progress(node.name, 1, 1, "ready")
    return {"ready": True, "seconds": round(clock() - begun, 1), **({"note": note} if note else {})}


async def _until_it_answers(around: Surroundings, node: Node) -> str:
    """What keeps its console from being used although it answers; "" for nothing."""
    while True:
        try:
            async with around.consoles.hold(node, around.holder):
                return ""
        except ConsoleError as fault:
            if fault.reason in ("login_required", "busy_question"):
                return fault.message
        await asyncio.sleep(PAUSE_SECONDS)


async def _tell(around: Surroundings, node: Node, begun: float) -> None:
    while True:
        await asyncio.sleep(TELL_SECONDS)
        seconds = asyncio.get_running_loop().time() - begun
        seen = _last_line(around, node)
        around.progress(node.name, 0, 1, f"boots for {seconds:.0f} s{f': {seen}' if seen else ''}")


def _last_line(around: Surroundings, node: Node) -> str:
    lines = [line for line in around.consoles.tail(node.node_id, 5) if line.strip()]
    return lines[-1].strip()[:120] if lines else ""


TOOL = Tool(
    "start_gns3_node",
    "Starts nodes, and returns when their consoles answer.",
    NodeNames,
    start_nodes,
    changes,
)
