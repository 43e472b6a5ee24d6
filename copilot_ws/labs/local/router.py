"""An IOS-like router's configuration, and the lines that change it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from copilot_ws.labs.cli.ios_config import GLOBAL, INTERFACE, LINE, MODES
from copilot_ws.labs.cli.tree import Fault, Invalid, Match, parse
from copilot_ws.labs.local.network import Interface, Stack, StaticRoute

PORTS = tuple(f"GigabitEthernet0/{number}" for number in range(4))
INITIAL_TTL = 255

BOILERPLATE = frozenset(
    (
        "version 15.7",
        "service timestamps debug datetime msec",
        "service timestamps log datetime msec",
        "no ip domain lookup",
        "ip cef",
        "ip forward-protocol nd",
        "duplex auto",
        "speed auto",
        "control-plane",
    )
)
"""Lines that a configuration shows and that change nothing here."""

_HOSTNAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,62}")


class Refused(Exception):
    """A command that the device understands and declines; the text is what it answers."""


@dataclass(slots=True)
class Router:
    """`startup` is the saved configuration, as text; hostname and stack are the running one."""

    stack: Stack
    hostname: str = "Router"
    startup: str = ""


def power_on_state(node_id: str, number: int, startup: str) -> tuple[Router, list[str]]:
    """A router as it boots from `startup`, and the lines of it that it does not know.

    `number`, unique in its project, gives the hardware addresses.
    """
    stack = Stack(node_id, forwards=True, initial_ttl=INITIAL_TTL)
    for index, name in enumerate(PORTS):
        stack.interfaces[name] = Interface(name, f"0c01{number:06x}{index:02x}", enabled=False)
    router = Router(stack, startup=startup)
    return router, load(router, startup)


def load(router: Router, text: str) -> list[str]:
    """Applies a saved configuration; returns the lines that are not understood.

    A saved interface without `shutdown` is up: that is how a configuration is written.
    """
    editor = Configurator(router, method="NVRAM")
    unknown: list[str] = []
    for line in (raw.strip() for raw in text.splitlines()):
        if not line or line.startswith("!") or line == "end" or line in BOILERPLATE:
            continue
        try:
            editor.apply(line)
        except (Fault, Refused):
            unknown.append(line)
            continue
        if editor.interface is not None and line.startswith("interface "):
            editor.interface.enabled = True
    return unknown


class Configurator:
    """Configuration mode: `apply` takes one line; `mode` and `interface` are where it stands."""

    def __init__(self, router: Router, method: str = "manual") -> None:
        self.mode = GLOBAL
        self.interface: Interface | None = None
        self._router = router
        self._stack = router.stack
        self._method = method
        self._commands: dict[str, Callable[[Match], None]] = {
            "description": self._description,
            "end": self._exit,
            "exit": self._exit,
            "hostname": self._hostname,
            "interface": self._enter_interface,
            "ip address": self._address,
            "ip route": self._route,
            "line": self._enter_line,
            "login": self._nothing,
            "no description": self._no_description,
            "no hostname": self._no_hostname,
            "no interface": self._no_interface,
            "no ip address": self._no_address,
            "no ip route": self._no_route,
            "no login": self._nothing,
            "no shutdown": self._no_shutdown,
            "shutdown": self._shutdown,
        }

    def apply(self, line: str) -> None:
        """Raises `Fault` for what is no command in this mode, `Refused` for what cannot be done."""
        match = self._parse(line)
        self._commands[match.command](match)

    def _parse(self, line: str) -> Match:
        try:
            return parse(MODES[self.mode], line)
        except Invalid as fault:
            if self.mode == GLOBAL:
                raise
            return self._parse_global(line, fault)

    def _parse_global(self, line: str, inner: Invalid) -> Match:
        """A line that a mode does not know may be one of `config`; it then leaves that mode."""
        try:
            match = parse(MODES[GLOBAL], line)
        except Invalid as outer:
            raise max(inner, outer, key=lambda fault: fault.column) from None
        self.mode, self.interface = GLOBAL, None
        return match

    def _port(self) -> Interface:
        if self.interface is None:
            raise Refused("% No interface selected")
        return self.interface

    def _nothing(self, match: Match) -> None:
        """Accepted and without effect here."""

    def _exit(self, match: Match) -> None:
        self.mode, self.interface = GLOBAL, None

    def _enter_line(self, match: Match) -> None:
        self.mode, self.interface = LINE, None

    def _enter_interface(self, match: Match) -> None:
        name = match.text("interface") or ""
        if name not in self._stack.interfaces:
            if not name.startswith("Loopback"):
                raise match.invalid("interface")
            self._stack.interfaces[name] = Interface(name, "0" * 12)
        self.mode, self.interface = INTERFACE, self._stack.interfaces[name]

    def _no_interface(self, match: Match) -> None:
        name = match.text("interface") or ""
        if name not in self._stack.interfaces:
            raise match.invalid("interface")
        if not self._stack.interfaces[name].virtual:
            raise Refused("% Removal of physical interfaces is not permitted")
        del self._stack.interfaces[name]
        self.mode, self.interface = GLOBAL, None

    def _hostname(self, match: Match) -> None:
        name = match.text("name") or ""
        if not _HOSTNAME.fullmatch(name):
            raise Refused("% Hostname contains one or more illegal characters.")
        self._router.hostname = name

    def _no_hostname(self, match: Match) -> None:
        self._router.hostname = "Router"

    def _description(self, match: Match) -> None:
        self._port().description = (match.text("text") or "")[:200]

    def _no_description(self, match: Match) -> None:
        self._port().description = ""

    def _shutdown(self, match: Match) -> None:
        self._port().enabled = False

    def _no_shutdown(self, match: Match) -> None:
        self._port().enabled = True

    def _address(self, match: Match) -> None:
        port, address = self._port(), match.address("address")
        prefix = _prefix_length(match.address("mask"))
        if address is None or prefix is None or prefix == 0:
            raise Refused(f"Bad mask 0x{int(match.address('mask') or 0):X} for address {address}")
        wanted = IPv4Interface((address, prefix))
        if prefix < 31 and address in (wanted.network.network_address, wanted.network.broadcast_address):
            raise Refused(f"Bad mask /{prefix} for address {address}")
        for other in self._stack.interfaces.values():
            if other is not port and other.address and other.address.network.overlaps(wanted.network):
                raise Refused(f"% {wanted.network.network_address} overlaps with {other.name}")
        port.address, port.method = wanted, self._method

    def _no_address(self, match: Match) -> None:
        port = self._port()
        wanted = match.address("address")
        if wanted is not None and (port.address is None or port.address.ip != wanted):
            raise Refused("% Invalid address")
        port.address, port.method = None, self._method

    def _route(self, match: Match) -> None:
        network, gateway, interface = _destination(match), match.address("gateway"), match.text("interface")
        route = StaticRoute(network, gateway, interface, match.number("distance", 1))
        if route.interface is not None and route.interface not in self._stack.interfaces:
            raise match.invalid("interface")
        same = (route.network, route.gateway, route.interface)
        statics = [old for old in self._stack.statics if (old.network, old.gateway, old.interface) != same]
        self._stack.statics = [*statics, route]

    def _no_route(self, match: Match) -> None:
        network, gateway, interface = _destination(match), match.address("gateway"), match.text("interface")
        gone = [
            route
            for route in self._stack.statics
            if route.network == network and gateway in (None, route.gateway) and interface in (None, route.interface)
        ]
        if not gone:
            raise Refused("%No matching route to delete")
        self._stack.statics = [route for route in self._stack.statics if route not in gone]


def _destination(match: Match) -> IPv4Network:
    address, prefix = match.address("prefix"), _prefix_length(match.address("mask"))
    if address is None or prefix is None:
        raise Refused("%Inconsistent address and mask")
    network = IPv4Network((address, prefix), strict=False)
    if network.network_address != address:
        raise Refused("%Inconsistent address and mask")
    return network


def _prefix_length(mask: IPv4Address | None) -> int | None:
    """None for what is no mask: its ones must stand left of its zeros."""
    if mask is None:
        return None
    hosts = int(mask) ^ 0xFFFFFFFF
    return None if hosts & (hosts + 1) else 32 - hosts.bit_length()
