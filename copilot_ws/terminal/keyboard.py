"""Reads a person's lines from the terminal, one at a time; waiting for one can be given up at any moment."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from typing import Protocol

if sys.platform != "win32":
    import termios

STDIN, STDERR = 0, 2
LONGEST = 4096


class EndOfInput(Exception):
    """The person has closed the input."""


class Interrupted(Exception):
    """Nobody needs the line any more."""


class Typist(Protocol):
    """A person at a keyboard."""

    @property
    def present(self) -> bool:
        """Whether a question would reach the person now."""

    def drop_typed(self) -> None:
        """What was typed before a question is seen is no answer to it."""

    async def line(self) -> str:
        """The next line, without its end. Raises `EndOfInput`, `Interrupted`."""

    def interrupt(self) -> None:
        """Ends a wait for a line, if there is one."""


def standard_keyboard() -> Keyboard | None:
    """This process's keyboard; None if there is none, or if questions would not be seen."""
    try:
        return Keyboard(STDIN) if os.isatty(STDIN) and os.isatty(STDERR) else None
    except OSError:
        return None


class Keyboard:
    """The terminal itself edits and echoes the line."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._line: asyncio.Future[str] | None = None
        self._typed = b""
        self._reading = False

    @property
    def present(self) -> bool:
        """A process in the background would be halted when it reads."""
        if sys.platform == "win32":
            return True
        try:
            return os.tcgetpgrp(self._fd) == os.getpgrp()
        except OSError:  # no terminal with job control
            return True

    async def line(self) -> str:
        loop = asyncio.get_running_loop()
        self._line = loop.create_future()
        try:
            try:
                loop.add_reader(self._fd, self._readable)
            except NotImplementedError:  # Windows
                self._read_in_thread(loop)
            return await self._line
        finally:
            self._line = None
            with contextlib.suppress(NotImplementedError):
                loop.remove_reader(self._fd)
            self.drop_typed()

    def interrupt(self) -> None:
        if self._line is not None and not self._line.done():
            self._line.set_exception(Interrupted())

    def _readable(self) -> None:
        try:
            self._take(os.read(self._fd, LONGEST))
        except BlockingIOError:
            return
        except OSError:
            self._take(b"")

    def _read_in_thread(self, loop: asyncio.AbstractEventLoop) -> None:
        """A thread that nobody waits for any more stays, and reads for the next one who does."""
        if not self._reading:
            self._reading = True
            threading.Thread(target=self._block, args=(loop,), name="keyboard", daemon=True).start()

    def _block(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            with open(self._fd, "rb", buffering=0, closefd=False) as raw:  # on Windows this reads the console as UTF-8
                data = raw.read(LONGEST) or b""
        except OSError:
            data = b""
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(self._take_from_thread, loop, data)

    def _take_from_thread(self, loop: asyncio.AbstractEventLoop, data: bytes) -> None:
        self._reading = False
        self._take(data)
        if self._line is not None and not self._line.done():
            self._read_in_thread(loop)

    def _take(self, data: bytes) -> None:
        if self._line is None or self._line.done():
            return
        self._typed += data
        if not data:
            self._line.set_exception(EndOfInput())
        elif b"\n" in self._typed:
            self._line.set_result(self._typed.partition(b"\n")[0].decode(errors="replace").rstrip("\r"))

    def drop_typed(self) -> None:
        self._typed = b""
        if sys.platform != "win32":
            with contextlib.suppress(termios.error):
                termios.tcflush(self._fd, termios.TCIFLUSH)
