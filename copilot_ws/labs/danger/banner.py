"""Where the text of a multi-line banner ends, so that its words are not taken for commands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from copilot_ws.labs.danger.plain import is_plain

_TYPES: Final = ("exec", "incoming", "login", "motd", "prompt-timeout", "slip-ppp")
_BANNER: Final = re.compile(r" *(?P<word>[a-z]+) +(?:(?P<type>[a-z-]+) +)?(?P<mark>[^\sa-z0-9])(?P<text>.*)", re.I)


@dataclass(frozen=True, slots=True)
class Banner:
    """`end` is the index of the line that holds the closing delimiter, `rest` what stands behind it there."""

    end: int
    rest: str


def banner_at(lines: Sequence[str], start: int) -> Banner | None:
    """The banner that begins in line `start`; None if there is none, or if it is not sure where it ends."""
    found = _BANNER.fullmatch(lines[start]) if is_plain(lines[start]) else None
    if found is None or not _opens(found["word"].lower(), (found["type"] or "motd").lower()):
        return None
    mark = found["mark"]
    for end in range(start, len(lines)):
        text = found["text"] if end == start else lines[end]
        if mark in text:
            rest = text.split(mark, 1)[1]
            return Banner(end, rest.removeprefix("C") if mark == "^" else rest)
    return None


def _opens(word: str, kind: str) -> bool:
    return len(word) >= 3 and "banner".startswith(word) and any(name.startswith(kind) for name in _TYPES)
