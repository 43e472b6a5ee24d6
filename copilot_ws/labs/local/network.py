"""The IP network of a project: interfaces, cables and routing tables, without I/O."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from copilot_ws.labs.local.ospf_memory import OspfMemory
from copilot_ws.labs.local.stack import (
    CONNECTED,
    LOCAL,
    STATIC,
    Interface,
    Neighbour,
    Route,
    Stack,
    StaticRoute,
)

RECURSION_MAX = 8
"""How many next hops may resolve through one another."""


@dataclass(frozen=True, slots=True)
class Plug:
    """One end of a cable."""

    node_id: str
    interface: str


@dataclass(frozen=True, slots=True)
class Hop:
    """Where a packet leaves: the interface, and whose hardware address ARP asks for there."""

    interface: Interface
    address: IPv4Address


class Network:
    """The cables between devices, and the stacks of those that are powered."""

    def __init__(self, cables: Iterable[tuple[Plug, Plug]] = (), clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._stacks: dict[str, Stack] = {}
        self._far: dict[Plug, Plug] = {}
        self.ospf = OspfMemory(self, clock)
        for one, other in cables:
            self.connect(one, other)

    def stacks(self) -> Iterable[Stack]:
        return self._stacks.values()

    def attach(self, stack: Stack) -> None:
        self._stacks[stack.node_id] = stack
        self.settle()

    def detach(self, node_id: str) -> None:
        self._stacks.pop(node_id, None)
        self.settle()

    def connect(self, one: Plug, other: Plug) -> None:
        self._far[one], self._far[other] = other, one
        self.settle()

    def disconnect(self, one: Plug, other: Plug) -> None:
        del self._far[one], self._far[other]
        self.settle()

    def peer(self, stack: Stack, interface: Interface) -> tuple[Stack, Interface] | None:
        """The enabled interface at the other end of the cable, if its device is powered."""
        far = self._far.get(Plug(stack.node_id, interface.name))
        other = self._stacks.get(far.node_id) if far else None
        port = other.interfaces.get(far.interface) if far and other else None
        return (other, port) if other and port and port.enabled else None

    def settle(self) -> None:
        """Has to be called when an interface or a routing process was configured."""
        self.ospf.settle()

    def is_up(self, stack: Stack, interface: Interface) -> bool:
        """Whether the line protocol is up."""
        return interface.enabled and (interface.virtual or self.peer(stack, interface) is not None)

    def owns(self, stack: Stack, address: IPv4Address) -> bool:
        return any(
            port.address is not None and port.address.ip == address and self.is_up(stack, port)
            for port in stack.interfaces.values()
        )

    def table(self, stack: Stack) -> list[Route]:
        """The installed routes: for each prefix those with the lowest distance, then metric."""
        if not stack.routing:
            return _best(self._connected(stack))
        learned = (route for route in stack.learned if route.distance < 255)
        routes = [*self._connected(stack), *self.ospf.routes(stack), *learned]
        waiting = list(stack.statics)
        while True:
            usable = [static for static in waiting if self._usable(stack, static, routes)]
            if not usable:
                return _best(routes)
            routes += [_installed(static) for static in usable]
            waiting = [static for static in waiting if static not in usable]

    def resolve(self, stack: Stack, target: IPv4Address) -> Hop | None:
        """The next hop towards `target`, None without a route."""
        routes = self.table(stack)
        for _ in range(RECURSION_MAX):
            route = lookup(routes, target)
            if route is None:
                return None
            if route.interface is not None:
                return Hop(stack.interfaces[route.interface], route.gateway or target)
            if route.gateway is None or route.gateway == target:
                return None
            target = route.gateway
        return None

    def neighbour(self, stack: Stack, hop: Hop) -> tuple[Stack, Interface] | None:
        """Who answers the ARP request for `hop`; both sides then know each other's hardware address."""
        peer = self.peer(stack, hop.interface) if hop.interface.enabled else None
        mine = hop.interface.address
        if peer is None or mine is None or not self._answers(*peer, mine.ip, hop.address):
            return None
        other, port = peer
        now = self.clock()
        stack.arp[hop.address] = Neighbour(port.mac, hop.interface.name, now)
        other.arp[mine.ip] = Neighbour(hop.interface.mac, port.name, now)
        return peer

    def heard(self, stack: Stack, interface: Interface, address: IPv4Address) -> str | None:
        """The hardware address of a neighbour on `interface` that has `address` itself."""
        peer = self.peer(stack, interface)
        port = peer[1] if peer else None
        return port.mac if port and port.address and port.address.ip == address else None

    def _answers(self, stack: Stack, port: Interface, asking: IPv4Address, wanted: IPv4Address) -> bool:
        """A device answers ARP only to its own subnet; routers also for hosts they can route to."""
        if port.address is None or asking not in port.address.network:
            return False
        if port.address.ip == wanted:
            return True
        if not stack.forwards or wanted in port.address.network:
            return False
        hop = self.resolve(stack, wanted)
        return hop is not None and hop.interface is not port

    def _connected(self, stack: Stack) -> list[Route]:
        routes: list[Route] = []
        for port in stack.interfaces.values():
            if port.address is None or not self.is_up(stack, port):
                continue
            routes.append(Route(CONNECTED, port.address.network, port.name))
            if port.address.network.prefixlen < 32:
                routes.append(Route(LOCAL, IPv4Network(port.address.ip), port.name))
        return routes

    def _usable(self, stack: Stack, static: StaticRoute, routes: list[Route]) -> bool:
        if static.interface is not None:
            port = stack.interfaces.get(static.interface)
            return port is not None and self.is_up(stack, port)
        if static.gateway is None or self.owns(stack, static.gateway):
            return False
        via = lookup(routes, static.gateway)
        return via is not None and via.network != static.network


def lookup(routes: Iterable[Route], target: IPv4Address) -> Route | None:
    """The longest match; of equal ones the first."""
    fitting = (route for route in routes if target in route.network)
    return max(fitting, key=lambda route: route.network.prefixlen, default=None)


def _installed(static: StaticRoute) -> Route:
    return Route(STATIC, static.network, static.interface, static.gateway, static.distance)


def _best(routes: list[Route]) -> list[Route]:
    best: dict[IPv4Network, tuple[int, int]] = {}
    for route in routes:
        rank = (route.distance, route.metric)
        best[route.network] = min(rank, best.get(route.network, rank))
    chosen = [route for route in routes if (route.distance, route.metric) == best[route.network]]
    return sorted(chosen, key=lambda route: (route.network, route.source))
