"""SSE responses: what a feed holds after a place, then what comes, until the stream or the server ends it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator

from aiohttp import web

from copilot_ws.commands.registry import ChatContext
from copilot_ws.core.feed import Cursor, Event
from copilot_ws.transport.auth import until_refused
from copilot_ws.transport.connections import CLOSE_SECONDS, EXPIRED, NOT_AUTHENTICATED, PROJECT_CLOSED, farewell
from copilot_ws.transport.joining import hello, place
from copilot_ws.transport.keys import AUTHENTICATOR, CONNECTIONS, identity_of
from copilot_ws.wire.codecs import JSON, to_json
from copilot_ws.wire.times import utcnow

HEADERS = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}
WRITE_BYTES = 64 * 1024


def unnumbered(event: Event) -> bytes:
    """An event that is not of the feed: a client's place stays what it was."""
    return b"data: " + to_json(event) + b"\n\n"


def _numbered(epoch: str, seq: int, data: bytes) -> bytes:
    return b"id: %s:%d\ndata: %s\n\n" % (epoch.encode(), seq, data)


class EventStream:
    """One response. Its subclass says which of the user's events it carries, and which one is the last."""

    def __init__(self, request: web.Request, context: ChatContext) -> None:
        self.project_id = context.workspace.project.project_id
        self._request, self._context = request, context
        self._feed = context.workspace.feed(context.user_id)
        self._heartbeat = context.system.settings.heartbeat
        self._cursor: Cursor | None = None
        self._last_words: bytes | None = None
        self._last_call: asyncio.TimerHandle | None = None

    def _carries(self, event: Event) -> bool:
        raise NotImplementedError

    def _ends(self, event: Event) -> bool:
        raise NotImplementedError

    def _beat(self, cursor: Cursor) -> Event:
        """The heartbeat of a stream that has been quiet."""
        raise NotImplementedError

    def end(self, code: int, reason: str) -> None:
        """What is ready is still sent, then why it ends; a client that does not take it is cut off."""
        if self._last_words is None:
            self._finish(unnumbered(farewell(code, reason)))
            self._last_call = asyncio.get_running_loop().call_later(CLOSE_SECONDS, self._abort)

    def _finish(self, last_words: bytes) -> None:
        self._last_words = last_words
        if self._cursor is not None:
            self._cursor.notify()

    def _cut(self) -> None:
        """A reader that is too slow: it can come back after its last id."""
        self._finish(b"")
        self._abort()

    def _abort(self) -> None:
        if self._request.transport is not None:
            self._request.transport.abort()

    @contextlib.contextmanager
    def _reading(self, after: int) -> Iterator[Cursor]:
        """A place in the feed, held while the stream is one of the server's connections."""
        connections = self._request.app[CONNECTIONS]
        cursor = self._cursor = self._feed.cursor(after, self._cut)
        connections.add(self)
        try:
            yield cursor
        finally:
            connections.remove(self)
            cursor.close()
            if self._last_call is not None:
                self._last_call.cancel()

    async def send(self, after: int, first: bytes = b"", headers: dict[str, str] | None = None) -> web.StreamResponse:
        """Streams `first`, then what follows number `after`."""
        response = web.StreamResponse(headers={**HEADERS, **(headers or {})})
        with self._reading(after) as cursor:
            await response.prepare(self._request)
            async with asyncio.TaskGroup() as group:
                watcher = group.create_task(self._check_again(), name="token check")
                with contextlib.suppress(ConnectionError):
                    if first:
                        await response.write(first)
                    await self._send_events(response, cursor)
                    await response.write_eof()
                watcher.cancel()
        return response

    async def _check_again(self) -> None:
        """A token that ends takes its stream along; runs go on."""
        await until_refused(self._request.app[AUTHENTICATOR], identity_of(self._request))
        self.end(NOT_AUTHENTICATED, EXPIRED)

    async def _send_events(self, response: web.StreamResponse, cursor: Cursor) -> None:
        loop, ended = asyncio.get_running_loop(), False
        quiet_until = loop.time() + self._heartbeat
        while not ended:
            frames, ended = self._take(cursor)
            if not frames:
                if self._last_words is not None:
                    await response.write(self._last_words)
                    return
                if await cursor.wait(quiet_until):
                    continue
                frames = unnumbered(self._beat(cursor))
            await response.write(frames)
            quiet_until = loop.time() + self._heartbeat

    def _take(self, cursor: Cursor) -> tuple[bytes, bool]:
        """The frames that are ready, up to `WRITE_BYTES`, and whether the stream ends after them."""
        frames = bytearray()
        while len(frames) < WRITE_BYTES and (entry := cursor.take()) is not None:
            if self._carries(entry.event):
                frames += _numbered(self._feed.epoch, entry.seq, entry.encoded(JSON))
                if self._ends(entry.event):
                    return bytes(frames), True
        return bytes(frames), False


class SessionStream(EventStream):
    """The events of one session, until the `done` of the run that is followed."""

    def __init__(self, request: web.Request, context: ChatContext, session_id: str, run_id: str) -> None:
        super().__init__(request, context)
        self._session_id, self._run_id = session_id, run_id

    def end(self, code: int, reason: str) -> None:
        """A closed project stops its runs, whose `done` ends the stream: only then has the client seen all."""
        if code != PROJECT_CLOSED:
            super().end(code, reason)

    def _carries(self, event: Event) -> bool:
        return bool(event.get("session_id") == self._session_id)

    def _ends(self, event: Event) -> bool:
        if event["type"] == "session_deleted":
            return True
        return bool(event["type"] == "done" and event["run_id"] == self._run_id)

    def _beat(self, cursor: Cursor) -> Event:
        return {"type": "heartbeat", "session_id": self._session_id, "ts": utcnow()}


class FeedStream(EventStream):
    """All of the user's events, as on a WebSocket: hello first, then without an end of its own."""

    async def join(self, resume: str | None) -> web.StreamResponse:
        """The id of `hello` is where the client stands: one that goes before the first event comes back there."""
        recovered, after = place(self._feed, resume)
        greeting = hello(self._context, "sse", JSON, recovered)
        return await self.send(after, _numbered(self._feed.epoch, after, to_json(greeting)))

    def _carries(self, event: Event) -> bool:
        return True

    def _ends(self, event: Event) -> bool:
        return False

    def _beat(self, cursor: Cursor) -> Event:
        return {"type": "heartbeat", "seq": cursor.seq, "ts": utcnow()}
