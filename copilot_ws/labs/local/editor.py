"""A line being typed: what each key does to it, and what the terminal shows for that."""

from __future__ import annotations

from collections import deque

from copilot_ws.labs.local.keyboard import DOWN, UP

BELL = "\a"
LINE_MAX = 254
"""Characters of one line; further ones are refused with a bell, as IOS does."""

_ERASE_CHAR = frozenset("\b\x7f")
_ERASE_LINE = frozenset("\x15\x18")
_ERASE_WORD = "\x17"
_OLDER = frozenset((UP, "\x10"))
_NEWER = frozenset((DOWN, "\x0e"))


class History:
    """The last lines, oldest first."""

    def __init__(self, size: int = 20) -> None:
        self.lines: deque[str] = deque(maxlen=size)

    def add(self, line: str) -> None:
        if line.strip() and (not self.lines or self.lines[-1] != line):
            self.lines.append(line)


class LineEditor:
    """Editing at the end of the line; `press` gives the echo of a key."""

    def __init__(self, history: History | None = None) -> None:
        self.text = ""
        self._history = list(history.lines) if history else []
        self._at = len(self._history)

    def press(self, key: str) -> str:
        """What the terminal must show. Keys that mean nothing here are ignored."""
        if key in _ERASE_CHAR:
            return self._erase(1 if self.text else 0)
        if key in _ERASE_LINE:
            return self._erase(len(self.text))
        if key == _ERASE_WORD:
            return self._erase(len(self.text) - self._word_start())
        if key in _OLDER:
            return self._recall(self._at - 1)
        if key in _NEWER:
            return self._recall(self._at + 1)
        return self._insert(key) if len(key) == 1 and key.isprintable() else ""

    def _insert(self, key: str) -> str:
        if len(self.text) >= LINE_MAX:
            return BELL
        self.text += key
        return key

    def _erase(self, count: int) -> str:
        self.text = self.text[: len(self.text) - count]
        return "\b \b" * count

    def _word_start(self) -> int:
        return self.text.rstrip().rfind(" ") + 1

    def _recall(self, at: int) -> str:
        if not 0 <= at <= len(self._history):
            return BELL
        self._at = at
        shown = self._erase(len(self.text))
        self.text = self._history[at] if at < len(self._history) else ""
        return shown + self.text
