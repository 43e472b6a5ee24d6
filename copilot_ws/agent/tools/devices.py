"""Running reading commands on several devices at once: one entry per device, whatever happens to the others."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from copilot_ws.agent.readonly import lines_of, refusal
from copilot_ws.agent.tools.base import Arguments, Surroundings, Tool, ToolResult
from copilot_ws.labs.base import Node
from copilot_ws.labs.console import ConsoleError
from copilot_ws.wire.codecs import to_json
from copilot_ws.wire.text import clean, shorten

MAX_PARALLEL = 5


class DeviceCommands(Arguments):
    device_name: str = Field(description="The device's name as in the topology")
    commands: list[str] = Field(description="Commands to run on it, in order", max_length=50)


class ReadArguments(Arguments):
    device_configs: list[DeviceCommands] = Field(min_length=1, max_length=100)


def find_node(nodes: Sequence[Node], name: str) -> Node | None:
    """By name, by id, or by a name that differs only in case and is the only one."""
    exact = [node for node in nodes if name in (node.name, node.node_id)]
    if exact:
        return exact[0]
    alike = [node for node in nodes if node.name.lower() == name.strip().lower()]
    return alike[0] if len(alike) == 1 else None


def _by_device(arguments: ReadArguments) -> dict[str, list[str]]:
    """Lines per device, in the order given; a device named twice has one entry."""
    wanted: dict[str, list[str]] = {}
    for item in arguments.device_configs:
        lines = [line for command in item.commands for line in lines_of(command)]
        wanted.setdefault(item.device_name, []).extend(lines)
    return wanted


async def run_commands(around: Surroundings, arguments: ReadArguments) -> ToolResult:
    nodes = await around.lab.nodes(around.caller, around.project.project_id)
    wanted = _by_device(arguments)
    limit = asyncio.Semaphore(MAX_PARALLEL)

    async def one(name: str, lines: Sequence[str]) -> dict[str, Any]:
        async with limit:
            return await _device(around, nodes, name, lines)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(name, lines)) for name, lines in wanted.items()]
    return device_result([task.result() for task in tasks], around.max_output)


def device_result(entries: list[dict[str, Any]], limit: int) -> ToolResult:
    """The tool's own status is `error` only if every device failed."""
    _fit(entries, limit - len('{"results":}'))
    failed = all(entry["status"] == "failed" for entry in entries)
    return ToolResult({"results": entries}, "error" if failed else "success")


async def _device(around: Surroundings, nodes: Sequence[Node], name: str, lines: Sequence[str]) -> dict[str, Any]:
    node = find_node(nodes, name)
    if node is None:
        known = ", ".join(sorted(item.name for item in nodes)) or "none"
        return _entry(name, "failed", [], f"There is no device {name} in this project. Its devices: {known}.")
    refused = [{"command": line, "reason": reason} for line in lines if (reason := refusal(node.platform, line))]
    allowed = [line for line in lines if refusal(node.platform, line) is None]
    error: str | None
    if not allowed:
        error = "No command was run: each one was refused." if refused else "There is no command to run."
        return _entry(node.name, "failed", [], error, refused)
    outputs, error = await _drive(around, node, allowed)
    status: Literal["success", "partial_success", "failed"] = "success"
    if error or refused:
        status = "partial_success" if outputs else "failed"
    return _entry(node.name, status, outputs, error, refused)


async def _drive(around: Surroundings, node: Node, lines: Sequence[str]) -> tuple[list[str], str | None]:
    """The output of each line that ran, and what ended it early."""
    outputs: list[str] = []

    def waiting(holder: str) -> None:
        text = f"{node.name} is used by another run ({holder}): waiting"
        around.progress(node.name, 0, len(lines), text)

    try:
        async with around.consoles.hold(node, around.session_id, waiting) as console:
            for number, line in enumerate(lines):
                around.progress(node.name, number, len(lines), line)
                result = await console.run(line, **_patience(line))
                outputs.append(_output(console.prompt, line, result.text, result.cut))
            around.progress(node.name, len(lines), len(lines), "done")
    except ConsoleError as fault:
        if fault.partial:
            outputs.append(f"{lines[len(outputs)]}\n{fault.partial}")
        return outputs, fault.message
    return outputs, None


def _patience(line: str) -> Mapping[str, float]:
    """VPCS is silent for as long as it was told to sleep."""
    words = line.lower().split()
    if len(words) == 2 and "sleep".startswith(words[0]) and words[1].isdigit():
        return {"timeout": float(words[1]) + 15}
    return {}


def _output(prompt: str, line: str, text: str, cut: int) -> str:
    rest = f"\n[cut: {cut} more characters]" if cut else ""
    return f"{prompt.strip()} {line}\n{text}{rest}"


def _entry(
    name: str,
    status: str,
    outputs: Sequence[str],
    error: str | None = None,
    blocked: Sequence[dict[str, str]] = (),
) -> dict[str, Any]:
    entry: dict[str, Any] = {"device_name": name, "status": status, "output": clean("\n".join(outputs))}
    if error:
        entry["error"] = error
    if blocked:
        entry["blocked_commands"] = list(blocked)
    return entry


def _fit(entries: list[dict[str, Any]], limit: int) -> None:
    """Cuts outputs, the longest first, until the JSON of all is within `limit` characters; a cut says so."""
    budget = limit
    while budget > 64 and len(to_json(entries)) > limit:
        budget = budget * 3 // 4
        for entry in entries:
            entry["output"] = shorten(entry["output"], budget)


READ = Tool(
    "execute_multiple_device_commands",
    "Runs read-only commands (show, ping, traceroute) on one or more devices, in parallel. "
    "Commands that change a device are refused.",
    ReadArguments,
    run_commands,
)
VPCS = Tool(
    "execute_vpcs_commands",
    "Runs read-only commands (show ip, show arp, ping, trace) on one or more VPCS hosts, in parallel.",
    ReadArguments,
    run_commands,
)
