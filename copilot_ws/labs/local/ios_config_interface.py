"""The commands of interface configuration."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Interface

from copilot_ws.labs.cli.tree import Match
from copilot_ws.labs.local.ios_edit import Command, Edit, given, prefix_length
from copilot_ws.labs.local.router import Refused

DESCRIPTION_MAX = 200

_CAUTION = "% Warning: use /31 mask on non point-to-point interface cautiously\n"


def _description(edit: Edit, match: Match) -> None:
    edit.port.description = (match.text("text") or "")[:DESCRIPTION_MAX]


def _no_description(edit: Edit, match: Match) -> None:
    edit.port.description = ""


def _shutdown(edit: Edit, match: Match) -> None:
    edit.port.enabled = False


def _no_shutdown(edit: Edit, match: Match) -> None:
    edit.port.enabled = True


def _address(edit: Edit, match: Match) -> str | None:
    port, wanted = edit.port, _wanted(match)
    prefix = wanted.network.prefixlen
    if not _is_host(wanted, port.virtual):
        raise Refused(f"Bad mask /{prefix} for address {wanted.ip}")
    for other in edit.router.stack.interfaces.values():
        if other is not port and other.address and other.address.network.overlaps(wanted.network):
            raise Refused(f"% {wanted.network.network_address} overlaps with {other.name}")
    port.address, port.method = wanted, edit.method
    return _CAUTION if prefix == 31 and not port.virtual and edit.method == "manual" else None


def _wanted(match: Match) -> IPv4Interface:
    address, mask = given(match, "address"), given(match, "mask")
    prefix = prefix_length(mask)
    if not prefix:
        raise Refused(f"Bad mask 0x{int(mask):X} for address {address}")
    if address.is_multicast or address.is_loopback or int(address) >> 24 in (0, 255) or address.is_reserved:
        raise Refused(f"Not a valid host address - {address}")
    return IPv4Interface((address, prefix))


def _is_host(wanted: IPv4Interface, virtual: bool) -> bool:
    ends: tuple[IPv4Address, ...] = (wanted.network.network_address, wanted.network.broadcast_address)
    prefix = wanted.network.prefixlen
    return wanted.ip not in ends if prefix < 31 else prefix == 31 or virtual


def _no_address(edit: Edit, match: Match) -> None:
    port, wanted = edit.port, match.address("address")
    if wanted is not None and (port.address is None or port.address.ip != wanted):
        raise Refused("% Invalid address")
    port.address, port.method = None, edit.method


def _cost(edit: Edit, match: Match) -> None:
    edit.port.ospf_cost = match.number("cost", 1)


def _no_cost(edit: Edit, match: Match) -> None:
    edit.port.ospf_cost = None


COMMANDS: dict[str, Command] = {
    "description": _description,
    "ip address": _address,
    "ip ospf cost": _cost,
    "no description": _no_description,
    "no ip address": _no_address,
    "no ip ospf cost": _no_cost,
    "no shutdown": _no_shutdown,
    "shutdown": _shutdown,
}
