"""One WebSocket a project: negotiation, hello, the feed's events, and commands answered exactly once."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import replace
from typing import Any

from aiohttp import WSCloseCode, WSMessage, WSMsgType, web

from copilot_ws.commands import CHAT
from copilot_ws.commands.registry import Answered, ChatContext
from copilot_ws.core.feed import SLOW_SECONDS, Cursor
from copilot_ws.core.workspace import Workspace
from copilot_ws.transport.auth import Identity, check_origin, token_of, until_refused
from copilot_ws.transport.connections import (
    CLOSE_SECONDS,
    EXPIRED,
    GOING_AWAY,
    NOT_AUTHENTICATED,
    PROJECT_CLOSED,
    TOO_SLOW,
    farewell,
)
from copilot_ws.transport.joining import hello, place
from copilot_ws.transport.keys import AUTHENTICATOR, CONNECTIONS, IDENTITY, SYSTEM
from copilot_ws.wire.codecs import CODECS, Codec, negotiate
from copilot_ws.wire.errors import BadRequest, CopilotError, LabError, Unauthorized
from copilot_ws.wire.models import validated
from copilot_ws.wire.peer import Call, Close, Greet, Peer, Send, failure, result
from copilot_ws.wire.times import utcnow

log = logging.getLogger(__name__)

HELLO_SECONDS = 10.0
MAX_COMMANDS = 16
MAX_REASON = 123


async def handle(request: web.Request) -> web.StreamResponse:
    """`GET /v3/projects/{project_id}/chat/ws`. Raises before the upgrade what REST would raise."""
    system = request.app[SYSTEM]
    identity: Identity | None = request.get(IDENTITY)
    found = token_of(request)
    check_origin(request, found[1] if found else None, system.settings.allowed_origins, socket=True)
    offers = request.headers.get("Sec-WebSocket-Protocol", "")
    codec = negotiate(part.strip() for part in offers.split(",") if part.strip())
    if identity is not None:
        await system.workspaces.of(identity.caller, request.match_info["project_id"])
    if codec is None:
        raise BadRequest(f"None of the subprotocols offered is known. Known: {', '.join(CODECS)}.")
    socket = web.WebSocketResponse(
        protocols=(codec.subprotocol,) if offers else (),
        compress=False,
        max_msg_size=system.settings.max_frame,
        heartbeat=60.0,
        timeout=CLOSE_SECONDS,
        decode_text=False,  # text that is no UTF-8 is a bad frame, not the end of the connection
    )
    if not socket.can_prepare(request):
        raise BadRequest("This address speaks WebSocket.")
    await socket.prepare(request)
    connection = Connection(request, socket, codec, identity)
    connections = request.app[CONNECTIONS]
    connections.add(connection)
    try:
        await connection.serve()
    finally:
        connections.remove(connection)
    return socket


class _Ended(Exception):
    """The connection is to be closed with this code."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


class Connection:
    """One socket. Its reader and its writer live in one task group and die together.

    What it has read as a command is done, also when the client has gone meanwhile: those tasks are the server's.
    """

    def __init__(
        self, request: web.Request, socket: web.WebSocketResponse, codec: Codec, identity: Identity | None
    ) -> None:
        self.project_id = request.match_info["project_id"]
        self._request, self._socket, self._codec = request, socket, codec
        self._system = request.app[SYSTEM]
        self._identity = identity
        self._peer = Peer(codec, authenticated=identity is not None)
        self._tasks = request.app[CONNECTIONS].commands
        self._commands = asyncio.Semaphore(MAX_COMMANDS)
        self._replying = asyncio.Lock()
        self._ended: _Ended | None = None
        self._ending = asyncio.Event()

    def end(self, code: int, reason: str) -> None:
        """Begins to close; the first reason wins."""
        if self._ended is None:
            self._ended = _Ended(code, reason)
            self._ending.set()

    async def serve(self) -> None:
        """Runs until the client goes or the server ends it; then the socket is closed."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._until_ended(), name="socket end")
                await self._session(group)
        except BaseExceptionGroup as faults:
            self._explain(faults)
        if self._ended is not None:
            await self._close(self._ended.code, self._ended.reason)

    async def _until_ended(self) -> None:
        await self._ending.wait()
        assert self._ended is not None
        raise self._ended

    def _explain(self, faults: BaseExceptionGroup[BaseException]) -> None:
        ended = next((fault for fault in faults.exceptions if isinstance(fault, _Ended)), None)
        if ended is not None:
            self.end(ended.code, ended.reason)
        elif not all(isinstance(fault, ConnectionError) for fault in faults.exceptions):
            log.error("a socket failed", exc_info=faults)
            self.end(WSCloseCode.INTERNAL_ERROR, "internal error")

    async def _close(self, code: int, reason: str) -> None:
        """A client that does not read cannot keep its socket open: after a while the line is cut."""
        transport = self._request.transport
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._socket.close(code=code, message=_short(reason), drain=False)
        except (TimeoutError, ConnectionError):
            pass
        finally:
            if transport is not None:
                transport.abort()

    async def _session(self, group: asyncio.TaskGroup) -> None:
        resume: Any = self._request.query.get("resume")
        if self._identity is None:
            self._identity, resume = await self._greeting()
        identity = self._identity
        context = ChatContext(self._system, identity.caller, await self._workspace(identity))
        cursor, greeting = self._join(context, resume)
        try:
            await self._send(greeting)
            group.create_task(self._write(cursor), name="socket writer")
            group.create_task(self._check_again(identity), name="token check")
            await self._read(context)
        finally:
            cursor.close()
        raise _Ended(WSCloseCode.OK, "")

    async def _greeting(self) -> tuple[Identity, Any]:
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                message = await self._socket.receive()
        except TimeoutError:
            raise _Ended(NOT_AUTHENTICATED, "no hello within 10 s") from None
        action = self._take(message)
        if action is None:
            raise _Ended(WSCloseCode.OK, "")
        if isinstance(action, Close):
            raise _Ended(action.code, action.reason)
        assert isinstance(action, Greet)
        try:
            identity = await self._request.app[AUTHENTICATOR].identify(action.token)
        except Unauthorized as refused:
            raise _Ended(NOT_AUTHENTICATED, refused.message) from None
        except LabError as away:
            raise _Ended(WSCloseCode.INTERNAL_ERROR, away.message) from None
        return identity, action.resume

    async def _workspace(self, identity: Identity) -> Workspace:
        try:
            return await self._system.workspaces.of(identity.caller, self.project_id)
        except CopilotError as refused:
            if refused.status == 503:
                raise _Ended(GOING_AWAY, refused.message) from None
            if isinstance(refused, LabError):
                raise _Ended(WSCloseCode.INTERNAL_ERROR, refused.message) from None
            raise _Ended(PROJECT_CLOSED, refused.message) from None

    def _join(self, context: ChatContext, resume: Any) -> tuple[Cursor, dict[str, Any]]:
        """The cursor and the first frame, made in one step."""
        feed = context.workspace.feed(context.user_id)
        recovered, after = place(feed, resume)
        cursor = feed.cursor(after, lambda: self.end(TOO_SLOW, "too slow: resume to catch up"))
        return cursor, hello(context, "websocket", self._codec, recovered)

    # in

    def _take(self, message: WSMessage) -> Call | Greet | Send | Close | None:
        """What a message asks for; None: the connection has ended."""
        if message.type is WSMsgType.TEXT:
            return self._peer.receive(message.data, binary=False)
        if message.type is WSMsgType.BINARY:
            return self._peer.receive(message.data, binary=True)
        if message.type is WSMsgType.ERROR and not self._socket.closed:
            raise ConnectionResetError("the socket broke")
        return None

    async def _read(self, context: ChatContext) -> None:
        while (action := self._take(await self._socket.receive())) is not None:
            if isinstance(action, Call):
                await self._commands.acquire()
                self._tasks.spawn(self._run(context, action), name=f"command {action.name}")
            elif isinstance(action, Send):
                await self._send(action.frame)
            elif isinstance(action, Close):
                raise _Ended(action.code, action.reason)

    async def _run(self, context: ChatContext, call: Call) -> None:
        """Answers one command, whatever happens."""
        try:
            frame = result(call.id, await self._execute(context, call))
        except CopilotError as refused:
            frame = failure(call.id, refused.shape())
        except Exception:
            log.exception("command %s failed", call.name)
            frame = failure(call.id, CopilotError("The server failed to do this; the fault is logged.").shape())
        try:
            await self._reply(frame)
        finally:
            self._commands.release()

    async def _reply(self, frame: dict[str, Any]) -> None:
        """One reply at a time; a client that does not take it is too slow."""
        try:
            async with asyncio.timeout(SLOW_SECONDS), self._replying:
                with contextlib.suppress(ConnectionError):  # the client has gone: the reader ends the connection
                    await self._send(frame)
        except TimeoutError:
            self.end(TOO_SLOW, "too slow: replies are not read")

    async def _execute(self, context: ChatContext, call: Call) -> Any:
        command = CHAT.get(call.name)
        if command is None:
            raise _UnknownCommand(f"There is no command {call.name[:64]!r}. Known: {', '.join(sorted(CHAT))}.")
        workspace = await self._system.workspaces.of(context.caller, self.project_id)
        most = self._system.settings.max_message
        arguments = validated(command.schema, call.arguments, max_message=most)
        answer = await command.handler(replace(context, workspace=workspace), arguments)
        return answer.value if isinstance(answer, Answered) else answer

    # out

    async def _send(self, frame: dict[str, Any]) -> None:
        await self._send_bytes(self._codec.encode(frame))

    async def _send_bytes(self, data: bytes) -> None:
        kind = WSMsgType.BINARY if self._codec.binary else WSMsgType.TEXT
        await self._socket.send_frame(data, kind)

    async def _write(self, cursor: Cursor) -> None:
        loop, heartbeat = asyncio.get_running_loop(), self._system.settings.heartbeat
        while True:
            while (entry := cursor.take()) is not None:
                await self._send_bytes(entry.encoded(self._codec))
            if not await cursor.wait(loop.time() + heartbeat):
                await self._send({"type": "heartbeat", "seq": cursor.seq, "ts": utcnow()})

    async def _check_again(self, identity: Identity) -> None:
        """A token that ends takes its socket along; runs go on."""
        await until_refused(self._request.app[AUTHENTICATOR], identity)
        with contextlib.suppress(ConnectionError):
            await self._send(farewell(NOT_AUTHENTICATED, EXPIRED))
        raise _Ended(NOT_AUTHENTICATED, EXPIRED)


def _short(reason: str) -> bytes:
    """What fits into a close frame, in whole characters."""
    return reason.encode()[:MAX_REASON].decode(errors="ignore").encode()


class _UnknownCommand(BadRequest):
    code = "unknown_command"
