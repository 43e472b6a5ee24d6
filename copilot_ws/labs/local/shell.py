"""What the command lines of all devices share: a terminal, a line log, and the loop between them."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from datetime import UTC, datetime
from pathlib import Path

from copilot_ws.labs.local.console import Console
from copilot_ws.labs.local.editor import History, LineEditor
from copilot_ws.labs.local.keyboard import CTRL_C, CTRL_SHIFT_6, ENTER, Interrupted, Keyboard

log = logging.getLogger(__name__)

_CANCELS = (CTRL_C, CTRL_SHIFT_6)


class Reload(Exception):
    """The device restarts now: raised out of its session."""


class LineLog:
    """The file of all lines that a device was sent: time, tab, line. A new `path` holds for the next line."""

    def __init__(self, path: Path) -> None:
        self.path = path

    async def append(self, line: str) -> None:
        """Returns once the line is in the file. A full disk is logged and stops no device."""
        clean = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in line)
        try:
            await asyncio.to_thread(_append, self.path, f"{datetime.now(UTC).isoformat()}\t{clean}\n")
        except OSError:
            log.exception("a device's line log cannot be written")


def _append(path: Path, entry: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.write(entry)


class Terminal:
    """Where a shell reads its keys and shows its text; `\\n` becomes CR LF on the wire."""

    def __init__(self, console: Console, keyboard: Keyboard) -> None:
        self.console = console
        self.key = keyboard.key
        self.pause = keyboard.pause

    def write(self, text: str) -> None:
        self.console.write(text.replace("\n", "\r\n"))


class Shell(ABC):
    """One console session. `run` lasts until the device loses power, and may be called again after that."""

    def __init__(self, terminal: Terminal, line_log: LineLog) -> None:
        self.terminal = terminal
        self.history = History()
        self._log = line_log
        self._booting = True

    @property
    @abstractmethod
    def prompt(self) -> str: ...

    @property
    def verbatim(self) -> bool:
        """Whether the next line is a text's: it may be blank, and no key has a meaning of its own in it."""
        return False

    def configuration(self) -> str | None:
        """The running configuration as text, None where the platform shows none."""
        return None

    @abstractmethod
    def greet(self) -> None:
        """Shows what a device prints when it has booted."""

    @abstractmethod
    async def execute(self, line: str) -> None:
        """Does what `line`, not blank, asks for. `Interrupted` ends it early."""

    async def run(self) -> None:
        if self._booting:
            self.greet()
        self._booting = False
        while True:
            line, key = await self.read_line()
            await self._serve(line)
            self.entered(key)
            await asyncio.sleep(0)

    async def ask(self, question: str) -> str:
        """The answer to a question of a command; it is logged, also when it is empty. Raises `Interrupted`."""
        editor = LineEditor()
        self.terminal.write(question)
        while (key := await self.terminal.key()) != ENTER:
            if key in _CANCELS:
                raise Interrupted
            self.terminal.write(editor.press(key))
        self.terminal.write("\n")
        await self._log.append(editor.text)
        return editor.text.strip()

    async def confirm(self, question: str) -> bool:
        """Whether the one key that answers is Enter or y; it is logged. Raises `Interrupted`."""
        self.terminal.write(f"{question}[confirm]")
        key = await self.terminal.key()
        if key in _CANCELS:
            raise Interrupted
        await self._log.append("" if key == ENTER else key)
        self.terminal.write("\n" if key == ENTER else f"{key if key.isprintable() else ''}\n")
        return key in (ENTER, "y", "Y")

    async def read_line(self) -> tuple[str, str]:
        """A line, and the key that ended it."""
        return await self._read(self.prompt)

    def hot_key(self, key: str, editor: LineEditor) -> bool:
        """Whether `key` has done something by itself, beyond editing the line."""
        return False

    def ends_line(self, key: str) -> bool:
        return key == ENTER

    def entered(self, key: str) -> None:  # noqa: B027 most shells have nothing to do
        """Called after a line was served; `key` had ended it."""

    def cancel(self) -> None:  # noqa: B027
        """Called when Ctrl-C has thrown away the line under way."""

    async def _read(self, prompt: str) -> tuple[str, str]:
        editor = LineEditor(self.history)
        self.terminal.write(prompt)
        while not self.ends_line(key := await self.terminal.key()):
            if key == CTRL_C:
                editor = LineEditor(self.history)
                self.terminal.write("\n")
                self.cancel()
                self.terminal.write(self.prompt)
            elif self.verbatim or not self.hot_key(key, editor):
                self.terminal.write(editor.press(key))
        return editor.text, key

    async def _serve(self, line: str) -> None:
        """A bare Enter is no line: clients send it to see the prompt."""
        self.terminal.write("\n")
        if not line.strip() and not self.verbatim:
            return
        await self._log.append(line)
        if not self.verbatim:
            self.history.add(line)
        try:
            await self.execute(line)
        except Interrupted:
            self.terminal.write("\n")
        except Reload:
            raise
        except Exception:
            log.exception("a device's command failed")
            self.terminal.write("% Internal error\n")
