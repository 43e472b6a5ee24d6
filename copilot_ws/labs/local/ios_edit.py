"""Where a configuration session stands, for the commands that act on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address

from copilot_ws.labs.cli.ios_config import GLOBAL
from copilot_ws.labs.cli.tree import Match
from copilot_ws.labs.local.ios_banner import BannerText
from copilot_ws.labs.local.router import Refused, Router
from copilot_ws.labs.local.stack import Interface, OspfProcess


@dataclass(frozen=True, slots=True)
class Place:
    """A mode, and which interface, routing process or terminal lines it configures."""

    mode: str = GLOBAL
    interface: str = ""
    process: int = 0
    lines: tuple[tuple[str, int], ...] = ()


TOP = Place()


@dataclass(slots=True)
class Edit:
    """`method` is shown as the origin of addresses, `ended` after the session's last command.

    While there is a `banner`, the lines that come are its text.
    """

    router: Router
    method: str = "manual"
    place: Place = TOP
    ended: bool = False
    banner: BannerText | None = None

    @property
    def port(self) -> Interface:
        return self.router.stack.interfaces[self.place.interface]

    @property
    def process(self) -> OspfProcess:
        return self.router.stack.ospf[self.place.process]

    def interface(self, match: Match) -> Interface:
        """The interface that a line names. Raises `Invalid` if there is none."""
        found = self.router.stack.interfaces.get(match.text("interface") or "")
        if found is None:
            raise match.invalid("interface")
        return found


Command = Callable[[Edit, Match], str | None]
"""Acts at once and returns what is shown. Raises `Invalid` or `Refused`."""


def given(match: Match, name: str) -> IPv4Address:
    """An address that the command's tree demands."""
    address = match.address(name)
    if address is None:
        raise Refused("% Incomplete command.")
    return address


def prefix_length(mask: IPv4Address) -> int | None:
    """None for what is no mask: its ones must stand left of its zeros."""
    hosts = int(mask) ^ 0xFFFFFFFF
    return None if hosts & (hosts + 1) else 32 - hosts.bit_length()
