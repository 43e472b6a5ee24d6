"""The open streams of the server, so that it can end them: by project, or all; and how it says why."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Protocol

from copilot_ws.wire.tasks import TaskSet

GOING_AWAY, NOT_AUTHENTICATED, PROJECT_CLOSED, TOO_SLOW = 1001, 4401, 4403, 4408
CLOSE_SECONDS = 5.0
EXPIRED = "your token has expired"
STOPPING = (GOING_AWAY, "the server is stopping")

_ERRORS = {GOING_AWAY: "shutting_down", NOT_AUTHENTICATED: "token_expired", PROJECT_CLOSED: "project_not_opened"}


class Stream(Protocol):
    """A WebSocket or an SSE response."""

    project_id: str

    def end(self, code: int, reason: str) -> None:
        """Begins to close; returns at once."""


def farewell(code: int, reason: str) -> dict[str, Any]:
    """The last event of a stream that the server ends, without a number."""
    return {"type": "error", "error": f"{reason[:1].upper()}{reason[1:]}.", "code": _ERRORS[code]}


class Connections:
    """`commands` are what clients have asked for by their sockets: done to their end, whoever is still there."""

    def __init__(self) -> None:
        self.commands = TaskSet()
        self._streams: set[Stream] = set()
        self._stopping = False
        self._empty = asyncio.Event()
        self._empty.set()

    def add(self, stream: Stream) -> None:
        self._streams.add(stream)
        self._empty.clear()
        if self._stopping:
            stream.end(*STOPPING)

    def remove(self, stream: Stream) -> None:
        self._streams.discard(stream)
        if not self._streams:
            self._empty.set()

    def end_project(self, project_id: str, reason: str) -> None:
        for stream in tuple(self._streams):
            if stream.project_id == project_id:
                stream.end(PROJECT_CLOSED, reason)

    async def end_all(self, seconds: float) -> None:
        """Tells every client that the server goes away; returns when all have gone, or after `seconds`."""
        self._stopping = True
        end = asyncio.get_running_loop().time() + seconds
        for stream in tuple(self._streams):
            stream.end(*STOPPING)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(end):
                await self._empty.wait()
        await self.commands.drain(max(0.0, end - asyncio.get_running_loop().time()))
