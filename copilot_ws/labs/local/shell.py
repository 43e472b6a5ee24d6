"""What the command lines of all devices share: a terminal, a line log, and the loop between them."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from datetime import UTC, datetime
from pathlib import Path

from copilot_ws.labs.local.console import Console
from copilot_ws.labs.local.editor import History, LineEditor
from copilot_ws.labs.local.keyboard import CTRL_C, ENTER, Interrupted, Keyboard

log = logging.getLogger(__name__)


class LineLog:
    """The file of all lines that a device was sent: time, tab, line."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def append(self, line: str) -> None:
        """Returns once the line is in the file. A full disk is logged and stops no device."""
        clean = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in line)
        try:
            await asyncio.to_thread(self._write, f"{datetime.now(UTC).isoformat()}\t{clean}\n")
        except OSError:
            log.exception("a device's line log cannot be written")

    def _write(self, entry: str) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(entry)


class Terminal:
    """Where a shell reads its keys and shows its text; `\\n` becomes CR LF on the wire."""

    def __init__(self, console: Console, keyboard: Keyboard) -> None:
        self._console = console
        self.key = keyboard.key
        self.pause = keyboard.pause

    def write(self, text: str) -> None:
        self._console.write(text.replace("\n", "\r\n"))


class Shell(ABC):
    """One console session. `run` lasts until the device loses power."""

    def __init__(self, terminal: Terminal, line_log: LineLog) -> None:
        self.terminal = terminal
        self.history = History()
        self._log = line_log

    @property
    @abstractmethod
    def prompt(self) -> str: ...

    @abstractmethod
    def greet(self) -> None:
        """Shows what a device prints when it has booted."""

    @abstractmethod
    async def execute(self, line: str) -> None:
        """Does what `line`, not blank, asks for. `Interrupted` ends it early."""

    async def run(self) -> None:
        self.greet()
        while True:
            await self._serve(await self.read_line())
            await asyncio.sleep(0)

    async def ask(self, question: str) -> str:
        """The answer to a question of a command; it is logged, also when it is empty."""
        answer = await self._read(question, hot_keys=False)
        self.terminal.write("\n")
        await self._log.append(answer)
        return answer

    async def read_line(self) -> str:
        return await self._read(self.prompt, hot_keys=True)

    def hot_key(self, key: str, editor: LineEditor) -> bool:
        """Whether `key` has done something by itself, beyond editing the line."""
        return False

    async def _read(self, prompt: str, hot_keys: bool) -> str:
        editor = LineEditor(self.history)
        self.terminal.write(prompt)
        while (key := await self.terminal.key()) != ENTER:
            if key == CTRL_C:
                editor = LineEditor(self.history)
                self.terminal.write(f"\n{prompt}")
            elif not (hot_keys and self.hot_key(key, editor)):
                self.terminal.write(editor.press(key))
        return editor.text

    async def _serve(self, line: str) -> None:
        """A bare Enter is no line: clients send it to see the prompt."""
        self.terminal.write("\n")
        if not line.strip():
            return
        await self._log.append(line)
        self.history.add(line)
        try:
            await self.execute(line)
        except Interrupted:
            self.terminal.write("\n")
        except Exception:
            log.exception("a device's command failed")
            self.terminal.write("% Internal error\n")
