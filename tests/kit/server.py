"""The server under test, inside the test's own loop or as a process, and its users."""

from __future__ import annotations

import asyncio
import json
import socket as sockets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import aiohttp
import jwt
from aiohttp.test_utils import TestServer
from yarl import URL

from copilot_ws.app import create_app
from copilot_ws.settings import Settings
from kit.conversation import assert_valid
from kit.golden import Golden
from kit.recording import Recording
from kit.socket import JSON, Socket
from kit.sse import Sse
from kit.waiting import PATIENCE, eventually

Json = dict[str, Any]
API_KEY = "sk-canary-5d0e7c41"
JWT_SECRET = "a-secret-of-the-tests-that-is-long-enough"
GNS3_SECRET = "the-secret-of-a-scripted-gns3-server"


def jwt_token(user_id: str, *, seconds: float = 3600, secret: str = JWT_SECRET, **claims: Any) -> str:
    return jwt.encode({"sub": user_id, "exp": time.time() + seconds, **claims}, secret, algorithm="HS256")


@dataclass(frozen=True)
class Reply:
    """An HTTP answer that has been read."""

    status: int
    headers: Any
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def code(self) -> str:
        """That of an error, which is always `{message, code, details}`."""
        error = self.json
        assert error.keys() == {"message", "code", "details"}
        return str(error["code"])


@dataclass
class User:
    """One person's access to one project of a server."""

    url: str
    token: str | None
    project_id: str
    http: aiohttp.ClientSession = field(repr=False)
    golden: ClassVar[Golden | None] = None
    """Checks what each client got against REST; set for the time of a test run."""

    # REST

    async def rest(self, method: str, path: str, body: Any = None, **options: Any) -> Reply:
        """`path` is sent as it is written, already percent-encoded."""
        if body is not None:
            options["json"] = body
        options = {"allow_redirects": False, **self._with_token(options)}
        async with self.http.request(method, self._url(path), **options) as answer:
            return Reply(answer.status, answer.headers, await answer.text())

    async def chat(self, method: str, path: str, body: Any = None, **options: Any) -> Reply:
        """A route of the project's chat."""
        return await self.rest(method, self.chat_path(path), body, **options)

    async def got(self, path: str) -> Any:
        """The JSON at a chat route that must be there."""
        answer = await self.chat("GET", path)
        assert answer.status == 200, answer.text
        return answer.json

    async def session(self, session_id: str) -> Json:
        return await self.got(f"/sessions/{session_id}")

    async def conversation(self, session_id: str, **query: Any) -> Json:
        """A ConversationHistory; its messages are well formed."""
        found = await self.got(str(URL(f"/sessions/{session_id}/history").with_query(query)))
        if not query:
            assert_valid(found["messages"])
        return found

    async def messages(self, session_id: str) -> list[Json]:
        return list((await self.conversation(session_id))["messages"])

    async def idle(self, session_id: str) -> Json:
        """The session, once its run and its title are over."""

        async def resting() -> Json | None:
            found = await self.session(session_id)
            return found if found["status"] == "idle" else None

        return await eventually(resting, f"{session_id} is idle")

    # streams

    @asynccontextmanager
    async def sse(self, method: str, path: str, body: Any = None, **options: Any) -> AsyncIterator[Sse]:
        if body is not None:
            options["json"] = body
        url, options = self._url(self.chat_path(path)), self._with_token(options)
        async with (
            self._recorded(one_session=URL(path).path.endswith("/stream")) as recording,
            self.http.request(method, url, **options) as answer,
        ):
            yield Sse(answer, recording)

    @asynccontextmanager
    async def socket(
        self,
        *,
        offers: Sequence[str] = (JSON,),
        resume: str | None = None,
        read: bool = True,
        recorded: bool = True,
        **options: Any,
    ) -> AsyncIterator[Socket]:
        """A socket that is authenticated by its request and has got its hello; `read` False: a client that is stuck."""
        path = self.chat_path("/ws") + (f"?resume={resume}" if resume else "")
        options = {"max_msg_size": 0, **self._with_token(options)}
        raw = await self.http.ws_connect(self._url(path), protocols=offers, **options)
        async with self._recorded(recorded) as recording:
            socket = Socket(raw, int(resume.rpartition(":")[2]) if resume else None, recording)
            if read:
                socket.start_reading()
            try:
                if read and "Authorization" in options["headers"]:
                    await socket.frame("hello")
                yield socket
            finally:
                await socket.close()

    @asynccontextmanager
    async def _recorded(self, wanted: bool = True, *, one_session: bool = False) -> AsyncIterator[Recording | None]:
        """Takes down what a client gets, and compares it when the client has gone."""
        if not wanted or self.golden is None:
            yield None
            return
        recording = Recording(self.project_id, self, one_session=one_session)
        try:
            yield recording
            await self.golden.finish(recording)
        finally:
            recording.drop()

    # details

    def chat_path(self, path: str) -> str:
        return f"/v3/projects/{self.project_id}/chat{path}"

    def _url(self, path: str) -> URL:
        return URL(self.url + path, encoded=True)

    def _with_token(self, options: Json) -> Json:
        headers = dict(options.pop("headers", {}))
        if self.token is not None:
            headers.setdefault("Authorization", f"Bearer {self.token}")
        return {**options, "headers": headers}

    def but(self, **changes: Any) -> User:
        """The same access with another token or project."""
        return User(**{**{name: getattr(self, name) for name in ("url", "token", "project_id", "http")}, **changes})


def http_session(*, receive_buffer: int | None = None) -> aiohttp.ClientSession:
    """A client without cookies of its own; with a small `receive_buffer` one that cannot take much unread."""

    def small(address: Any) -> sockets.socket:
        family, kind, protocol, _, _ = address
        made = sockets.socket(family, kind, protocol)
        made.setblocking(False)
        made.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, receive_buffer or 0)
        return made

    connector = aiohttp.TCPConnector(limit=0, socket_factory=small if receive_buffer else None)
    timeout = aiohttp.ClientTimeout(total=None, sock_read=PATIENCE)
    return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar(), timeout=timeout)


class Server:
    """`create_app` on a real port, in the test's own loop."""

    def __init__(self, settings: Settings, listening: TestServer, project: Json, http: aiohttp.ClientSession) -> None:
        self.settings, self.project = settings, project
        self.url = str(listening.make_url("")).rstrip("/")
        self.project_id: str = project["project_id"]
        self._listening, self._http = listening, http

    @classmethod
    async def start(
        cls, settings: Settings, project: str = "demo", token: str | None = None, port: int | None = None
    ) -> Server:
        """`project` names the one that is used, `token` is one by which it is found; `port`: a free one if None."""
        listening = TestServer(await asyncio.to_thread(create_app, settings), port=port)  # it reads and writes files
        http = http_session()
        try:
            await listening.start_server()
            url = str(listening.make_url("")).rstrip("/")
            found = await demo_project(url, token or token_for(settings, "someone"), http, project)
            return cls(settings, listening, found, http)
        except BaseException:
            await http.close()
            await listening.close()  # also where the start has failed: what had been opened until then
            raise

    @property
    def database(self) -> Path:
        return database_of(self.project)

    def user(self, user_id: str = "local", http: aiohttp.ClientSession | None = None) -> User:
        return User(self.url, token_for(self.settings, user_id), self.project_id, http or self._http)

    async def stop(self) -> None:
        """An orderly stop, as SIGTERM brings it about."""
        try:
            await settled(self.project_id, lambda user_id: self.user(user_id or "local"))
        finally:
            await self._close()

    async def _close(self) -> None:
        try:
            await self._listening.close()
        finally:
            await self._http.close()


async def settled(project_id: str, login: Callable[[str | None], User]) -> None:
    """Clients that could not be compared before are compared with the server that has the project now."""
    if User.golden is not None and User.golden.waits:
        await User.golden.settle(project_id, login)


Start = Callable[..., Awaitable[Server]]
"""The fixture that starts one: `await start(heartbeat=0.1)`."""


def token_for(settings: Settings, user_id: str) -> str:
    if settings.auth == "jwt":
        return jwt_token(user_id)
    if settings.auth == "gns3":
        return jwt_token(user_id, secret=GNS3_SECRET)
    return (settings.data_dir / "token").read_text()


async def demo_project(url: str, token: str, http: aiohttp.ClientSession, name: str = "demo") -> Json:
    async with http.get(f"{url}/v3/projects", headers={"Authorization": f"Bearer {token}"}) as answer:
        answer.raise_for_status()
        (demo,) = [project for project in await answer.json() if project["name"] == name]
        return demo


def database_of(project: Json) -> Path:
    return Path(project["path"]) / "gns3-copilot" / "copilot_checkpoints.db"


async def gather_all(*work: Any) -> list[Any]:
    """The results of all, run at the same time; every fault is raised."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one) for one in work]
    return [task.result() for task in tasks]
