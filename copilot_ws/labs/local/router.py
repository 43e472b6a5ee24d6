"""An IOS-like router: what it runs, what it has saved, and what both have in common."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from ipaddress import IPv4Address

from copilot_ws.labs.local.stack import Interface, Stack

PORTS = tuple(f"GigabitEthernet0/{number}" for number in range(4))
INITIAL_TTL = 255
LINES: tuple[tuple[str, int], ...] = (("con", 0), ("aux", 0), *(("vty", number) for number in range(5)))
"""The terminal lines that every router has; further vty lines come with their configuration."""

Save = Callable[[str], Awaitable[None]]
"""Keeps the text of a saved configuration. Raises OSError."""


class Refused(Exception):
    """A command that the device understands and declines; the text is what it answers."""


def new_line(kind: str) -> dict[str, str]:
    """The settings of a terminal line that nobody has configured."""
    return {"login": "login"} if kind == "vty" else {}


def _default_lines() -> dict[tuple[str, int], dict[str, str]]:
    return {line: new_line(line[0]) for line in LINES}


@dataclass(slots=True)
class Router:
    """`startup` is the saved configuration, as text; `saved` is what the running one is when nothing differs.

    `lines` are the settings of each terminal line, as shown, by the command that set them.
    """

    stack: Stack
    hostname: str = "Router"
    startup: str = ""
    saved: str = ""
    banner: str = ""
    hosts: dict[str, IPv4Address] = field(default_factory=dict)
    lines: dict[tuple[str, int], dict[str, str]] = field(default_factory=_default_lines)
    debugging: set[str] = field(default_factory=set)


def bare_router(node_id: str, number: int) -> Router:
    """A router without any configuration. `number`, unique in its project, gives the hardware addresses."""
    stack = Stack(node_id, forwards=True, initial_ttl=INITIAL_TTL)
    for index, name in enumerate(PORTS):
        stack.interfaces[name] = Interface(name, f"0c01{number:06x}{index:02x}", enabled=False)
    return Router(stack)
