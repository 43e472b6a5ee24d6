"""What happens to the output of a show command: the filters behind `|`, and paging."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

from copilot_ws.labs.cli.ios_exec import PATTERN, PIPE_SLOT
from copilot_ws.labs.cli.tree import Match
from copilot_ws.labs.local.ios_regex import Pattern
from copilot_ws.labs.local.keyboard import ENTER
from copilot_ws.labs.local.shell import Terminal

SCREEN_LINES = 24

MORE = " --More-- "
MORE_ERASED = "\b" * 9 + " " * 8 + "\b" * 9

Filter = Callable[[list[str], Pattern], list[str]]


async def filtered(text: str, match: Match) -> str:
    """`text` through the command's filter, if it has one. Raises `BadPattern`."""
    kind, source = match.text(PIPE_SLOT), match.text(PATTERN)
    if kind is None or source is None:
        return text
    pattern = Pattern(source)
    lines = await asyncio.to_thread(_FILTERS[kind], text.splitlines(), pattern)
    return "".join(f"{line}\n" for line in lines)


async def page(terminal: Terminal, text: str, lines: int) -> None:
    """Shows `text`, `lines` at a time (0: all): blank for a screen, Enter for a line, any other key ends it."""
    room = lines - 1
    for line in text.splitlines():
        if lines and room <= 0:
            room = await _more(terminal, lines)
            if not room:
                return
        terminal.write(f"{line}\n")
        room -= 1


async def _more(terminal: Terminal, lines: int) -> int:
    """How many more lines may be shown."""
    terminal.write(MORE)
    key = await terminal.key()
    terminal.write(MORE_ERASED)
    return {" ": lines - 1 or 1, ENTER: 1}.get(key, 0)


def _include(lines: list[str], pattern: Pattern) -> list[str]:
    return [line for line in lines if pattern.found_in(line)]


def _exclude(lines: list[str], pattern: Pattern) -> list[str]:
    return [line for line in lines if not pattern.found_in(line)]


def _begin(lines: list[str], pattern: Pattern) -> list[str]:
    first = next((at for at, line in enumerate(lines) if pattern.found_in(line)), len(lines))
    return lines[first:]


def _section(lines: list[str], pattern: Pattern) -> list[str]:
    found = (section for section in _sections(lines) if any(map(pattern.found_in, section)))
    return [line for section in found for line in section]


def _sections(lines: list[str]) -> Iterator[list[str]]:
    """Each line at the margin, with the indented lines below it."""
    section: list[str] = []
    for line in lines:
        if section and not line.startswith(" "):
            yield section
            section = []
        section.append(line)
    if section:
        yield section


_FILTERS: dict[str, Filter] = {
    "begin": _begin,
    "exclude": _exclude,
    "include": _include,
    "section": _section,
}
