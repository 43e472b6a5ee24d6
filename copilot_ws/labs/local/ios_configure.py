"""Configuration mode of the IOS-like router: a line is read in its mode, then acts at once."""

from __future__ import annotations

from dataclasses import dataclass

from copilot_ws.labs.cli.ios_config import GLOBAL, MODES
from copilot_ws.labs.cli.tree import Invalid, Match, Node, parse
from copilot_ws.labs.local import ios_config_global, ios_config_interface, ios_config_routing
from copilot_ws.labs.local.ios_edit import TOP, Command, Edit, Place
from copilot_ws.labs.local.router import Router

BOILERPLATE = frozenset(
    (
        "version 15.7",
        "service timestamps debug datetime msec",
        "service timestamps log datetime msec",
        "no ip domain lookup",
        "ip cef",
        "ip forward-protocol nd",
        "control-plane",
    )
)
"""Lines that a configuration shows and that change nothing here: accepted when they are typed, too."""

_COMMANDS: dict[str, Command] = {
    **ios_config_global.COMMANDS,
    **ios_config_interface.COMMANDS,
    **ios_config_routing.COMMANDS,
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a line means, and the place it acts in: above the present one for a command of `config`."""

    match: Match
    place: Place


class Configurator:
    """One session of configuration mode."""

    def __init__(self, router: Router, method: str = "manual") -> None:
        self._edit = Edit(router, method)

    @property
    def place(self) -> Place:
        return self._edit.place

    @property
    def ended(self) -> bool:
        """Whether `end`, or `exit` at the top, has left configuration mode."""
        return self._edit.ended

    @property
    def wants_text(self) -> bool:
        """Whether the next line is a banner's text, not a command."""
        return self._edit.banner is not None

    @property
    def tree(self) -> tuple[Node, ...]:
        return MODES[self.place.mode]

    def apply(self, line: str) -> str:
        """What the device shows. Raises `Fault` for what is no command in this mode, `Refused` for the rest."""
        return "" if self.ignores(line) else self.run(self.read(line))

    def ignores(self, line: str) -> bool:
        """Whether a line changes nothing, though it is no command here."""
        return line.strip() in BOILERPLATE

    def read(self, line: str) -> Reading:
        """Raises `Fault`."""
        try:
            return Reading(parse(self.tree, line), self.place)
        except Invalid as fault:
            if self.place.mode == GLOBAL:
                raise
            return Reading(_read_global(line, fault), TOP)

    def run(self, reading: Reading) -> str:
        """Raises `Invalid` or `Refused`; the session then stands where it stood."""
        before, self._edit.place = self._edit.place, reading.place
        try:
            return _COMMANDS[reading.match.command](self._edit, reading.match) or ""
        except Exception:
            self._edit.place = before
            raise

    def add_text(self, line: str) -> None:
        """A line of the banner that is being typed."""
        banner = self._edit.banner
        if banner is None:
            return
        banner.add(line)
        if banner.complete:
            self._edit.router.banner, self._edit.banner = banner.text, None


def _read_global(line: str, inner: Invalid) -> Match:
    """A line that a mode does not know may be one of `config`. The fault that got further is raised."""
    try:
        return parse(MODES[GLOBAL], line)
    except Invalid as outer:
        raise max(inner, outer, key=lambda fault: fault.column) from None
