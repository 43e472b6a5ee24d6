"""The server's side of the protocol with canned frames, over real sockets: each connection plays one script."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import msgpack
from aiohttp import WSMsgType, web
from aiohttp.test_utils import TestServer

Frame = dict[str, Any]
TOKEN, PROJECT, RUN, EPOCH = "t0ken-canary", "p-1", "run-1", "e1"
OPENED = {"project_id": PROJECT, "name": "demo", "status": "opened"}
CLOSED = {"project_id": "p-2", "name": "old lab", "status": "closed"}


class Line:
    """One connection, as a script sees it."""

    def __init__(self, server: CannedServer, socket: web.WebSocketResponse, request: web.Request) -> None:
        self.resume = request.query.get("resume")
        self.session_id = ""
        self.seq = 0
        self._server, self._socket, self._request = server, socket, request

    async def send(self, frame: Frame) -> None:
        await self._socket.send_bytes(msgpack.packb(frame))

    async def hello(self, *, seq: int = 0, epoch: str = EPOCH, recovered: bool | None = None, **more: Any) -> None:
        self.seq = seq
        place = {"epoch": epoch, "seq": seq, "recovered": recovered}
        await self.send({"type": "hello", **place, "heartbeat": 15, "limits": {}, **more})

    async def command(self, name: str) -> Frame:
        """The next command, which has to be this one."""
        frame = msgpack.unpackb((await self._socket.receive(timeout=5)).data)
        assert frame["type"] == name, frame
        self._server.commands.append(frame)
        self.session_id = frame.get("session_id", self.session_id)
        return frame

    async def answer(self, command: Frame, result: Any) -> None:
        await self.send({"type": "result", "id": command["id"], "ok": True, "result": result})

    async def refuse(self, command: Frame, message: str, code: str = "session_busy", details: Any = None) -> None:
        error = {"code": code, "message": message, "details": details}
        await self.send({"type": "result", "id": command["id"], "ok": False, "error": error})

    async def accept(self, kind: str = "chat.send") -> Frame:
        """Takes the message, or another command that starts the run."""
        command = await self.command(kind)
        run = {"run_id": RUN, "session_id": self.session_id, "message_id": "m-user", "status": "started"}
        await self.answer(command, run)
        return command

    async def events(self, *events: Frame) -> None:
        """Numbered events of our run."""
        for event in events:
            self.seq += 1
            await self.send({"session_id": self.session_id, "run_id": RUN, "seq": self.seq, **event})

    async def recall(self, messages: list[Frame], *, status: str, seq: int = 0, epoch: str = EPOCH) -> None:
        """Answers what a client asks that has lost its place."""
        await self.answer(await self.command("sessions.get"), {"session_id": self.session_id, "status": status})
        said = [{"id": "m-user", "role": "user", "content": "?"}, *messages]
        history = {"messages": said, "has_more": False, "epoch": epoch, "seq": seq}
        await self.answer(await self.command("sessions.history"), history)

    async def cut(self) -> None:
        """The line breaks without a word, once all that was sent has gone out."""
        await asyncio.sleep(0.05)
        assert self._request.transport is not None
        self._request.transport.abort()

    async def gone(self) -> None:
        """The client has left."""
        assert (await self._socket.receive(timeout=5)).type is WSMsgType.CLOSE

    async def close(self, code: int, reason: str) -> None:
        await self._socket.close(code=code, message=reason.encode())


Script = Callable[[Line], Awaitable[None]]


class CannedServer:
    """Plays `scripts`, one a connection; a failed script fails the test that looks at `faults`."""

    def __init__(self) -> None:
        self.scripts: list[Script] = []
        self.projects: list[Frame] = [OPENED, CLOSED]
        self.commands: list[Frame] = []
        self.faults: list[BaseException] = []
        self.url = ""

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator[CannedServer]:
        app = web.Application()
        app.router.add_get("/v3/projects", self._projects)
        app.router.add_get("/v3/projects/{project_id}/chat/ws", self._socket)
        server = TestServer(app)
        await server.start_server()
        self.url = f"http://127.0.0.1:{server.port}"
        try:
            yield self
        finally:
            await server.close()

    def register(self, data_dir: Path) -> None:
        """What a running server leaves in its data directory."""
        data_dir.joinpath("server.json").write_text(json.dumps({"url": self.url, "token": TOKEN}))

    def _check(self, request: web.Request) -> None:
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            raise web.HTTPUnauthorized
        assert "token" not in request.query

    async def _projects(self, request: web.Request) -> web.Response:
        self._check(request)
        return web.json_response(self.projects)

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        self._check(request)
        assert request.match_info["project_id"] == PROJECT
        if not self.scripts:
            raise web.HTTPBadGateway
        script = self.scripts.pop(0)
        socket = web.WebSocketResponse(protocols=("copilot.v1+msgpack",))
        await socket.prepare(request)
        try:
            await script(Line(self, socket, request))
            await socket.close()
        except (AssertionError, TypeError, ConnectionError) as fault:
            self.faults.append(fault)
        return socket


def content(text: str, message_id: str = "m-1") -> Frame:
    return {"type": "content", "content": text, "message_id": message_id}


def called(call_id: str, name: str, arguments: Any) -> Frame:
    function = {"name": name, "arguments": json.dumps(arguments), "complete": True}
    return {"type": "tool_call", "tool_call": {"id": call_id, "type": "function", "function": function}}


def tool(call_id: str, name: str, output: Any, status: str = "success") -> list[Frame]:
    """A tool's start, its way and its end."""
    whose = {"tool_name": name, "tool_call_id": call_id}
    return [
        {"type": "tool_start", **whose},
        {"type": "tool_progress", **whose, "device_name": "R1", "done": 0, "total": 1, "message": "show ip route"},
        {"type": "tool_end", **whose, "tool_output": json.dumps(output), "status": status, "duration_ms": 812},
    ]


def done(outcome: str = "completed", **more: Any) -> Frame:
    return {"type": "done", "outcome": outcome, "usage": {}, "message_count": 2, **more}
