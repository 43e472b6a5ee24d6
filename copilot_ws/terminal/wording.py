"""Turns tool calls, their results and times into short lines of text."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

PREVIEW_LINES = 4
LINE_WIDTH = 160
# What came of a call, where the status alone may not say it. What was not run has no output worth showing.
ENDINGS = {
    "rejected": "rejected by a person, not run",
    "replaced": "not run: a person changed it, and the model is to call it again that way",
    "expired": "expired: nobody decided in time, not run",
    "limited": "limit reached, not run",
    "unknown": "unknown: it may have been applied, check the device",
}
NOT_RUN = frozenset({"rejected", "replaced", "expired"})
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def program() -> str:
    """How this program is called here: by its path where it is not on the PATH, as in a virtual environment."""
    called = sys.argv[0]
    elsewhere = Path(called).stem == "copilot-ws" and shutil.which("copilot-ws") != called
    return called if elsewhere else "copilot-ws"


def printable(text: str) -> str:
    """`text` without control characters: neither a model nor a device may steer the terminal."""
    return _CONTROL.sub("", text)


def visible(text: str) -> str:
    """`text` on one line with all that a terminal would hide or obey as an escape: what is confirmed can be seen."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def cut(text: str, width: int = LINE_WIDTH) -> str:
    """`text` on one line of at most `width` characters."""
    line = " ".join(text.split())
    return line if len(line) <= width else f"{line[: width - 3]}..."


def duration(milliseconds: int) -> str:
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def clock(at: str) -> str:
    """The time of day, here, of an ISO 8601 time; "" if it is none."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%H:%M:%S")
    except ValueError:
        return ""


def call_words(name: str, arguments: str) -> list[str]:
    """A call as one line, or with a line for each device where it concerns several."""
    devices = _device_words(arguments)
    if devices is None:
        plain = cut(arguments)
        return [name if plain in ("", "{}") else f"{name} {plain}"]
    if len(devices) == 1:
        return [f"{name} {devices[0]}"]
    return [name, *(f"  {device}" for device in devices)]


def _device_words(arguments: str) -> list[str] | None:
    """`R1: show ip route; show version` for each device; None if the arguments are not of that kind."""
    try:
        wanted = json.loads(arguments)["device_configs"]
        return [cut(f"{item['device_name']}: {'; '.join(_commands(item))}") for item in wanted] or None
    except (ValueError, KeyError, TypeError):
        return None


def _commands(item: dict[str, Any]) -> list[str]:
    return [str(line) for line in item.get("commands") or item.get("config_commands") or []]


def preview(output: str) -> list[str]:
    """The first lines of a result, device by device; what is left out is counted."""
    entries = _entries(output)
    if entries is not None:
        return [line for entry in entries for line in _head(str(entry.get("output") or ""))]
    found = _json(output)
    plain = cut((_contents(found) if isinstance(found, dict) else "") or output)
    return [plain] if plain not in ("", "{}") else []


def _contents(found: dict[str, Any]) -> str:
    """`nodes (2): R1, R2; links (1)` of an object that holds lists."""
    return "; ".join(_counted(key, value) for key, value in found.items() if isinstance(value, list))


def _counted(key: str, items: list[Any]) -> str:
    names = [str(item["name"]) for item in items if isinstance(item, dict) and "name" in item]
    return f"{key} ({len(items)}){': ' if names else ''}{', '.join(names)}"


def _head(text: str) -> list[str]:
    lines = [line.rstrip()[:LINE_WIDTH] for line in text.splitlines() if line.strip()]
    left = len(lines) - PREVIEW_LINES
    if left <= 1:  # a line that says "1 more line" is no shorter than that line
        return lines
    return [*lines[:PREVIEW_LINES], f"({left} more lines)"]


def faults(output: str) -> list[str]:
    """What a result says went wrong, device by device."""
    entries = _entries(output)
    if entries is not None:
        return [line for entry in entries for line in _entry_faults(entry)]
    found = _json(output)
    error = found.get("error") if isinstance(found, dict) else None
    return [cut(str(error), 400)] if error else []


def reason(output: str) -> str:
    """What a person said who rejected a call."""
    found = _json(output)
    return cut(str(found.get("reason") or ""), 400) if isinstance(found, dict) else ""


def _entry_faults(entry: dict[str, Any]) -> Iterable[str]:
    name = entry.get("device_name", "?")
    if entry.get("error"):
        yield cut(f"{name}: {entry['error']}", 400)
    for blocked in entry.get("blocked_commands") or ():
        yield cut(f"{name}: {blocked.get('command')}: {blocked.get('reason')}", 400)


def _entries(output: str) -> list[dict[str, Any]] | None:
    found = _json(output)
    entries = found.get("results") if isinstance(found, dict) else None
    if isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries):
        return entries
    return None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
