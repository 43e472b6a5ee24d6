"""A person at a real terminal: the command on a pseudo-terminal, and its keyboard alone."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from canned_server import CannedServer, Line, done
from prompts import ask, editor, finish, pending, resolved, take

from copilot_ws.terminal.keyboard import EndOfInput, Interrupted, Keyboard

if sys.platform == "win32":
    pytest.skip("there are no pseudo-terminals", allow_module_level=True)

import fcntl
import pty
import termios

RELOAD = pending("c1", "hostname Core", "do reload", reason="Restarts the device.")


class Terminal:
    """The command with a controlling terminal of its own."""

    def __init__(self, master: int, process: asyncio.subprocess.Process) -> None:
        self.shown = ""
        self.process = process
        self._master = master
        self._news = asyncio.Event()
        asyncio.get_running_loop().add_reader(master, self._read)

    def _read(self) -> None:
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the other side is closed
            asyncio.get_running_loop().remove_reader(self._master)
            return
        self.shown += data.decode().replace("\r\n", "\n")
        self._news.set()

    async def until(self, text: str) -> None:
        """Text that comes after what was awaited before."""
        try:
            async with asyncio.timeout(15):
                while text not in self.shown:
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"{text!r} does not come after {self.shown!r}") from None
        self.shown = self.shown.partition(text)[2]

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    async def code(self) -> int:
        async with asyncio.timeout(15):
            return await self.process.wait()


@contextlib.asynccontextmanager
async def at_terminal(data_dir: Path, *words: str, **environment: str) -> AsyncIterator[Terminal]:
    master, slave = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "copilot_ws", "chat", "--data-dir", str(data_dir), "--session", "s", *words),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        env={**os.environ, "TERM": "dumb", **environment},
    )
    os.close(slave)
    terminal = Terminal(master, process)
    try:
        yield terminal
    finally:
        asyncio.get_running_loop().remove_reader(master)
        if process.returncode is None:
            process.kill()
            await process.wait()
        os.close(master)


async def test_danger_is_confirmed_key_by_key(server: CannedServer, tmp_path: Path) -> None:
    async def script(line: Line) -> None:
        await ask(line, RELOAD)
        await take(line, "hitl.confirm", "confirmed", "c1")
        await finish(line)

    server.scripts = [script]
    async with at_terminal(tmp_path, "hello") as terminal:
        await terminal.until("left)? ")
        terminal.type("c\nyes\n")  # the second line was typed before it was asked for
        await terminal.until("Type yes in full")
        await terminal.until(": ")
        terminal.type("ye")
        terminal.type("\x7fes\n")
        await terminal.until("1 call confirmed.")
        await terminal.until("Done.")
        assert await terminal.code() == 0
    assert server.commands[-1]["acknowledge_dangerous"] is True


async def test_edit_in_an_editor_that_leaves_a_mess(server: CannedServer, tmp_path: Path) -> None:
    async def script(line: Line) -> None:
        await ask(line, pending())
        command = await take(line, "hitl.modify", "modified", "c1")
        assert command["modified_args"] == pending("c1", "hostname Edge")["tool_args"]
        await finish(line)

    server.scripts = [script]
    command = editor(tmp_path, 'test -t 0 && test -t 1 && stty raw -echo && sed -i "s/Core/Edge/" "$1"')
    async with at_terminal(tmp_path, "hello", VISUAL=command) as terminal:
        await terminal.until("left)? ")
        terminal.type("e\n")
        await terminal.until("+hostname Edge")
        await terminal.until("left)? ")
        terminal.type("r\n")
        await terminal.until("Done.")
        assert await terminal.code() == 0


async def test_decided_elsewhere_in_the_middle_of_a_word(server: CannedServer, tmp_path: Path) -> None:
    typed = asyncio.Event()

    async def script(line: Line) -> None:
        await ask(line, pending())
        await typed.wait()
        await line.events(resolved(("c1", "rejected", "alice")))
        await finish(line)

    server.scripts = [script]
    async with at_terminal(tmp_path, "hello") as terminal:
        await terminal.until("left)? ")
        terminal.type("conf")
        await terminal.until("conf")
        typed.set()
        await terminal.until("\nexecute_multiple_device_config_commands was rejected elsewhere by alice.\n")
        await terminal.until("Done.")
        assert await terminal.code() == 0


async def test_ctrl_c_stops_the_run(server: CannedServer, tmp_path: Path) -> None:
    async def script(line: Line) -> None:
        await ask(line, pending())
        await line.command("chat.stop")
        await line.events(resolved(("c1", "cancelled", "local")), done("stopped"))

    server.scripts = [script]
    async with at_terminal(tmp_path, "hello") as terminal:
        await terminal.until("left)? ")
        terminal.type("\x03")
        await terminal.until("The run was stopped.")
        assert await terminal.code() == 130


async def test_ctrl_d_leaves_it_to_others(server: CannedServer, tmp_path: Path) -> None:
    closed = asyncio.Event()

    async def script(line: Line) -> None:
        await ask(line, pending())
        await closed.wait()
        await line.events(resolved(("c1", "confirmed", "alice")))
        await finish(line)

    server.scripts = [script]
    async with at_terminal(tmp_path, "hello") as terminal:
        await terminal.until("left)? ")
        terminal.type("\x04")
        await terminal.until("To decide, open")
        closed.set()
        await terminal.until("Done.")
        assert await terminal.code() == 0


# the keyboard alone


@pytest.fixture(autouse=True)
def nothing_blocks_the_loop() -> None:
    """The guard cannot know that a terminal is read only when there is something to read."""


@pytest.fixture
def wires() -> Iterator[tuple[int, int]]:
    master, slave = pty.openpty()
    yield master, slave
    os.close(master)
    os.close(slave)


@pytest.fixture(params=["reader", "thread"])
async def keyboard(request: Any, wires: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> Keyboard:
    """The second one reads as on Windows, where a loop cannot watch a terminal."""
    if request.param == "thread":

        def refuse(*_: Any) -> None:
            raise NotImplementedError

        loop = asyncio.get_running_loop()
        monkeypatch.setattr(loop, "add_reader", refuse, raising=False)
        monkeypatch.setattr(loop, "remove_reader", refuse, raising=False)
    return Keyboard(wires[1])


async def typed(wires: tuple[int, int], keyboard: Keyboard, keys: str) -> str:
    line = asyncio.create_task(keyboard.line())
    await asyncio.sleep(0.05)
    os.write(wires[0], keys.encode())
    async with asyncio.timeout(5):
        return await line


async def test_lines_and_interruptions(keyboard: Keyboard, wires: tuple[int, int]) -> None:
    assert await typed(wires, keyboard, "zwei 路由\n") == "zwei 路由"
    line = asyncio.create_task(keyboard.line())
    await asyncio.sleep(0.05)
    keyboard.interrupt()
    with pytest.raises(Interrupted):
        await line
    keyboard.interrupt()
    assert await typed(wires, keyboard, "again\nmore\n") == "again"
    with pytest.raises(EndOfInput):
        await typed(wires, keyboard, "\x04")
    assert keyboard.present
