"""The IP state of one device, as data: interfaces, routes, neighbours, routing processes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Final

CONNECTED: Final = "C"
LOCAL: Final = "L"
STATIC: Final = "S"
OSPF: Final = "O"
OSPF_INTER: Final = "O IA"


@dataclass(slots=True)
class Interface:
    """An interface as configured. `mac` is 12 hexadecimal digits; `method` how its address was set."""

    name: str
    mac: str
    address: IPv4Interface | None = None
    enabled: bool = True
    description: str = ""
    method: str = "unset"
    ospf_cost: int | None = None

    @property
    def virtual(self) -> bool:
        return self.name.startswith("Loopback")

    @property
    def numbers(self) -> list[int]:
        """The numbers in the name, to sort by."""
        return [int(part) for part in re.findall(r"\d+", self.name)]


@dataclass(frozen=True, slots=True)
class StaticRoute:
    network: IPv4Network
    gateway: IPv4Address | None = None
    interface: str | None = None
    distance: int = 1


@dataclass(frozen=True, slots=True)
class Route:
    """One line of a routing table. Without `gateway` its hosts are neighbours on `interface`."""

    source: str
    network: IPv4Network
    interface: str | None = None
    gateway: IPv4Address | None = None
    distance: int = 0
    metric: int = 0


@dataclass(frozen=True, slots=True)
class Neighbour:
    """What ARP learnt: whose `mac`, seen on `interface` at `time` (seconds, monotonic)."""

    mac: str
    interface: str
    time: float


@dataclass(frozen=True, slots=True)
class OspfNetwork:
    """Runs OSPF in `area` on the interfaces whose address equals `address` where `wildcard` has zeros."""

    address: IPv4Address
    wildcard: IPv4Address
    area: int

    def covers(self, address: IPv4Address) -> bool:
        return not (int(address) ^ int(self.address)) & ~int(self.wildcard)


@dataclass(slots=True)
class OspfProcess:
    """`router ospf N` as configured. `passive` and `active` hold interfaces that differ from the default."""

    number: int
    router_id: IPv4Address | None = None
    networks: list[OspfNetwork] = field(default_factory=list)
    passive_default: bool = False
    passive: set[str] = field(default_factory=set)
    active: set[str] = field(default_factory=set)

    def is_passive(self, interface: str) -> bool:
        return interface not in self.active if self.passive_default else interface in self.passive


@dataclass(slots=True)
class Stack:
    """The IP state of one powered device.

    `learned` are routes of protocols that do not run here: candidates beside connected and static ones.
    Without `routing` only neighbours are reached.
    """

    node_id: str
    forwards: bool
    initial_ttl: int
    interfaces: dict[str, Interface] = field(default_factory=dict)
    statics: list[StaticRoute] = field(default_factory=list)
    learned: list[Route] = field(default_factory=list)
    arp: dict[IPv4Address, Neighbour] = field(default_factory=dict)
    ospf: dict[int, OspfProcess] = field(default_factory=dict)
    routing: bool = True
