"""Reading commands: execute_multiple_device_commands, and how both device tools refuse what does not read."""

from __future__ import annotations

from collections.abc import Sequence

from copilot_ws.agent.tools.base import Plan, Surroundings, Tool, ToolResult
from copilot_ws.agent.tools.devices import (
    CommandArguments,
    Drive,
    Entry,
    entry,
    find_node,
    nodes_of,
    on_each_device,
)
from copilot_ws.labs.base import Node
from copilot_ws.labs.console import Console
from copilot_ws.labs.danger import judge_reading

CONFIGURE = "execute_multiple_device_config_commands"
VPCS = "execute_vpcs_commands"


async def plan(around: Surroundings, arguments: CommandArguments) -> Plan:
    """It needs no person: what does not read is refused when it runs."""
    nodes = await nodes_of(around)
    return Plan(touches=frozenset(node.node_id for name in arguments.lines() if (node := find_node(nodes, name))))


async def run(around: Surroundings, arguments: CommandArguments) -> ToolResult:
    async def device(node: Node, lines: list[str]) -> Entry:
        return await read(around, node, lines)

    return await on_each_device(around, arguments.lines(), device)


async def read(around: Surroundings, node: Node, lines: Sequence[str]) -> Entry:
    """Runs the lines that only read, refuses the others."""
    verdicts = [judge_reading(node.platform, line) for line in lines]
    allowed = [verdict.line for verdict in verdicts if verdict.level == "reading"]
    other = VPCS if node.platform == "vpcs" else CONFIGURE
    blocked = [
        {"command": v.line, "reason": f"{v.reason} What changes a device goes through {other}, which asks a person."}
        for v in verdicts
        if v.level != "reading"
    ]
    if not allowed:
        error = "No command was run: each one was refused." if blocked else "There is no command to run."
        return entry(node.name, "failed", error=error, blocked=blocked)
    drive = Drive(around, node, len(allowed))

    async def send_all(console: Console) -> None:
        for line in allowed:
            await drive.send(console, line)

    await drive.run(send_all)
    return drive.entry(blocked)


TOOL = Tool(
    "execute_multiple_device_commands",
    "Runs read-only commands (show, ping, traceroute) on one or more devices, in parallel. "
    f"Commands that change a device are refused: use {CONFIGURE} for them.",
    CommandArguments,
    run,
    plan,
)
