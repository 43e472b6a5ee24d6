"""A canned server and a terminal that remembers what it showed."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from canned_server import CannedServer

from copilot_ws.terminal.chat import ChatOptions, chat
from copilot_ws.terminal.keyboard import Typist
from copilot_ws.terminal.view import Screen, View


class Terminal:
    """Runs the command; `out` and `err` are what it wrote, `screen` what a shared terminal got, in order."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self._out, self._err = io.StringIO(), io.StringIO()

    async def chat(
        self,
        message: str | None = "hello",
        *,
        url: str | None = None,
        project: str | None = None,
        session: str | None = None,
        undo: str | None = None,
        lively: bool = False,
        give_up: float = 5.0,
        typist: Typist | None = None,
    ) -> int:
        if lively:
            self._err = self._out
        shape = {"force_terminal": lively, "width": 100, "highlight": False}
        view = View(Screen(file=self._out, **shape), Screen(file=self._err, **shape), lively=lively)
        options = ChatOptions(message, url, project, session, None, self.data_dir, undo)
        return await chat(options, view, typist, give_up=give_up)

    @property
    def out(self) -> str:
        return self._out.getvalue()

    @property
    def err(self) -> str:
        return self._err.getvalue()


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[CannedServer]:
    async with CannedServer().listening() as server:
        server.register(tmp_path)
        yield server
    assert server.faults == []


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path)
