"""What a console prints, as clean lines: a terminal, the transcript of a command, the tail of a node."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from typing import Final

LINE_MAX: Final = 65536
"""Characters after which a line without an end is broken."""

RECENT_LINES: Final = 64

_ESCAPE_MAX = 256
_TOKEN = re.compile(
    r"(?P<text>[^\x00-\x1f\x7f-\x9f]+)"
    r"|\x1b\[(?P<number>\d*+)[0-?]*+[ -/]*+(?P<final>[@-~])"
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b[ -/]*[0-Z\\^-~]"
    r"|(?P<control>[\x00-\x1f\x7f-\x9f])"
)
_UNFINISHED = re.compile(r"\x1b(?:\[[\d;:?<=>! -/]*|\][^\x07\x1b]*\x1b?|[ -/]*)?\Z")


class Screen:
    """A terminal of one endless line: carriage returns, backspaces and erasures act on the line under way.

    That is how pagers take their mark away and how long commands are redrawn. `emit` gets each finished line.
    """

    def __init__(self, emit: Callable[[str], None]) -> None:
        self._emit = emit
        self._pending = ""
        self._column = 0
        self.line = ""

    def feed(self, text: str) -> None:
        text = self._pending + text
        unfinished = _UNFINISHED.search(text)
        if unfinished and unfinished.end() - unfinished.start() <= _ESCAPE_MAX:
            text, self._pending = text[: unfinished.start()], unfinished.group()
        else:
            self._pending = ""
        for token in _TOKEN.finditer(text):
            if token["text"]:
                self._write(token["text"])
            elif token["control"]:
                self._control(token["control"])
            elif token["final"]:
                self._sequence(token["final"], int(token["number"][:5] or 0))

    def erase(self) -> None:
        """Empties the line under way."""
        self.line, self._column = "", 0

    def _write(self, text: str) -> None:
        while text:
            part, text = text[: LINE_MAX - self._column], text[LINE_MAX - self._column :]
            before = self.line[: self._column].ljust(self._column)
            self._column += len(part)
            self.line = before + part + self.line[self._column :]
            if text:
                self._end_line()

    def _end_line(self) -> None:
        line = self.line
        self.erase()
        self._emit(line)

    def _control(self, control: str) -> None:
        if control == "\n":
            self._end_line()
        elif control == "\r":
            self._column = 0
        elif control == "\b":
            self._column = max(0, self._column - 1)
        elif control == "\t":
            self._write(" " * (8 - self._column % 8))

    def _sequence(self, final: str, number: int) -> None:
        """The control sequences that line editors and pagers use; all others only colour."""
        step = number or 1
        if final == "K":
            left, right = self.line[: self._column], self.line[self._column + 1 :]
            self.line = {0: left, 1: " " * (self._column + 1) + right}.get(number, "")
        elif final == "C":
            self._column = min(self._column + step, LINE_MAX - 1)
        elif final == "D":
            self._column = max(0, self._column - step)
        elif final == "G":
            self._column = min(step, LINE_MAX) - 1
        elif final == "P":
            self.line = self.line[: self._column] + self.line[self._column + step :]
        elif final == "@":
            self.line = (self.line[: self._column] + " " * step + self.line[self._column :])[:LINE_MAX]
        elif final in "HJ":
            self.erase()


class Transcript:
    """What one command printed: its head, up to `limit` characters, and its last lines whatever their number.

    `size` counts the characters that came, `cut` those of the text that were dropped.
    """

    def __init__(self, limit: int) -> None:
        self.screen = Screen(self._finished)
        self.recent: deque[str] = deque(maxlen=RECENT_LINES)
        self.size = 0
        self.cut = 0
        self._head: list[str] = []
        self._room = limit

    def _finished(self, line: str) -> None:
        line = line.rstrip()
        self.recent.append(line)
        if self._room == 0:
            self.cut += len(line) + 1
            return
        self.cut += max(0, len(line) - self._room)
        self._head.append(line[: self._room])
        self._room = max(0, self._room - len(line) - 1)

    def feed(self, text: str) -> None:
        self.size += len(text)
        self.screen.feed(text)

    def lines(self) -> list[str]:
        """The finished lines of the head."""
        return list(self._head)

    def text(self) -> str:
        """The head, with the line under way."""
        return "\n".join([*self._head, self.screen.line]).strip("\n").rstrip()


class Tail:
    """The last lines that a console printed, at most `lines` of them and `size` UTF-8 bytes."""

    def __init__(self, lines: int, size: int) -> None:
        self._screen = Screen(self._finished)
        self._lines: deque[str] = deque()
        self._max_lines = lines
        self._room = size

    def feed(self, text: str) -> None:
        self._screen.feed(text)

    def _finished(self, line: str) -> None:
        line = line.rstrip()
        self._lines.append(line)
        self._room -= len(line.encode()) + 1
        while self._lines and (len(self._lines) > self._max_lines or self._room < 0):
            self._room += len(self._lines.popleft().encode()) + 1

    @property
    def line(self) -> str:
        """The line under way, as it looks."""
        return self._screen.line

    def reconnect(self) -> None:
        """Ends the line under way: what a new connection sends is not its continuation."""
        if self._screen.line:
            self._screen.feed("\r\n")

    def last(self, lines: int) -> list[str]:
        """The last `lines` lines, oldest first, with the one under way."""
        under_way = self._screen.line.rstrip()
        everything = [*self._lines, under_way] if under_way else list(self._lines)
        return everything[-lines:] if lines > 0 else []
