"""What the device tools share: who is meant, lines per device, driving consoles side by side, one entry per device."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal

from pydantic import Field

from copilot_ws.agent.tools.base import Arguments, Surroundings, ToolResult
from copilot_ws.labs.base import Node, Platform
from copilot_ws.labs.console import Console, ConsoleError, Reply, no_reply
from copilot_ws.labs.danger import lines_of
from copilot_ws.wire.codecs import to_json
from copilot_ws.wire.text import clean, shorten

EntryStatus = Literal["success", "partial_success", "failed"]
Entry = dict[str, Any]


class DeviceCommands(Arguments):
    device_name: str = Field(description="The device's name as in the topology")
    commands: list[str] = Field(description="Commands to run on it, in order", max_length=50)


class CommandArguments(Arguments):
    device_configs: list[DeviceCommands] = Field(min_length=1, max_length=100)

    def lines(self) -> dict[str, list[str]]:
        """Lines per device, in the order given; a device named twice has one entry."""
        return lines_by_device((item.device_name, item.commands) for item in self.device_configs)


def lines_by_device(items: Any) -> dict[str, list[str]]:
    wanted: dict[str, list[str]] = {}
    for name, commands in items:
        wanted.setdefault(name, []).extend(lines_of(commands))
    return wanted


def find_node(nodes: Sequence[Node], name: str) -> Node | None:
    """By name, by id, or by a name that differs only in case and is the only one."""
    exact = [node for node in nodes if name in (node.name, node.node_id)]
    if exact:
        return exact[0]
    alike = [node for node in nodes if node.name.lower() == name.strip().lower()]
    return alike[0] if len(alike) == 1 else None


async def nodes_of(around: Surroundings) -> list[Node]:
    return await around.lab.nodes(around.caller, around.project.project_id)


def means_another(name: str) -> str:
    return f"{name} does not mean what it meant when this call was looked at: nothing was done there."


def unknown_device(nodes: Sequence[Node], name: str) -> str:
    known = ", ".join(sorted(node.name for node in nodes)) or "none"
    return f"There is no device {name} in this project. Its devices: {known}."


async def on_each_device(
    around: Surroundings, wanted: dict[str, list[str]], work: Callable[[Node, list[str]], Awaitable[Entry]]
) -> ToolResult:
    """`work` on every device, side by side; the tool's own status is `error` only if every device failed."""
    nodes = await nodes_of(around)
    slots = asyncio.Semaphore(around.max_parallel)

    async def one(name: str, lines: list[str]) -> Entry:
        node = find_node(nodes, name)
        if node is None:
            return entry(name, "failed", error=unknown_device(nodes, name))
        if around.targets is not None and around.targets.get(name) != node.node_id:
            return entry(name, "failed", error=means_another(name))
        async with slots:
            return await work(node, lines)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(name, lines), name=f"device {name}") for name, lines in wanted.items()]
    entries = [task.result() for task in tasks]
    _fit(entries, around.max_output - len('{"results":}'))
    failed = all(found["status"] == "failed" for found in entries)
    return ToolResult({"results": entries}, "error" if failed else "success")


def entry(
    name: str,
    status: EntryStatus,
    outputs: Sequence[str] = (),
    error: str | None = None,
    blocked: Sequence[dict[str, str]] = (),
    warning: str | None = None,
) -> Entry:
    found: Entry = {"device_name": name, "status": status, "output": clean("\n".join(outputs))}
    if error:
        found["error"] = error
    if blocked:
        found["blocked_commands"] = list(blocked)
    if warning:
        found["warning"] = warning
    return found


class Drive:
    """One device's console while its lines are sent: what came back, and what ended it early."""

    def __init__(self, around: Surroundings, node: Node, total: int) -> None:
        self.outputs: list[str] = []
        self.error: str | None = None
        self.restarted = False
        self._around, self._node, self._total = around, node, total
        self._done = 0

    async def run(self, work: Callable[[Console], Awaitable[str | None]]) -> None:
        """`work` on the console, held for this run; it may return why it stopped. Faults become `error`."""
        node = self._node

        def waiting(holder: str) -> None:
            whose = "another of your runs" if holder == self._around.holder else "another user's run"
            self._progress(f"{node.name} is used by {whose}: waiting")

        try:
            async with self._around.consoles.hold(node, self._around.holder, waiting) as console:
                self.error = await work(console)
                self._progress("done" if self.error is None else self.error)
        except ConsoleError as fault:
            if fault.partial:
                self.outputs.append(fault.partial)
            self.error = fault.message

    async def send(self, console: Console, line: str, reply: Reply = no_reply) -> str:
        """Sends one line and keeps what the device answers, which is returned too.

        A console that closes after a question was answered is a restart: `restarted`, and no fault.
        """
        answered = False

        def replying(question: str) -> str | None:
            nonlocal answered
            text = reply(question)
            answered = answered or text is not None
            return text

        self._progress(line)
        self._around.sent(self._node.name, line)
        shown = f"{console.prompt} {line}"
        try:
            result = await console.run(line, patience(self._node.platform, line), replying)
        except ConsoleError as fault:
            self.outputs.append(shown)
            if fault.reason != "closed" or not answered:
                raise
            self.restarted, self._done = True, self._done + 1
            self.outputs.append(f"{fault.partial}\n[{self._node.name} closed its console: it restarts]")
            return ""
        except ValueError as fault:  # nothing was sent
            raise ConsoleError("refused", f"{line[:80]!r} cannot be sent: {fault}") from None
        self._done += 1
        cut = f"\n[cut: {result.cut} more characters]" if result.cut else ""
        self.outputs.append(f"{shown}\n{result.text}{cut}" if result.text or cut else shown)
        return result.text

    def not_taken(self) -> None:
        """The device has refused the line that was sent last."""
        self._done -= 1

    def _progress(self, text: str) -> None:
        self._around.progress(self._node.name, self._done, self._total, text)

    def entry(self, blocked: Sequence[dict[str, str]] = (), warning: str | None = None) -> Entry:
        status: EntryStatus = "success"
        if self.error or blocked:
            status = "partial_success" if self._done else "failed"
        return entry(self._node.name, status, self.outputs, self.error, blocked, warning)


LONGEST_SLEEP = 120.0
_SLEEP = re.compile(r"sl\w* +(\d{1,5})$", re.IGNORECASE)


def patience(platform: Platform, line: str) -> float | None:
    """Seconds of silence that this line may take, None: the usual. VPCS is silent for as long as it sleeps."""
    sleep = _SLEEP.match(line) if platform == "vpcs" else None
    return min(float(sleep[1]), LONGEST_SLEEP) + 15 if sleep else None


def _fit(entries: Sequence[Entry], limit: int) -> None:
    """Cuts outputs, the longest first, until the JSON of all is within `limit` characters; a cut says so."""
    budget = limit
    while budget > 64 and len(to_json(entries)) > limit:
        budget = budget * 3 // 4
        for found in entries:
            found["output"] = shorten(found["output"], budget)
