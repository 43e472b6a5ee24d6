"""What the tests of the embedded lab share: a lab of one demo project, and a telnet client."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Self

from copilot_ws.labs.base import Caller, Node, Project
from copilot_ws.labs.local import LocalLab
from copilot_ws.labs.telnet import GREETING, TelnetCodec

ME = Caller("local")
PROMPT = r"(?<![^\n])[\w.-]+(\([\w-]+\))?[>#] ?$"


class Client:
    """A person's telnet client: sends keys, collects what is shown."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._codec = TelnetCodec()
        self.shown = ""
        self.prompt = ""

    @classmethod
    async def connect(cls, port: int | None) -> Self:
        assert port is not None
        client = cls(*await asyncio.open_connection("127.0.0.1", port))
        assert await client._reader.readexactly(len(GREETING)) == GREETING
        return client

    def send(self, keys: str) -> None:
        self._writer.write(keys.encode())

    async def until(self, pattern: str, within: float = 10) -> str:
        """Everything shown up to and with `pattern`; it is then forgotten."""
        async with asyncio.timeout(within):
            while not (found := re.search(pattern, self.shown)):
                data = await self._reader.read(65536)
                assert data, f"closed after {self.shown!r}"
                self.shown += self._codec.feed(data)[0].decode()
        text, self.shown = self.shown[: found.end()], self.shown[found.end() :]
        return text

    async def ask(self, line: str, prompt: str = PROMPT, within: float = 10) -> str:
        """The answer to `line`, without echo and prompt, with bare newlines."""
        self.send(f"{line}\r")
        await self.until(re.escape(line) + "\r\n")
        answer = (await self.until(prompt, within)).replace("\r\n", "\n")
        self.prompt = answer.rpartition("\n")[2]
        return re.sub(prompt, "", answer)

    async def configure(self, *lines: str) -> str:
        """What a router answers to these lines in configuration mode, which is left again."""
        await self.ask("configure terminal")
        answers = [await self.ask(line) for line in lines]
        await self.ask("end")
        return "".join(answers)

    async def closed(self) -> bool:
        with suppress(ConnectionError):
            async with asyncio.timeout(5):
                while await self._reader.read(65536):
                    pass
        return True

    async def close(self) -> None:
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()


class Bench:
    """A started lab, its demo project, and clients on its consoles."""

    def __init__(self, lab: LocalLab, project: Project) -> None:
        self.lab = lab
        self.project = project
        self._clients: list[Client] = []

    async def node(self, name: str) -> Node:
        nodes = await self.lab.nodes(ME, self.project.project_id)
        return next(node for node in nodes if node.name == name)

    async def connect(self, name: str) -> Client:
        client = await Client.connect((await self.node(name)).console)
        self._clients.append(client)
        return client

    async def router(self, name: str = "R1") -> Client:
        """Enabled, without paging."""
        client = await self.connect(name)
        client.send("\r")
        await client.until(PROMPT)
        await client.ask("enable")
        await client.ask("terminal length 0")
        return client

    async def host(self, name: str = "PC1") -> Client:
        client = await self.connect(name)
        await client.ask("echo")
        return client

    async def stop(self, name: str) -> None:
        await self.lab.stop_node(ME, self.project.project_id, (await self.node(name)).node_id)

    async def start(self, name: str) -> None:
        await self.lab.start_node(ME, self.project.project_id, (await self.node(name)).node_id)

    async def suspend(self, name: str) -> None:
        await self.lab.suspend_node(ME, self.project.project_id, (await self.node(name)).node_id)

    async def again(self, name: str) -> Client:
        """A router's console after a reload: as soon as it listens."""
        for _ in range(250):
            with suppress(ConnectionRefusedError):
                return await self.router(name)
            await asyncio.sleep(0.02)
        raise TimeoutError

    def log(self, name: str) -> list[str]:
        path = Path(self.project.path) / "consoles" / f"{name}.log"
        return path.read_text().splitlines() if path.exists() else []

    def lines(self, name: str) -> list[str]:
        """The lines that a device was sent, without their times."""
        return [line.split("\t")[1] for line in self.log(name)]

    async def close(self) -> None:
        for client in self._clients:
            await client.close()


@asynccontextmanager
async def demo(data_dir: Path, reload_seconds: float = 0.1) -> AsyncIterator[Bench]:
    """A lab in `data_dir`, with its demo project."""
    lab = LocalLab(data_dir, reload_seconds)
    await lab.start()
    projects = await lab.projects(ME)
    bench = Bench(lab, next(project for project in projects if project.name == "demo"))
    try:
        yield bench
    finally:
        await bench.close()
        await lab.close()


async def configured(data_dir: Path, extra: dict[str, str]) -> None:
    """Makes the demo project in `data_dir` and adds lines to saved configurations, by node name."""
    async with demo(data_dir) as bench:
        for name, lines in extra.items():
            [path] = (Path(bench.project.path) / "devices").glob(f"{name}.*")
            path.write_text(path.read_text().replace("\nend\n", "\n") + lines)
