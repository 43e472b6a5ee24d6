"""A telnet console on loopback that all its clients share."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field

from copilot_ws.labs.local.editor import BELL
from copilot_ws.labs.local.keyboard import Keyboard, KeyDecoder
from copilot_ws.labs.telnet import GREETING, TelnetCodec, escape
from copilot_ws.wire.tasks import TaskSet

HOST = "127.0.0.1"
CLIENTS_MAX = 32
OUTPUT_MAX = 1 << 20
"""Bytes that may wait for one client. One that reads no faster is cut off."""
BACKLOG_MAX = 65536
"""Characters kept for the first client, who sees what was printed before it came."""

log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class _Client:
    writer: asyncio.StreamWriter
    codec: TelnetCodec = field(default_factory=lambda: TelnetCodec(server=True))
    keys: KeyDecoder = field(default_factory=KeyDecoder)

    def send(self, data: bytes) -> None:
        """Never waits: a client that does not read is disconnected."""
        transport = self.writer.transport
        if transport.is_closing():
            return
        self.writer.write(data)
        if transport.get_write_buffer_size() > OUTPUT_MAX:
            transport.abort()

    def drop_if_slow(self) -> None:
        """Closing would wait for a client that does not read."""
        if self.writer.transport.get_write_buffer_size():
            self.writer.transport.abort()


class Console:
    """The server of one device's console. What is typed goes to `keyboard`, what is written to everyone."""

    def __init__(self, name: str, keyboard: Keyboard) -> None:
        self._name = name
        self._keyboard = keyboard
        self._clients: set[_Client] = set()
        self._tasks = TaskSet()
        self._server: asyncio.Server | None = None
        self._closed = False
        self._pending: list[str] = []
        self._backlog: str | None = ""

    async def open(self, port: int | None) -> int:
        """Listens on `port` if that is free, else on another; returns which. Raises OSError."""
        try:
            self._server = await asyncio.start_server(self._connected, HOST, port or 0)
        except OSError:
            if not port:
                raise
            self._server = await asyncio.start_server(self._connected, HOST, 0)
        opened: int = self._server.sockets[0].getsockname()[1]
        return opened

    async def close(self) -> None:
        """Refuses new clients and disconnects the present ones. May be called again."""
        self._closed = True
        self._flush()
        if self._server is not None:
            self._server.close()
        for client in self._clients:
            client.drop_if_slow()
        await self._tasks.cancel_all()
        if self._server is not None:
            await self._server.wait_closed()

    def write(self, text: str) -> None:
        """Shown to all present clients, in one piece with whatever else this turn of the loop writes."""
        if not text:
            return
        if not self._pending:
            asyncio.get_running_loop().call_soon(self._flush)
        self._pending.append(text)

    def _flush(self) -> None:
        text = "".join(self._pending)
        self._pending.clear()
        if not text:
            return
        if self._backlog is not None:
            self._backlog = (self._backlog + text)[-BACKLOG_MAX:]
        data = escape(text.encode())
        for client in list(self._clients):
            client.send(data)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._closed or len(self._clients) >= CLIENTS_MAX:
            writer.transport.abort()
            return
        self._flush()
        client = _Client(writer)
        self._clients.add(client)
        client.send(GREETING + escape((self._backlog or "").encode()))
        self._backlog = None
        self._tasks.spawn(self._serve(client, reader), name=f"console:{self._name}")

    async def _serve(self, client: _Client, reader: asyncio.StreamReader) -> None:
        try:
            while data := await reader.read(4096):
                self._received(client, data)
        except OSError as fault:
            log.debug("console %s: client lost: %s", self._name, fault)
        finally:
            self._clients.discard(client)
            client.writer.close()

    def _received(self, client: _Client, data: bytes) -> None:
        payload, reply = client.codec.feed(data)
        if reply:
            client.send(reply)
        if not self._keyboard.press(client.keys.feed(payload)):
            client.send(BELL.encode())
