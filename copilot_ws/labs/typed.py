"""Configuration lines as they are typed: with the sections they stand in, and only what a console takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile
from typing import Final

Path = tuple[str, ...]
Step = tuple[Path, str | None]
"""A line in its section; None: the section alone, which is made by entering it."""

LINES: Final = re.compile(r"(line [a-z]+) (\d+)(?: (\d+))?$")
"""A section of terminal lines: kind, first, last."""

_BANNER: Final = re.compile(r"banner (\S+) \^C(.*)\^C", re.S)
_DELIMITERS: Final = "#~%@$&*"


def written(steps: Sequence[Step]) -> list[str]:
    """The lines with their sections around them; each section is left, so that no line is read in it by mistake."""
    lines: list[str] = []
    entered: Path = ()
    for path, line in _lines_together(steps):
        common = _in_common(entered, path)
        lines += ["exit"] * (len(entered) - common) + list(path[common:]) + ([line] if line is not None else [])
        entered = path
    return lines + ["exit"] * len(entered)


def _in_common(one: Path, other: Path) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _lines_together(steps: Sequence[Step]) -> Iterator[Step]:
    """Neighbouring terminal lines that get the same settings are one section again."""
    sections = [(key, list(group)) for key, group in groupby(steps, key=lambda step: step[0][:1])]
    place = 0
    while place < len(sections):
        (path, group), end = sections[place], place + 1
        texts = [(step[0][1:], step[1]) for step in group]
        while end < len(sections) and _follows(sections[end - 1], sections[end], texts):
            end += 1
        found = LINES.match(path[0]) if path and end > place + 1 else None
        name = (f"{path[0]} {int(found[2]) + end - place - 1}",) if found else path
        yield from (((*name, *rest), line) for rest, line in texts)
        place = end


def _follows(
    one: tuple[Path, list[Step]], other: tuple[Path, list[Step]], texts: list[tuple[Path, str | None]]
) -> bool:
    found, next_ = (LINES.match(section[0][0]) if section[0] else None for section in (one, other))
    if not found or not next_ or found[1] != next_[1] or int(found[2]) + 1 != int(next_[2]):
        return False
    return [(step[0][1:], step[1]) for step in other[1]] == texts


def sendable(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """The lines as they can be typed, banners on one line, and those that a console takes for keystrokes or help."""
    kept: list[str] = []
    left_out: list[str] = []
    for line in lines:
        text = _banner(line)
        if "\n" in text or "?" in text or not text.isprintable():
            left_out.append(line.split("\n", 1)[0])
        else:
            kept.append(text)
    return kept, left_out


def _banner(line: str) -> str:
    found = _BANNER.fullmatch(line)
    mark = next((mark for mark in _DELIMITERS if found and mark not in found[2]), None)
    return f"banner {found[1]} {mark}{found[2]}{mark}" if found and mark else line
