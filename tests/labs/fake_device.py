"""A scripted device behind a real telnet socket. Like GNS3's, it lives on when a client goes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from copilot_ws.labs.base import Node, Platform
from copilot_ws.labs.telnet import GREETING, TelnetCodec, escape

Answer = str | Callable[["FakeDevice"], Awaitable[None]]


class FakeDevice:
    """Echoes keys, collects lines and answers them from `answers`; a test overrides what it wants nasty."""

    def __init__(self, platform: Platform = "generic", name: str = "R1", prompt: str = "R1#") -> None:
        self.platform = platform
        self.name = name
        self.prompt = prompt
        self.banner = ""
        self.answers: dict[str, Answer] = {}
        self.entered: list[str] = []
        self.received = ""
        self.sockets = 0
        self.line = ""
        self._keys: asyncio.Queue[str] = asyncio.Queue()
        self._writers: set[asyncio.StreamWriter] = set()

    def node(self, **changes: object) -> Node:
        fields: dict[str, object] = {
            "node_id": f"id-{self.name}",
            "project_id": "p",
            "name": self.name,
            "node_type": "qemu",
            "platform": self.platform,
            "status": "started",
            "console": self.port,
        }
        return Node.model_validate(fields | changes)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[FakeDevice]:
        server = await asyncio.start_server(self._client, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        shell = asyncio.create_task(self._shell())
        try:
            yield self
        finally:
            shell.cancel()
            server.close()
            self.drop()
            await asyncio.gather(shell, return_exceptions=True)

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        codec = TelnetCodec(server=True)
        writer.write(GREETING + self.banner.encode())
        self.banner = ""
        self._writers.add(writer)
        self.sockets += 1
        try:
            while data := await reader.read(4096):
                keys, reply = codec.feed(data)
                writer.write(reply)
                self.received += keys.decode()
                for key in keys.decode():
                    self._keys.put_nowait(key)
        except OSError:
            pass
        finally:
            self.sockets -= 1
            self._writers.discard(writer)
            writer.close()

    def drop(self) -> None:
        """Closes all connections."""
        for writer in self._writers:
            writer.close()

    async def out(self, text: str, pause: float = 0.0) -> None:
        await self.raw(escape(text.encode()), pause)

    async def raw(self, data: bytes, pause: float = 0.0) -> None:
        for writer in list(self._writers):
            writer.write(data)
            try:
                await writer.drain()
            except OSError:
                self._writers.discard(writer)
        if pause:
            await asyncio.sleep(pause)

    async def key(self) -> str:
        return await self._keys.get()

    def lose_keys(self) -> None:
        while not self._keys.empty():
            self._keys.get_nowait()

    async def until_interrupted(self) -> None:
        while await self.key() != "\x03":
            pass
        await self.out("^C\r\n")

    async def _shell(self) -> None:
        while True:
            line = await self._read_line()
            self.entered.append(line)
            await self.respond(line)
            await self.show_prompt()

    async def show_prompt(self) -> None:
        await self.out(self.prompt)

    async def echo(self, key: str) -> None:
        await self.out(key)

    async def respond(self, line: str) -> None:
        answer = self.answers.get(line, "")
        if isinstance(answer, str):
            await self.out(answer)
        else:
            await answer(self)

    async def _read_line(self) -> str:
        self.line = ""
        while (key := await self.key()) != "\r":
            if key == "\x15":
                await self.out("\b \b" * len(self.line))
                self.line = ""
            elif key == "\x03":
                self.line = ""
                await self.out(f"\r\n{self.prompt}")
            elif key >= " ":
                self.line += key
                await self.echo(key)
        await self.out("\r\n")
        return self.line
