"""The commands of global configuration, and of terminal lines."""

from __future__ import annotations

import re

from copilot_ws.labs.cli.ios_config import INTERFACE, LINE
from copilot_ws.labs.cli.tree import Match
from copilot_ws.labs.local.ios_banner import BannerText
from copilot_ws.labs.local.ios_edit import TOP, Command, Edit, Place, given
from copilot_ws.labs.local.router import LINES, PORTS, Refused, new_line
from copilot_ws.labs.local.stack import Interface

HOSTNAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,62}")
DEFAULT_HOSTNAME = "Router"
LOOPBACKS_MAX = 1000

_NO_SECRETS = "% This router keeps no secrets: enable never asks for a password."
_KINDS = {"console": "con"}


def _exit(edit: Edit, match: Match) -> None:
    edit.ended = edit.place == TOP
    edit.place = TOP


def _end(edit: Edit, match: Match) -> None:
    edit.place, edit.ended = TOP, True


def _nothing(edit: Edit, match: Match) -> None:
    """Accepted: it is so already, and always."""


def _refuse_secret(edit: Edit, match: Match) -> None:
    raise Refused(_NO_SECRETS)


def _refuse_do(edit: Edit, match: Match) -> None:
    raise Refused("% No exec commands in a saved configuration")


def _hostname(edit: Edit, match: Match) -> None:
    name = match.text("name") or ""
    if not HOSTNAME.fullmatch(name):
        raise Refused("% Hostname contains one or more illegal characters.")
    edit.router.hostname = name


def _no_hostname(edit: Edit, match: Match) -> None:
    edit.router.hostname = DEFAULT_HOSTNAME


def _interface(edit: Edit, match: Match) -> None:
    name, interfaces = match.text("interface") or "", edit.router.stack.interfaces
    if name not in interfaces:
        if not name.startswith("Loopback") or int(name.removeprefix("Loopback")) > 2147483647:
            raise match.invalid("interface")
        if len(interfaces) >= LOOPBACKS_MAX + len(PORTS):
            raise Refused("% No more interfaces can be created")
        name = f"Loopback{int(name.removeprefix('Loopback'))}"
        interfaces.setdefault(name, Interface(name, "0" * 12))
    edit.place = Place(INTERFACE, interface=name)


def _no_interface(edit: Edit, match: Match) -> None:
    """Takes what names the interface with it."""
    port = edit.interface(match)
    if not port.virtual:
        raise Refused("% Removal of physical interfaces is not permitted")
    stack = edit.router.stack
    del stack.interfaces[port.name]
    stack.statics = [route for route in stack.statics if route.interface != port.name]
    for process in stack.ospf.values():
        process.passive.discard(port.name)
        process.active.discard(port.name)
    edit.place = TOP


def _default_interface(edit: Edit, match: Match) -> str:
    """As a router without any configuration has it."""
    port = edit.interface(match)
    edit.router.stack.interfaces[port.name] = Interface(port.name, port.mac, enabled=port.virtual)
    edit.place = TOP
    return f"Building configuration...\n\nInterface {port.name} set to default configuration\n"


def _host(edit: Edit, match: Match) -> None:
    edit.router.hosts[(match.text("name") or "").lower()] = given(match, "address")


def _no_host(edit: Edit, match: Match) -> None:
    edit.router.hosts.pop((match.text("name") or "").lower(), None)


def _banner(edit: Edit, match: Match) -> str | None:
    banner = BannerText(match.text("text") or "")
    if banner.complete:
        edit.router.banner = banner.text
        return None
    edit.banner = banner
    return banner.question


def _no_banner(edit: Edit, match: Match) -> None:
    edit.router.banner = ""


def _line(edit: Edit, match: Match) -> None:
    kind, first = match.text("line") or "", match.number("first", 0)
    last = match.number("last", first)
    if last < first:
        raise match.invalid("last")
    lines = [(_KINDS.get(kind, kind), number) for number in range(last + 1)]
    for line in lines:  # a vty line brings those before it along
        edit.router.lines.setdefault(line, new_line(line[0]))
    edit.place = Place(LINE, lines=tuple(lines[first:]))


def _no_line(edit: Edit, match: Match) -> None:
    """Removes the line and those behind it; a router keeps its first ones."""
    first = ("vty", match.number("first", 0))
    if first in LINES:
        raise Refused("% Can't delete last 5 VTY lines")
    for line in [line for line in edit.router.lines if line[0] == "vty" and line >= first]:
        del edit.router.lines[line]
    edit.place = TOP


def _set_line(edit: Edit, match: Match) -> None:
    shown = " ".join((match.command, *map(str, match.values.values())))
    for line in edit.place.lines:
        edit.router.lines[line][match.command] = shown


def _unset_line(edit: Edit, match: Match) -> None:
    """That no password is asked for has to be said of a vty line: its default is to ask."""
    setting = match.command.removeprefix("no ")
    for line in edit.place.lines:
        edit.router.lines[line].pop(setting, None)
        if setting in new_line(line[0]):
            edit.router.lines[line][setting] = match.command


_SETTINGS = ("exec-timeout", "logging synchronous", "login", "password", "privilege level", "transport input")

COMMANDS: dict[str, Command] = {
    "banner motd": _banner,
    "default interface": _default_interface,
    "do": _refuse_do,
    "duplex auto": _nothing,
    "enable password": _refuse_secret,
    "enable secret": _refuse_secret,
    "end": _end,
    "exit": _exit,
    "hostname": _hostname,
    "interface": _interface,
    "ip host": _host,
    "line": _line,
    "no banner motd": _no_banner,
    "no enable password": _nothing,
    "no enable secret": _nothing,
    "no hostname": _no_hostname,
    "no interface": _no_interface,
    "no ip domain lookup": _nothing,
    "no ip domain-lookup": _nothing,
    "no ip host": _no_host,
    "no line": _no_line,
    "speed auto": _nothing,
    **dict.fromkeys(_SETTINGS, _set_line),
    **dict.fromkeys((f"no {setting}" for setting in _SETTINGS), _unset_line),
}
