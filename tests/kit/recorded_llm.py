"""A model provider that plays recordings of its wire, whatever its API, and keeps what it was asked."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

Json = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """One request: its path, headers (names in lower case) and JSON body."""

    path: str
    headers: dict[str, str]
    body: Json


@dataclass(frozen=True)
class Recording:
    """An answer: the bytes as they came over the wire."""

    body: bytes
    kind: str = "text/event-stream"
    status: int = 200
    hangs: bool = False
    """Whether it falls silent after its bytes."""

    @classmethod
    def of(cls, path: Path) -> Recording:
        kind = "application/x-ndjson" if path.suffix == ".ndjson" else "text/event-stream"
        return cls(path.read_bytes(), kind)


@dataclass
class RecordedLlm:
    """Plays its answers in order, in small pieces, so that no client can rely on whole lines."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    disconnects: int = 0
    _answers: deque[Recording] = field(default_factory=deque)

    def answer(self, *recordings: Recording) -> None:
        self._answers.extend(recordings)

    async def _play(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(
            Asked(
                request.path_qs, {name.lower(): value for name, value in request.headers.items()}, await request.json()
            )
        )
        recording = self._answers.popleft()
        if recording.status != 200:
            return web.Response(body=recording.body, status=recording.status, content_type="application/json")
        response = web.StreamResponse(headers={"Content-Type": recording.kind})
        await response.prepare(request)
        for at in range(0, len(recording.body), 100):
            await response.write(recording.body[at : at + 100])
        if recording.hangs:
            try:
                await asyncio.Event().wait()
            finally:
                self.disconnects += 1
        return response

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[RecordedLlm]:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/{path:.*}", self._play)
        runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield self
        finally:
            await runner.cleanup()
