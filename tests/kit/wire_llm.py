"""A model provider that plays files of its wire, whatever its API, and keeps what it was asked."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

from kit.serving import serving

Json = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """One request: its path, headers (names in lower case) and JSON body."""

    path: str
    headers: dict[str, str]
    body: Json


@dataclass(frozen=True)
class Wire:
    """An answer: its bytes as they go over the wire."""

    body: bytes
    kind: str = "text/event-stream"
    status: int = 200
    hangs: bool = False
    """Whether it falls silent after its bytes."""

    @classmethod
    def of(cls, path: Path) -> Wire:
        kind = "application/x-ndjson" if path.suffix == ".ndjson" else "text/event-stream"
        return cls(path.read_bytes(), kind)

    @classmethod
    def refusal(cls, status: int, body: Any) -> Wire:
        return cls(json.dumps(body).encode(), "application/json", status)

    def until(self, text: str) -> Wire:
        """As far as before the line with this text; then it falls silent."""
        end = self.body.rindex(b"\n", 0, self.body.index(text.encode()))
        return Wire(self.body[: end + 1], self.kind, hangs=True)


@dataclass
class WireLlm:
    """Plays its answers in order, in small pieces, so that no client can rely on whole lines."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    disconnects: int = 0
    _answers: deque[Wire] = field(default_factory=deque)

    def answer(self, *wires: Wire) -> None:
        self._answers.extend(wires)

    async def _play(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(
            Asked(
                request.path_qs, {name.lower(): value for name, value in request.headers.items()}, await request.json()
            )
        )
        wire = self._answers.popleft()
        response = web.StreamResponse(status=wire.status, headers={"Content-Type": wire.kind})
        await response.prepare(request)
        for at in range(0, len(wire.body), 100):
            await response.write(wire.body[at : at + 100])
        if wire.hangs:
            try:
                await asyncio.Event().wait()
            finally:
                self.disconnects += 1
        return response

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[WireLlm]:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/{path:.*}", self._play)
        async with serving(app) as port:
            self.url = f"http://127.0.0.1:{port}"
            yield self
