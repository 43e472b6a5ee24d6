"""OSPF as a pure function of the topology: who are neighbours, and what each router knows about each area."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from typing import Protocol

from copilot_ws.labs.local.ospf_routes import Advertisement, Database, Hop, Neighbouring, Speaker
from copilot_ws.labs.local.stack import Interface, OspfProcess, Stack

COST = 1
"""Of any interface without a cost of its own: 100 Mb/s, the reference, is no more than any of them has."""


class Fabric(Protocol):
    """The powered devices, and what connects them."""

    def stacks(self) -> Iterable[Stack]: ...

    def peer(self, stack: Stack, interface: Interface) -> tuple[Stack, Interface] | None: ...

    def is_up(self, stack: Stack, interface: Interface) -> bool: ...


@dataclass(frozen=True, slots=True)
class OspfPort:
    """An interface that is up, has an address, and is covered by a `network` of a process."""

    interface: Interface
    process: OspfProcess
    router_id: IPv4Address
    area: int
    address: IPv4Address
    network: IPv4Network

    @property
    def cost(self) -> int:
        return self.interface.ospf_cost or COST

    @property
    def passive(self) -> bool:
        return self.interface.virtual or self.process.is_passive(self.interface.name)

    @property
    def stub(self) -> IPv4Network:
        """What is told to others: a loopback is a host, whatever its mask."""
        return IPv4Network(self.address) if self.interface.virtual else self.network


@dataclass(frozen=True, slots=True)
class OspfNeighbour:
    """A router behind `port` that exchanges routes: its interface as it sees it itself."""

    port: OspfPort
    stack: Stack
    remote: OspfPort


def router_id(fabric: Fabric, stack: Stack, process: OspfProcess) -> IPv4Address | None:
    """The configured one, else the highest loopback address, else the highest address; None: it cannot run."""
    if process.router_id is not None:
        return process.router_id
    ports = [port for port in stack.interfaces.values() if port.address is not None and fabric.is_up(stack, port)]
    chosen = [port for port in ports if port.virtual] or ports
    return max((port.address.ip for port in chosen if port.address is not None), default=None)


def ospf_ports(fabric: Fabric, stack: Stack) -> list[OspfPort]:
    """Each interface belongs to one process at most: the first that covers it."""
    found: dict[str, OspfPort] = {}
    for _, process in sorted(stack.ospf.items()):
        own_id = router_id(fabric, stack, process)
        if own_id is None:
            continue
        for interface in stack.interfaces.values():
            at = interface.address
            if at is None or interface.name in found or not fabric.is_up(stack, interface):
                continue
            area = _area(process, at.ip)
            if area is not None:
                found[interface.name] = OspfPort(interface, process, own_id, area, at.ip, at.network)
    return list(found.values())


def _area(process: OspfProcess, address: IPv4Address) -> int | None:
    """Of the most specific `network` that covers `address`."""
    covering = [network for network in process.networks if network.covers(address)]
    return min(covering, key=lambda network: int(network.wildcard)).area if covering else None


def neighbours(fabric: Fabric, stack: Stack) -> Iterator[OspfNeighbour]:
    """Both ends are up, in one subnet and area, not passive, and have different router ids."""
    for port in ospf_ports(fabric, stack):
        peer = fabric.peer(stack, port.interface)
        if peer is None or port.passive:
            continue
        for remote in ospf_ports(fabric, peer[0]):
            if remote.interface is peer[1] and _agree(port, remote):
                yield OspfNeighbour(port, peer[0], remote)


def _agree(port: OspfPort, remote: OspfPort) -> bool:
    return (
        not remote.passive
        and remote.area == port.area
        and remote.network == port.network
        and remote.address != port.address
        and remote.router_id != port.router_id
    )


def database(fabric: Fabric) -> Database:
    """What the routers of each area tell one another."""
    areas: dict[int, dict[Speaker, Advertisement]] = {}
    for stack in fabric.stacks():
        if not stack.ospf:
            continue
        links = list(neighbours(fabric, stack))
        for port in ospf_ports(fabric, stack):
            speaker = (stack.node_id, port.process.number)
            told = areas.setdefault(port.area, {}).setdefault(speaker, Advertisement())
            told.stubs[port.stub] = min(port.cost, told.stubs.get(port.stub, port.cost))
            told.links.extend(_link(link) for link in links if link.port.interface is port.interface)
    return areas


def _link(neighbour: OspfNeighbour) -> Neighbouring:
    speaker = (neighbour.stack.node_id, neighbour.remote.process.number)
    hop = Hop(neighbour.port.interface.name, neighbour.remote.address)
    return Neighbouring(speaker, neighbour.port.cost, hop)
