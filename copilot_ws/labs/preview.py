"""Shows what lines would make of a device's configuration, before anything is sent."""

from __future__ import annotations

import difflib
import logging
import re
from collections.abc import Iterator, Sequence
from typing import Final

from hier_config import HConfig

from copilot_ws.labs.base import Platform
from copilot_ws.labs.danger.banner import banner_at
from copilot_ws.labs.danger.plain import is_plain, lines_of
from copilot_ws.labs.forecast import Change, Driver, NotKnown, load, shown
from copilot_ws.labs.sections import Interfaces, in_full, opens

log = logging.getLogger(__name__)

CHARACTERS: Final = 100_000
LINES: Final = 200
"""Of a configuration, and of what is sent: more is not worked out."""

BEFORE: Final = "running-config"
AFTER: Final = "running-config with these lines"

_CONFIGURATION: Final = re.compile(r"^(?:hostname|interface|version|line|router|frr) ", re.M)
_LEAVES: Final = re.compile(r"(?:exit|quit|exit-\S+)$", re.I)
_SKIPPED: Final = re.compile(r"(?:!|do\b)", re.I)
_CONFIGURE: Final = re.compile(r"conf[a-z]*(?: t[a-z]*)?$", re.I)
_HUNK: Final = re.compile(r"@@ -(\d+)")
_TEXT: Final = re.compile(r"(?:no )?(?:desc|remark)", re.I)


def preview(platform: Platform, running: str, lines: Sequence[str]) -> str | None:
    """A unified diff of the configuration `running`, as the device shows it, against the one after `lines`.

    "" if nothing changes; None if that cannot be worked out. Comments, `do` and what comes after `end` are
    no configuration. It is a forecast: the device may refuse a line, or show it in other words.
    """
    sent = lines_of(lines)
    bounded = len(running) <= CHARACTERS and len(sent) <= LINES and sum(map(len, sent)) <= CHARACTERS
    if platform not in ("ios", "generic") or not bounded or not _CONFIGURATION.search(running):
        return None
    try:
        return _preview(platform, running, sent)
    except NotKnown:
        return None
    except Exception:
        # A forecast is a help only: whatever the library makes of an odd configuration, the question is asked.
        log.exception("a preview failed")
        return None


def _preview(platform: Platform, running: str, sent: Sequence[str]) -> str:
    driver = Driver(many_addresses=platform == "generic")
    present = HConfig(driver)
    load(present, running)
    before = shown(present)
    change = Change(driver, present)
    shortened = platform == "ios" or any(name[:1].isupper() for name in change.interfaces)
    for section, line in _placed(sent, change, shortened):
        change.add(section, line)
    return _difference(before, shown(change.finished()))


def _placed(lines: Sequence[str], change: Change, shortened: bool) -> Iterator[tuple[list[str], str]]:
    """The sections that each configuring line stands in, and the line in full; `shortened` as of `Interfaces`."""
    path: list[str] = []
    outside, banner_end = False, -1
    for number, line in enumerate(lines):
        if number <= banner_end:
            continue
        if not outside and (banner := banner_at(lines, number)):
            banner_end = banner.end
            yield [], _banner("\n".join(lines[number : banner_end + 1]))
        elif _CONFIGURE.match(line):
            outside, path = False, []
        elif line.lower() == "end" or (not path and _LEAVES.match(line)):
            outside = True
        elif _LEAVES.match(line):
            path = path[:-1]
        elif not outside and not _SKIPPED.match(line):
            path, text = _find_place(path, _checked(line), Interfaces(change.interfaces, shortened))
            yield path, text
            path = [*path, text] if opens(text, path[-1] if path else "") else path


def _checked(line: str) -> str:
    """Raises NotKnown for what a device may read in another way than a person."""
    if not is_plain(line) and not _TEXT.match(line):
        raise NotKnown
    return line


def _find_place(path: list[str], line: str, interfaces: Interfaces) -> tuple[list[str], str]:
    """The innermost of the sections that takes the line, and the line in full."""
    while path:
        text, stays = in_full(line, path[-1], interfaces)
        if stays:
            return path, text
        path = path[:-1]
    text, _ = in_full(line, "", interfaces)
    if text.startswith("interface range"):
        raise NotKnown
    return [], text


def _banner(text: str) -> str:
    """A banner as a configuration shows it."""
    found = re.fullmatch(r"\S+ +(?:([A-Za-z-]+) +)?(\S)(.*)", text, re.S)
    if found is None:
        return text
    body = found[3].split(found[2], 1)[0].removeprefix("C" if found[2] == "^" else "")
    return f"banner {found[1] or 'motd'} ^C{body}^C"


def _difference(before: list[str], after: list[str]) -> str:
    lines = difflib.unified_diff(before, after, BEFORE, AFTER, n=3, lineterm="")
    return "\n".join(f"{line}{_section(before, line)}" for line in lines)


def _section(before: list[str], header: str) -> str:
    """The section that a hunk begins in the middle of, for its header, as in `git diff`."""
    found = _HUNK.match(header)
    start = int(found[1]) - 1 if found else 0
    if not 0 < start < len(before) or not before[start].startswith(" "):
        return ""
    return next((f" {line}" for line in reversed(before[:start]) if not line.startswith(" ")), "")
