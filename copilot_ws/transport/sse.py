"""Server-sent events: a session's stream, begun by a message or attached to later."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator

from aiohttp import web

from copilot_ws.commands.registry import ChatContext
from copilot_ws.core.feed import Cursor, Event, Feed
from copilot_ws.transport.connections import PROJECT_CLOSED
from copilot_ws.transport.keys import CONNECTIONS
from copilot_ws.transport.rest import CHAT_PREFIXES, body_of, chat_context, json_response
from copilot_ws.wire.codecs import JSON, to_json
from copilot_ws.wire.models import ChatRequest, validated
from copilot_ws.wire.peer import Resume
from copilot_ws.wire.times import utcnow

HEADERS = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}
WRITE_BYTES = 64 * 1024


async def post_stream(request: web.Request) -> web.StreamResponse:
    """POST /stream: a message; its events, or with `stream: false` its result when it has ended."""
    context = await chat_context(request)
    most = context.system.settings.max_message
    asked = validated(ChatRequest, await body_of(request), max_message=most)
    sent = await context.workspace.runs.send(context.caller, asked)
    if asked.stream:
        stream = SessionStream(request, context, sent["session_id"], sent["run_id"])
        return await stream.send(_before_run(context, sent))
    await context.workspace.runs.answered(sent["session_id"], sent["run_id"])
    return json_response(await context.workspace.result(sent["session_id"], sent["run_id"]))


def _before_run(context: ChatContext, sent: dict[str, str]) -> int | None:
    """The number after which the run's events come; None for one that ended and is no longer in the feed."""
    feed = context.workspace.feed(context.user_id)
    live = context.workspace.runs.live(sent["session_id"])
    if live is not None and live.run_id == sent["run_id"]:
        return live.first_seq - 1 if feed.keeps(live.first_seq - 1) else None
    if any(run["run_id"] == sent["run_id"] for run in context.workspace.runs.of_user(context.user_id)):
        return feed.seq  # it is queued
    for event in feed.events_after(0):
        if event["type"] == "run_started" and event["run_id"] == sent["run_id"]:
            return int(event["seq"]) - 1
    return None


async def get_stream(request: web.Request) -> web.StreamResponse:
    """GET /sessions/{session_id}/stream: the session's run, from its start or after Last-Event-ID."""
    context = await chat_context(request)
    session_id = request.match_info["session_id"]
    await context.workspace.session(context.user_id, session_id)
    feed = context.workspace.feed(context.user_id)
    live = context.workspace.runs.live(session_id)
    after = live.first_seq - 1 if live is not None else feed.seq
    if (given := request.headers.get("Last-Event-ID")) is not None:
        place = Resume.parse(given)
        after = place.seq if place is not None and place.epoch == feed.epoch else -1
    if not feed.keeps(after):
        return await SessionStream(request, context, session_id, None).send(None)
    run_id = _next_run(feed, session_id, after) or (live.run_id if live is not None else None)
    if run_id is None:
        return web.Response(status=204)
    return await SessionStream(request, context, session_id, run_id).send(after)


def _next_run(feed: Feed, session_id: str, after: int) -> str | None:
    for event in feed.events_after(after):
        if event.get("session_id") == session_id and "run_id" in event:
            return str(event["run_id"])
    return None


class SessionStream:
    """The events of one session, until the `done` of the run that is followed."""

    def __init__(self, request: web.Request, context: ChatContext, session_id: str, run_id: str | None) -> None:
        self.project_id = context.workspace.project.project_id
        self._request = request
        self._feed = context.workspace.feed(context.user_id)
        self._heartbeat = context.system.settings.heartbeat
        self._session_id, self._run_id = session_id, run_id
        self._cursor: Cursor | None = None
        self._gone = False

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

    def end(self, code: int, reason: str) -> None:
        """A closed project stops its runs, whose `done` ends the stream: only then has the client seen all."""
        if code == PROJECT_CLOSED and self._run_id is not None:
            return
        self._gone = True
        if self._cursor is not None:
            self._cursor.notify()

    def _cut(self) -> None:
        """A reader that is too slow: it can attach again after its last id."""
        self.end(0, "too slow")
        if self._request.transport is not None:
            self._request.transport.abort()

    async def send(self, after: int | None) -> web.StreamResponse:
        """Streams what follows number `after`; None: it is lost, which the client is told."""
        response = web.StreamResponse(headers=HEADERS)
        await response.prepare(self._request)
        with contextlib.suppress(ConnectionError):
            if after is None:
                await response.write(_data({"type": "replay_lost", "session_id": self._session_id}))
            else:
                with self._reading(after) as cursor:
                    await self._send_events(response, cursor)
            await response.write_eof()
        return response

    async def _send_events(self, response: web.StreamResponse, cursor: Cursor) -> None:
        loop, ended = asyncio.get_running_loop(), False
        quiet_until = loop.time() + self._heartbeat
        while not ended:
            frames, ended = self._take(cursor)
            if not frames:
                if self._gone:
                    return
                if await self._news(cursor, quiet_until):
                    continue
                frames = _data({"type": "heartbeat", "session_id": self._session_id, "ts": utcnow()})
            await response.write(frames)
            quiet_until = loop.time() + self._heartbeat

    def _take(self, cursor: Cursor) -> tuple[bytes, bool]:
        """The frames that are ready, up to `WRITE_BYTES`, and whether the stream ends after them."""
        frames = bytearray()
        while len(frames) < WRITE_BYTES and (entry := cursor.take()) is not None:
            if entry.event.get("session_id") != self._session_id:
                continue
            frames += b"id: %s:%d\ndata: %s\n\n" % (
                self._feed.epoch.encode(),
                entry.seq,
                entry.encoded(JSON),
            )
            if self._ends(entry.event):
                return bytes(frames), True
        return bytes(frames), False

    def _ends(self, event: Event) -> bool:
        if event["type"] == "session_deleted":
            return True
        return bool(event["type"] == "done" and event["run_id"] == self._run_id)

    @staticmethod
    async def _news(cursor: Cursor, until: float) -> bool:
        """Whether the feed has anything new by then; it may be another session's."""
        try:
            async with asyncio.timeout_at(until):
                await cursor.wait()
        except TimeoutError:
            return False
        return True


def _data(event: Event) -> bytes:
    """An event without a number."""
    return b"data: " + to_json(event) + b"\n\n"


def add_routes(app: web.Application) -> None:
    for prefix in CHAT_PREFIXES:
        app.router.add_post(f"{prefix}/stream", post_stream)
        app.router.add_get(f"{prefix}/sessions/{{session_id}}/stream", get_stream)
