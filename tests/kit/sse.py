"""A reader of server-sent events."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp

from kit.recording import Recording
from kit.waiting import PATIENCE, soon

Json = dict[str, Any]


class Sse:
    """`events` are those of the feed, `unnumbered` those without an id (heartbeats, `replay_lost`).

    `ids` are those of `hello`, where there is one, and of the events.
    """

    def __init__(self, response: aiohttp.ClientResponse, recording: Recording | None = None) -> None:
        self.status, self.headers = response.status, response.headers
        self.events: list[Json] = []
        self.ids: list[str] = []
        self.hello: Json = {}
        self.unnumbered: list[Json] = []
        self._response, self._recording = response, recording
        self._frames = self._read()

    async def _read(self) -> AsyncIterator[Json]:
        event_id: str | None = None
        async for line in self._lines():
            key, _, value = line.partition(": ")
            if key == "id":
                event_id = value
            elif key == "data":
                event = json.loads(value)
                self._keep(event_id, event)
                yield event
            else:
                event_id = None

    async def _lines(self) -> AsyncIterator[str]:
        """aiohttp's own lines have a limit that a frame may pass."""
        rest = b""
        async for data in self._response.content.iter_any():
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                yield line.decode()

    def _keep(self, event_id: str | None, event: Json) -> None:
        if event_id is None:
            self.unnumbered.append(event)
            return
        epoch, _, seq = event_id.rpartition(":")
        self.ids.append(event_id)
        if event["type"] == "hello":
            assert self.ids == [event_id], "hello comes once, and first"
            self.hello = event
            if self._recording is not None:
                self._recording.hello(event, int(seq))
            return
        assert seq == str(event["seq"])
        self.events.append(event)
        if self._recording is not None:
            self._recording.event(event, epoch)

    async def until(self, kind: str, seconds: float = PATIENCE) -> Json:
        """Reads up to the next event of this type."""

        async def find() -> Json:
            async for event in self._frames:
                if event["type"] == kind:
                    return event
            raise AssertionError(f"the stream ended without {kind}")

        return await soon(find(), f"{kind} in the stream", seconds)

    async def rest(self, seconds: float = PATIENCE) -> list[Json]:
        """Reads to the end of the stream; all events with an id."""

        async def read() -> None:
            async for _ in self._frames:
                pass

        await soon(read(), "the end of the stream", seconds)
        return self.events

    def leave(self) -> None:
        """The client goes away in the middle."""
        self._response.close()
