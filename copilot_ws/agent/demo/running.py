"""What a router's running configuration says: the networks of its interfaces, OSPF, static routes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Interface

_ADDRESS = re.compile(r" ip address (?P<ip>\S+) (?P<mask>\d\S*)$")
_NETWORK = re.compile(r" network \S+ \S+ area \S+$")
_STATIC = re.compile(r"^ip route (?P<network>\S+) (?P<mask>\S+) .+$", re.M)


@dataclass(frozen=True, slots=True)
class OspfConfiguration:
    """A router's first OSPF process, "" if it has none, and its lines that name networks."""

    process: str = ""
    networks: tuple[str, ...] = ()


def interface_addresses(output: str) -> dict[str, IPv4Interface]:
    """Each interface's primary address with its mask."""
    found: dict[str, IPv4Interface] = {}
    for head, line in _lines(output):
        if head.startswith("interface ") and (match := _ADDRESS.match(line)) and head[10:] not in found:
            try:
                found[head[10:]] = IPv4Interface(f"{match['ip']}/{match['mask']}")
            except ValueError:
                continue
    return found


def ospf_configuration(output: str) -> OspfConfiguration:
    lines = list(_lines(output))
    process = next((head.split()[2] for head, _ in lines if re.match(r"router ospf \d+", head)), "")
    mine = [
        line.strip() for head, line in lines if head.split()[:3] == ["router", "ospf", process] and _NETWORK.match(line)
    ]
    return OspfConfiguration(process, tuple(mine) if process else ())


def static_routes(output: str, network: str, mask: str) -> list[str]:
    """The lines of the static routes to a network."""
    found = _STATIC.finditer(output)
    return [match[0].strip() for match in found if (match["network"], match["mask"]) == (network, mask)]


def _lines(output: str) -> Iterator[tuple[str, str]]:
    """Every line with the unindented one that it stands under."""
    head = ""
    for line in output.splitlines():
        line = line.rstrip()
        if line[:1].strip():
            head = line
        yield head, line
