"""The open streams of the server, so that it can end them: by project, or all."""

from __future__ import annotations

import asyncio
from typing import Protocol

GOING_AWAY, PROJECT_CLOSED = 1001, 4403


class Stream(Protocol):
    """A WebSocket or an SSE response."""

    project_id: str

    def end(self, code: int, reason: str) -> None:
        """Begins to close; returns at once."""


class Connections:
    def __init__(self) -> None:
        self._streams: set[Stream] = set()
        self._empty = asyncio.Event()
        self._empty.set()

    def add(self, stream: Stream) -> None:
        self._streams.add(stream)
        self._empty.clear()

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
        for stream in tuple(self._streams):
            stream.end(GOING_AWAY, "the server is stopping")
        try:
            async with asyncio.timeout(seconds):
                await self._empty.wait()
        except TimeoutError:
            return
