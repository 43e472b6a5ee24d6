"""The server as a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from kit.forked import FORKS, serve_in
from kit.scripted_llm import ScriptedLlm
from kit.server import API_KEY, JWT_SECRET, User, database_of, demo_project, http_session, settled
from kit.waiting import soon

Json = dict[str, Any]


class ServerProcess:
    """`python -m copilot_ws serve`, as an operator runs it. Its log is collected from its first line to its last."""

    def __init__(self, process: Process, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.pid = process.pid
        self.printed = ""
        self.log = ""
        self._process = process
        assert process.stdout is not None
        assert process.stderr is not None
        self._readers = [
            asyncio.create_task(self._collect(process.stdout, "printed")),
            asyncio.create_task(self._collect(process.stderr, "log")),
        ]
        self._line = asyncio.Event()

    async def _collect(self, stream: asyncio.StreamReader, name: str) -> None:
        async for line in stream:
            setattr(self, name, getattr(self, name) + line.decode())
            if name == "printed":
                self._line.set()
        self._line.set()

    @classmethod
    async def spawn(cls, data_dir: Path, *options: str, env: dict[str, str] | None = None) -> ServerProcess:
        arguments = ["-m", "copilot_ws", "serve", "--port", "0", "--data-dir", str(data_dir), *options]
        environment = {**os.environ, **(env or {})}
        process = await asyncio.create_subprocess_exec(
            sys.executable, *arguments, env=environment, stdout=PIPE, stderr=PIPE
        )
        return cls(process, data_dir)

    async def ready(self) -> ServerProcess:
        """Waits for the URL that it prints."""
        await soon(self._line.wait(), "the server prints its URL", 60)
        assert self.printed, self.log
        return self

    @property
    def info(self) -> Json:
        """server.json"""
        found: Json = json.loads((self.data_dir / "server.json").read_text())
        return found

    def terminate(self) -> None:
        self._process.send_signal(signal.SIGTERM)

    async def exit_code(self) -> int:
        code = await soon(self._process.wait(), "the server ends", 20)
        await asyncio.gather(*self._readers)
        return code

    async def stop(self) -> int:
        """SIGTERM; the exit code."""
        self.terminate()
        return await self.exit_code()

    async def settled(self) -> None:
        """For a test that has ended: if the server has not."""
        waits = User.golden is not None and User.golden.waits
        if waits and self._process.returncode is None:
            async with self.user() as me:
                await settled(me.project_id, lambda _: me)

    async def kill(self) -> None:
        """As when the power fails."""
        if self._process.returncode is None:
            self._process.kill()
        await self.exit_code()

    @asynccontextmanager
    async def user(self) -> AsyncIterator[User]:
        info = self.info
        async with http_session() as http:
            project = await demo_project(info["url"], info["token"], http)
            yield User(info["url"], info["token"], project["project_id"], http)

    async def database(self) -> Path:
        async with self.user() as me:
            return database_of(await demo_project(me.url, str(me.token), me.http))


class KillableServer:
    """A server in a process that can be killed and started again on what it left."""

    def __init__(self, data_dir: Path, llm: ScriptedLlm) -> None:
        self.data_dir = data_dir
        self.project: Json = {}
        self._llm = llm
        self._http = http_session()
        self._process: BaseProcess | None = None

    @classmethod
    @asynccontextmanager
    async def running(cls, data_dir: Path, llm: ScriptedLlm) -> AsyncIterator[KillableServer]:
        server = cls(data_dir, llm)
        try:
            await server.start()
            yield server
            await settled(server.project["project_id"], lambda _: server.user())
        finally:
            try:
                await server.kill()
            finally:
                await server._http.close()

    async def start(self) -> None:
        """Returns once it accepts connections."""
        announced, announces = FORKS.Pipe(duplex=False)
        environment = {**os.environ, **scripted(self._llm)}
        self._process = FORKS.Process(target=serve_in, args=(self.data_dir, environment, announces), daemon=True)
        with announced:
            await asyncio.to_thread(self._process.start)
            announces.close()
            assert await asyncio.to_thread(announced.poll, 60), "the server did not start in time"
            announced.recv()
        self.project = await demo_project(self._ready["url"], self._ready["token"], self._http)

    @property
    def _ready(self) -> Json:
        found: Json = json.loads((self.data_dir / "server.json").read_text())
        return found

    @property
    def database(self) -> Path:
        return database_of(self.project)

    async def kill(self) -> None:
        """SIGKILL, as when the power fails."""
        if self._process is not None and self._process.is_alive():
            self._process.kill()
            await asyncio.to_thread(self._process.join, 20)
            assert not self._process.is_alive()

    def user(self) -> User:
        return User(self._ready["url"], self._ready["token"], self.project["project_id"], self._http)


def scripted(llm: ScriptedLlm, **settings: str) -> dict[str, str]:
    """The environment that makes a server use the scripted model."""
    given = {
        "llm_provider": "openai",
        "llm_base_url": llm.base_url,
        "llm_model": "scripted",
        "llm_api_key": API_KEY,
        "jwt_secret": JWT_SECRET,
        "title": "off",
        "log_level": "debug",
        "shutdown_grace": "2",
        **settings,
    }
    return {f"COPILOT_WS_{name.upper()}": value for name, value in given.items()}
