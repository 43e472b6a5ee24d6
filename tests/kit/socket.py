"""A client of the project's WebSocket that checks the numbering of everything it gets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import aiohttp
import msgpack

from kit.conversation import Turn
from kit.recording import Recording
from kit.waiting import PATIENCE, soon

Json = dict[str, Any]
JSON, MSGPACK = "copilot.v1+json", "copilot.v1+msgpack"


class Refused(Exception):
    """The server answered a command with an error."""

    def __init__(self, error: Json) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.error = error
        self.code: str = error["code"]


class Socket:
    """`events` are those of the feed, `frames` everything; both in the order in which they came."""

    def __init__(
        self,
        socket: aiohttp.ClientWebSocketResponse,
        last_seq: int | None = None,
        recording: Recording | None = None,
    ) -> None:
        self.raw = socket
        self.frames: list[Json] = []
        self.events: list[Json] = []
        self.close_code: int | None = None
        self._binary = socket.protocol == MSGPACK
        self._last_seq = last_seq
        self._recording = recording
        self._last_id = 0
        self._fault: BaseException | None = None
        self._news = asyncio.Condition()
        self._reader: asyncio.Task[None] | None = None

    # reading

    def start_reading(self) -> None:
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            async for message in self.raw:
                self._take(self._decode(message))
                await self._tell()
        except AssertionError as fault:
            self._fault = fault
        self.close_code = self.raw.close_code
        await self._tell()

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()

    def _decode(self, message: aiohttp.WSMessage) -> Json:
        if self._binary:
            assert message.type is aiohttp.WSMsgType.BINARY
            return msgpack.unpackb(message.data)
        assert message.type is aiohttp.WSMsgType.TEXT
        return json.loads(message.data)

    def _take(self, frame: Json) -> None:
        assert bool(self.frames) == (frame["type"] != "hello"), "hello comes once, and first"
        self.frames.append(frame)
        if frame["type"] == "hello":
            if self._recording is not None:
                self._recording.hello(frame, self._last_seq)
            if self._last_seq is None or frame["recovered"] is not True:
                self._last_seq = frame["seq"]
        elif "seq" in frame and frame["type"] != "heartbeat":
            assert frame.get("first_seq", frame["seq"]) == self.seq + 1, f"after {self.seq}: {frame}"
            self._last_seq = frame["seq"]
            self.events.append(frame)
            if self._recording is not None:
                self._recording.event(frame)

    @property
    def hello(self) -> Json:
        return self.frames[0]

    @property
    def seq(self) -> int:
        assert self._last_seq is not None
        return self._last_seq

    @property
    def place(self) -> str:
        """For `?resume=`: what this client has got so far."""
        return f"{self.hello['epoch']}:{self.seq}"

    async def _until(self, found: Callable[[], Any], wanted: str, seconds: float) -> Any:
        def over() -> bool:
            return bool(found() or self._fault or self.close_code is not None)

        try:
            async with asyncio.timeout(seconds), self._news:
                await self._news.wait_for(over)
        except TimeoutError:
            last = [frame["type"] for frame in self.frames[-12:]]
            raise AssertionError(f"not within {seconds} s: {wanted}; the last frames were {last}") from None
        if self._fault is not None:
            raise self._fault
        assert found(), f"the socket closed with {self.close_code} before {wanted}"
        return found()

    async def frame(self, kind: str, number: int = 1, seconds: float = PATIENCE, **fields: Any) -> Json:
        """The first (or so many-th) frame of this type with these fields, received or to come."""

        def found() -> Json | None:
            hits = [f for f in self.frames if f["type"] == kind and fields.items() <= f.items()]
            return hits[number - 1] if len(hits) >= number else None

        return await self._until(found, f"{kind} {fields}", seconds)

    async def reaches(self, seq: int) -> None:
        """Every event up to this one has come."""
        await self._until(lambda: self.seq >= seq, f"the feed reaches {seq}", PATIENCE)

    async def closed(self, seconds: float = PATIENCE) -> int:
        """The code with which the server closes this socket."""
        async with self._news:
            await soon(self._news.wait_for(lambda: self.close_code is not None), "the socket is closed", seconds)
        assert self.close_code is not None
        return self.close_code

    # writing

    async def send(self, frame: Any) -> None:
        if self._binary:
            await self.raw.send_bytes(msgpack.packb(frame))
        else:
            await self.raw.send_str(json.dumps(frame))

    async def begin(self, kind: str, **arguments: Any) -> int:
        """Sends a command without waiting for its result; its id."""
        self._last_id += 1
        await self.send({"id": self._last_id, "type": kind, **arguments})
        return self._last_id

    async def result(self, command_id: int) -> Any:
        """The result of a command. Raises `Refused`."""
        frame = await self.frame("result", id=command_id)
        if not frame["ok"]:
            raise Refused(frame["error"])
        return frame["result"]

    async def command(self, kind: str, **arguments: Any) -> Any:
        return await self.result(await self.begin(kind, **arguments))

    # conversations

    async def chat(self, message: str, **request: Any) -> Json:
        """The result of `chat.send`: the run goes on."""
        return await self.command("chat.send", message=message, **request)

    async def turn(self, message: str, **request: Any) -> Turn:
        """Sends a message and waits for the end of its run."""
        return await self.end_of(await self.chat(message, **request))

    async def end_of(self, sent: Json, seconds: float = PATIENCE) -> Turn:
        """The turn of a message that was sent, once it is over."""
        run_id = sent["run_id"]
        await self.frame("done", run_id=run_id, seconds=seconds)
        events = [event for event in self.events if event.get("run_id") == run_id]
        return Turn(sent["session_id"], run_id, sent["message_id"], events)

    def of(self, kind: str, **fields: Any) -> list[Json]:
        return [event for event in self.events if event["type"] == kind and fields.items() <= event.items()]

    async def close(self) -> None:
        await self.raw.close()
        if self._reader is not None:
            await soon(self._reader, "the socket's reader ends")
        if self._fault is not None:
            raise self._fault

    async def drop(self) -> None:
        """The line breaks: no close frame."""
        transport = self.raw.get_extra_info("socket") and self.raw._response.connection.transport
        transport.abort()
        if self._reader is not None:
            await soon(self._reader, "the socket's reader ends")
