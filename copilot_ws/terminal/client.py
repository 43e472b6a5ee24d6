"""The client's side of the socket: frames in order, commands with their answers, and connecting again."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable
from typing import Any

import aiohttp
from aiohttp import ClientWebSocketResponse, ClientWSTimeout, WSMsgType

from copilot_ws.terminal.server import Endpoint, Problem, explain_refusal
from copilot_ws.wire.codecs import CODECS, JSON, BadFrame, Codec, decode_frame
from copilot_ws.wire.peer import Resume
from copilot_ws.wire.tasks import TaskSet

DIAL_SECONDS = 10.0
CLOSE_SECONDS = 0.5
GIVE_UP_SECONDS = 60.0
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 4.0
STEADY_SECONDS = 10.0
GAVE_UP = "Gave up after {:.0f} s without a connection; the run may go on in the server. The last try:"
# No retry helps against these: policy, too large, not authenticated, project closed.
FINAL_CODES = frozenset({1008, 1009, 4401, 4403})

Frame = dict[str, Any]


class Lost(Exception):
    """The connection broke; the text says how."""


class Refused(Exception):
    """The server answered a command with an error."""

    def __init__(self, error: Frame) -> None:
        super().__init__(error["message"])
        self.code = str(error["code"])
        self.details = error.get("details")


class Link:
    """One connection after its `hello`. Several tasks may have commands under way; one takes the events."""

    def __init__(self, socket: ClientWebSocketResponse[bool], codec: Codec) -> None:
        self.hello: Frame = {}
        self._socket, self._codec = socket, codec
        self._events: asyncio.Queue[Frame | Exception] = asyncio.Queue()
        self._answers: dict[int, asyncio.Future[Frame]] = {}
        self._fault: Exception | None = None
        self._tasks = TaskSet()
        self._last_id = 0

    async def greet(self) -> None:
        """Takes the server's first frame."""
        self.hello = await self._receive(DIAL_SECONDS)
        if self.hello.get("type") != "hello":
            raise Problem("The server does not speak this protocol: its first frame is no hello.")
        self._tasks.spawn(self._read(), name="read the socket")

    async def send(self, name: str, **arguments: Any) -> int:
        """Sends a command and returns its id; nobody gets the answer."""
        self._last_id += 1
        return await self._send(self._last_id, name, arguments)

    async def call(self, name: str, **arguments: Any) -> Any:
        """A command's result. Raises `Refused`, `Lost`."""
        if self._fault is not None:
            raise self._fault
        self._last_id += 1
        call_id = self._last_id
        answer = self._answers[call_id] = asyncio.get_running_loop().create_future()
        try:
            await self._send(call_id, name, arguments)
            frame = await answer
        finally:
            del self._answers[call_id]
            answer.cancel()
        if not frame["ok"]:
            raise Refused(frame["error"])
        return frame["result"]

    async def event(self) -> Frame:
        """The next frame that answers no command. Raises `Lost`, or whatever the connection was ended with."""
        found = await self._events.get()
        if isinstance(found, Exception):
            self._events.put_nowait(found)
            raise found
        return found

    def end(self, fault: Exception) -> None:
        """Nothing more is read: once the events that came are taken, `event` raises `fault`."""
        self._fault = fault
        self._events.put_nowait(fault)
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(fault)

    async def close(self) -> None:
        await self._tasks.cancel_all()
        self.end(Lost("it was closed"))
        with contextlib.suppress(aiohttp.ClientError, OSError, TimeoutError):
            await self._socket.close()

    async def _send(self, call_id: int, name: str, arguments: Frame) -> int:
        data = self._codec.encode({"id": call_id, "type": name, **arguments})
        most = self.hello.get("limits", {}).get("max_frame")
        if most is not None and len(data) > most:
            raise Problem(f"The message is too long: the server takes at most {most} bytes at once.")
        try:
            if self._codec.binary:
                await self._socket.send_bytes(data)
            else:
                await self._socket.send_str(data.decode())
        except (aiohttp.ClientError, OSError):
            raise Lost("it broke while sending") from None
        return call_id

    async def _read(self) -> None:
        try:
            while True:
                frame = await self._receive(self._patience)
                if frame.get("type") == "result":
                    self._answered(frame)
                else:
                    self._events.put_nowait(frame)
        except (Lost, Problem) as fault:
            self.end(fault)

    def _answered(self, frame: Frame) -> None:
        answer = self._answers.get(frame.get("id", 0))
        if answer is not None and not answer.done():
            answer.set_result(frame)

    @property
    def _patience(self) -> float:
        """A server that lives says so with a heartbeat; two that stay away mean that the line is dead."""
        return float(self.hello.get("heartbeat", 15)) * 2 + 5

    async def _receive(self, seconds: float) -> Frame:
        try:
            message = await self._socket.receive(timeout=seconds)
        except TimeoutError:
            raise Lost("the server is silent") from None
        except (aiohttp.ClientError, OSError):
            raise Lost("it broke") from None
        if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
            raise self._ended(message.type, message.extra)
        data = message.data.encode() if message.type is WSMsgType.TEXT else message.data
        try:
            return decode_frame(self._codec, data)
        except BadFrame as fault:
            raise Lost(f"the server sent nonsense: {fault}") from None

    def _ended(self, kind: WSMsgType, extra: Any) -> Exception:
        code = self._socket.close_code
        reason = str(extra or "") if kind is WSMsgType.CLOSE else ""
        if code in FINAL_CODES:
            return Problem(f"The server ended the connection: {reason or f'code {code}'}")
        if code == 1001:
            return Lost("the server is stopping")
        return Lost(reason or "it broke")


class Dialer:
    """Connects to one project's socket, again and again if need be.

    `locate` is asked before it connects again: a server that was started anew may listen on another port.
    """

    def __init__(
        self,
        http: aiohttp.ClientSession,
        endpoint: Endpoint,
        locate: Callable[[], Endpoint],
        project_id: str,
        give_up: float = GIVE_UP_SECONDS,
    ) -> None:
        self._http, self._locate, self._project_id = http, locate, project_id
        self._give_up = give_up
        self._endpoint = endpoint
        self._place: Resume | None = None
        self._connected = self._deadline = 0.0
        self._pause = FIRST_PAUSE

    async def dial(self, place: Resume | None = None) -> Link:
        """A new connection, which goes on after `place`. Raises `Lost` and `Problem`."""
        link: Link | None = None
        try:
            async with asyncio.timeout(DIAL_SECONDS):
                link = Link(*await self._upgrade(place))
                await link.greet()
        except BaseException as fault:
            if link is not None:
                await link.close()
            if isinstance(fault, TimeoutError):
                raise Lost("the server does not answer") from None
            raise
        return link

    async def redial(self, place: Resume) -> Link:
        """Tries `dial` with growing pauses, for a minute altogether. Raises `Problem`.

        A connection that broke at once and brought nothing does not begin that minute anew.
        """
        now = asyncio.get_running_loop().time
        if place != self._place or now() - self._connected > STEADY_SECONDS:
            self._place, self._deadline, self._pause = place, now() + self._give_up, FIRST_PAUSE
        reason = "it broke"
        while now() + self._pause <= self._deadline:
            await asyncio.sleep(self._pause * random.uniform(0.75, 1.0))
            self._pause = min(self._pause * 2, LONGEST_PAUSE)
            try:
                self._endpoint = await self._found_again()
                link = await self.dial(place)
            except Lost as lost:
                reason = str(lost)
            else:
                self._connected = now()
                return link
        raise Problem(f"{GAVE_UP.format(self._give_up)} {reason}.")

    async def _found_again(self) -> Endpoint:
        try:
            return await asyncio.to_thread(self._locate)
        except Problem:
            return self._endpoint

    async def _upgrade(self, place: Resume | None) -> tuple[ClientWebSocketResponse[bool], Codec]:
        address = self._endpoint.at("v3", "projects", self._project_id, "chat", "ws")
        if place is not None:
            address = address.with_query(resume=f"{place.epoch}:{place.seq}")
        try:
            socket = await self._http.ws_connect(
                address,
                headers=self._endpoint.headers,
                protocols=tuple(CODECS),
                max_msg_size=0,
                timeout=ClientWSTimeout(ws_close=CLOSE_SECONDS),
            )
        except aiohttp.WSServerHandshakeError as refused:
            if refused.status in (401, 403, 404):
                raise Problem(explain_refusal(refused.status, self._endpoint)) from None
            raise Lost(f"the server answers with HTTP {refused.status}") from None
        except (aiohttp.ClientError, OSError):
            raise Lost("the server cannot be reached") from None
        return socket, CODECS.get(socket.protocol or "", JSON)
