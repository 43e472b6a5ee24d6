"""The consoles of a server's labs: who holds which, and what was last seen on each."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from copilot_ws.labs.answer import Reply, no_reply
from copilot_ws.labs.base import Node
from copilot_ws.labs.channel import Channel, ConsoleError, Reason
from copilot_ws.labs.dialog import CommandResult, Console
from copilot_ws.labs.keys import ConsoleLimits
from copilot_ws.labs.screen import Tail
from copilot_ws.wire.tasks import TaskSet

__all__ = ["CommandResult", "Console", "ConsoleError", "ConsoleLimits", "Consoles", "Reason", "Reply", "no_reply"]

DEFAULT_LIMITS = ConsoleLimits()
TAIL_LINES = 1000
TAIL_BYTES = 256 << 10


@dataclass(frozen=True, slots=True, eq=False)
class _Ticket:
    """One who holds a console or waits for it; each is itself only."""

    holder: str


@dataclass(slots=True, eq=False)
class _Slot:
    """A node's console. `queue` is its holder, then those who wait, in the lock's own order."""

    tail: Tail = field(default_factory=lambda: Tail(TAIL_LINES, TAIL_BYTES))
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    queue: deque[_Ticket] = field(default_factory=deque)
    forgotten: bool = False


def _console_host(node: Node) -> str:
    return node.console_host


def _see_nothing(_: Node, __: str) -> None:
    return None


def _tell_nobody() -> None:
    return None


class Consoles:
    """The consoles of one server. `host_of` says where a node's console is reached.

    `saw` is told which prompt a console showed at first.
    """

    def __init__(
        self,
        limits: ConsoleLimits = DEFAULT_LIMITS,
        host_of: Callable[[Node], str] = _console_host,
        saw: Callable[[Node, str], None] = _see_nothing,
    ) -> None:
        self._limits = limits
        self._host_of, self._saw = host_of, saw
        self._slots: dict[str, _Slot] = {}
        self._tasks = TaskSet()

    @asynccontextmanager
    async def hold(
        self,
        node: Node,
        holder: str,
        waiting: Callable[[str], None] | None = None,
        somebody: Callable[[], None] | None = None,
    ) -> AsyncIterator[Console]:
        """The node's console at a prompt, for one holder at a time, first come, first served.

        `waiting` is told once who holds the console if it is not free, `somebody` each time that a person who
        types there is waited for. Raises ConsoleError. Before the next
        holder gets it, configuration mode is left and the connection closed, also after a cancellation.
        """
        port = _port(node)
        slot = self._slots.setdefault(node.node_id, _Slot())
        slot.forgotten = False
        ticket = _Ticket(holder)
        if slot.queue and waiting is not None:
            waiting(slot.queue[0].holder)
        slot.queue.append(ticket)
        try:
            async with slot.lock, self._open(node, port, slot.tail, somebody) as console:
                yield console
        finally:
            slot.queue.remove(ticket)
            if slot.forgotten and not slot.queue:
                del self._slots[node.node_id]

    @asynccontextmanager
    async def _open(
        self, node: Node, port: int, tail: Tail, somebody: Callable[[], None] | None
    ) -> AsyncIterator[Console]:
        channel = await Channel.open(node.name, self._host_of(node), port, self._limits.connect, tail.feed)
        tail.reconnect()
        console = Console(node, channel, tail, self._limits, self._tasks, somebody or _tell_nobody)
        try:
            await console.start()
            self._saw(node, console.prompt)
            yield console
        finally:
            await self._tasks.finish(_leave(console, channel), name=f"leave {node.name}")

    def tail(self, node_id: str, lines: int) -> list[str]:
        """The last `lines` lines that were seen on a console, oldest first; none if it was never held."""
        slot = self._slots.get(node_id)
        return slot.tail.last(lines) if slot else []

    def holder(self, node_id: str) -> str | None:
        """Who holds a console, or is about to."""
        slot = self._slots.get(node_id)
        return slot.queue[0].holder if slot and slot.queue else None

    def forget(self, node_ids: Iterable[str]) -> None:
        """Drops what was seen on these consoles; on one that is held, when its last holder has gone."""
        for node_id in node_ids:
            slot = self._slots.get(node_id)
            if slot is not None and slot.queue:
                slot.forgotten = True
            elif slot is not None:
                del self._slots[node_id]


async def _leave(console: Console, channel: Channel) -> None:
    try:
        await console.stop()
    finally:
        await channel.close()


def _port(node: Node) -> int:
    if node.console is None or node.console_type != "telnet":
        raise ConsoleError("refused", f"{node.name} has no telnet console.")
    if node.status != "started":
        raise ConsoleError("refused", f"{node.name} is {node.status}: start it first.")
    return node.console
