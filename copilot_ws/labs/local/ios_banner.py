"""A banner's text between its delimiters, which may come in many lines."""

from __future__ import annotations

CARET_C = "^C"
"""Two characters that stand for Ctrl-C: the delimiter that a shown configuration has."""

TEXT_MAX = 2000
"""Characters that are kept; IOS has such a limit too."""

_OTHERS = "#~%@$&!*"


class BannerText:
    """Takes the command's argument, then further lines, until the delimiter comes: then it is `complete`."""

    def __init__(self, argument: str) -> None:
        self._delimiter = CARET_C if argument.startswith(CARET_C) else argument[:1]
        self.text = ""
        self.complete = False
        self._take(argument.removeprefix(self._delimiter))

    @property
    def question(self) -> str:
        return f"Enter TEXT message.  End with the character '{self._delimiter}'.\n"

    def add(self, line: str) -> None:
        self.text += "\n"
        self._take(line)

    def _take(self, piece: str) -> None:
        before, self.complete = piece, self._delimiter in piece
        if self.complete:
            before = piece.partition(self._delimiter)[0]
        self.text = (self.text + before)[:TEXT_MAX]


def banner_line(text: str) -> str:
    """The command that sets `text`, with a delimiter that is not in it."""
    delimiter = next((mark for mark in (CARET_C, *_OTHERS) if mark not in text), CARET_C)
    return f"banner motd {delimiter}{text}{delimiter}"
