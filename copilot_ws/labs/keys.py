"""The keys that each platform's command line takes, how much of them, and how long is waited for what comes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from copilot_ws.labs.base import Platform

INTERRUPT: Final[dict[Platform, str]] = {
    "ios": "\x1e\x03",
    "vpcs": "\x03",
    "linux": "\x03",
    "generic": "\x03",
}
_TO_THE_END_AND_ERASE: Final = "\x05\x15"
KILL_LINE: Final[dict[Platform, str]] = {
    "ios": _TO_THE_END_AND_ERASE,
    "vpcs": "\x03",
    "linux": _TO_THE_END_AND_ERASE,
    "generic": _TO_THE_END_AND_ERASE,
}
"""Takes back what was typed and not entered, wherever the cursor stands: Ctrl-U erases what is left of it only.

VPCS ignores Ctrl-U; its Ctrl-C gives a new prompt.
"""

SYNC_QUIET: Final[dict[Platform, float]] = {"ios": 0.02, "vpcs": 0.3, "linux": 0.05, "generic": 0.05}
"""VPCS loses what comes between a CR and its prompt. Elsewhere the echo guards against a stale prompt."""

COMMAND_MAX: Final[dict[Platform, int]] = {"ios": 2000, "vpcs": 200, "linux": 2000, "generic": 2000}
"""Bytes of a command. A word of 300 characters ends a VPCS process (seen with 0.5b2)."""


@dataclass(frozen=True, slots=True)
class ConsoleLimits:
    """Seconds, but for `output` (characters kept of one answer) and `ceiling` (characters read of one).

    `shared`: how long a person who types may keep a run waiting, `shared_quiet`: after how much quiet they are
    done, `shared_tries`: how often that is waited for.
    """

    connect: float = 5.0
    sync: float = 10.0
    echo: float = 5.0
    quiet: float = 15.0
    total: float = 180.0
    nudge: float = 3.0
    recover: float = 1.5
    shared: float = 60.0
    shared_quiet: float = 5.0
    shared_tries: int = 3
    output: int = 65536
    ceiling: int = 8 << 20
