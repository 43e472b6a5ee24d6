"""What may stand between a browser and the server: lines that break, swallow what they carry, or take no WebSocket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from yarl import URL

REFUSED = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Proxy:
    """Carries each TCP connection to the server, byte by byte.

    `upgrades` False: no WebSocket comes through. `up` False: what connects is cut at once.
    """

    def __init__(self, server: str) -> None:
        self.url = ""
        self.up = True
        self.upgrades = True
        self._server = URL(server)
        self._lines: set[asyncio.StreamWriter] = set()
        self._deaf: set[asyncio.StreamWriter] = set()

    @classmethod
    @asynccontextmanager
    async def before(cls, server: str) -> AsyncIterator[Proxy]:
        proxy = cls(server)
        listening = await asyncio.start_server(proxy._carry, "127.0.0.1", 0)
        proxy.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        try:
            yield proxy
        finally:
            listening.close()
            proxy.cut()

    def cut(self) -> None:
        """Every line breaks: no close frame, no end of a response."""
        for line in self._lines:
            line.transport.abort()

    def swallow(self) -> None:
        """The lines that there are stay open and carry nothing from now on."""
        self._deaf |= self._lines

    async def _carry(self, reader: asyncio.StreamReader, browser: asyncio.StreamWriter) -> None:
        """Browsers ask for a WebSocket on a connection of its own: the first request tells."""
        with suppress(ConnectionError):
            first = await reader.read(65536)
            if not self.up:
                browser.transport.abort()
            elif not self.upgrades and b"\r\nupgrade: websocket\r\n" in first.lower():
                browser.write(REFUSED)
            else:
                await self._connect(first, reader, browser)
        browser.close()

    async def _connect(self, first: bytes, reader: asyncio.StreamReader, browser: asyncio.StreamWriter) -> None:
        back, server = await asyncio.open_connection(self._server.host, self._server.port)
        line = {browser, server}
        self._lines |= line
        server.write(first)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._copy(reader, server))
                group.create_task(self._copy(back, browser))
        finally:
            self._lines -= line
            self._deaf -= line

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """To the end of one direction, which ends the other one too."""
        try:
            while data := await reader.read(65536):
                if writer not in self._deaf:
                    writer.write(data)
                    await writer.drain()
        except ConnectionError:
            writer.transport.abort()
        finally:
            writer.close()
