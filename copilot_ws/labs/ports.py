"""Finding the port of a node that a person or a model means: `Gi0/0`, `gigabitethernet 0/0`, `e0`, `eth1`, `2`."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from copilot_ws.labs.base import Port
from copilot_ws.wire.errors import Conflict, InvalidArgument

Place = tuple[int, int]
"""A port's adapter and port number, which name it within its node."""

_NAME = re.compile(r"([a-z]*)([\d/:.-]*)")
_ALIASES = {"ge": "gigabitethernet", "gig": "gigabitethernet", "port": ""}


def place_of(port: Port) -> Place:
    return port.adapter_number, port.port_number


def free_port(node_name: str, ports: Sequence[Port], used: Collection[Place], wanted: str) -> Port:
    """The port that `wanted` names. Raises `InvalidArgument` if there is none, `Conflict` if it has a link."""
    free = [port.short_name for port in ports if place_of(port) not in used]
    details = {"node": node_name, "free_ports": free}
    offer = f"Free ports: {', '.join(free)}." if free else "It has no free port."
    found = find_port(ports, wanted)
    if found is None:
        raise InvalidArgument(f"{node_name} has no port {wanted[:40]!r}. {offer}", details)
    if place_of(found) in used:
        raise Conflict(f"{found.short_name} of {node_name} is linked already. {offer}", details)
    return found


def find_port(ports: Sequence[Port], wanted: str) -> Port | None:
    """By either of its names; else by a name whose kind is shortened, lengthened or left out, if only one fits."""
    text = _bare(wanted)
    for port in ports:
        if text in (_bare(port.name), _bare(port.short_name)):
            return port
    alike = [port for port in ports if any(_alike(text, _bare(name)) for name in (port.name, port.short_name))]
    return alike[0] if len(alike) == 1 else None


def _bare(name: str) -> str:
    return "".join(name.lower().split())


def _alike(wanted: str, own: str) -> bool:
    one, other = _NAME.fullmatch(wanted), _NAME.fullmatch(own)
    if one is None or other is None or not one[2] or one[2].lstrip("-") != other[2].lstrip("-"):
        return False
    kind = _ALIASES.get(one[1], one[1])
    return other[1].startswith(kind) or kind.startswith(other[1])
