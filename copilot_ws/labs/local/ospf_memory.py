"""What OSPF has worked out, kept until the topology changes, and how long each route has been there."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network

from copilot_ws.labs.local.ospf import Fabric, database
from copilot_ws.labs.local.ospf_routes import Database, routes
from copilot_ws.labs.local.stack import Route, Stack

_Key = tuple[IPv4Network, IPv4Address | None]


class OspfMemory:
    """`settle` has to be called after each change of the topology."""

    def __init__(self, fabric: Fabric, clock: Callable[[], float]) -> None:
        self._fabric = fabric
        self._clock = clock
        self._database: Database = {}
        self._routes: dict[str, list[Route]] = {}
        self._since: dict[str, dict[_Key, float]] = {}

    def settle(self) -> None:
        """Looks at the topology, and works out what it has changed."""
        now = database(self._fabric)
        if now == self._database:
            return
        self._database, changed = now, self._clock()
        before, self._routes, self._since = self._since, {}, {}
        for stack in self._fabric.stacks():
            if stack.ospf:
                self._learn(stack, before.get(stack.node_id, {}), changed)

    def routes(self, stack: Stack) -> list[Route]:
        return self._routes.get(stack.node_id, [])

    def age(self, stack: Stack, route: Route) -> float:
        """Seconds since one of `routes` came up."""
        return self._clock() - self._since[stack.node_id][route.network, route.gateway]

    def restart(self, stack: Stack) -> None:
        """Its routes are as new."""
        since = self._since.get(stack.node_id, {})
        since.update(dict.fromkeys(since, self._clock()))

    def _learn(self, stack: Stack, known: dict[_Key, float], now: float) -> None:
        found = [route for number in sorted(stack.ospf) for route in routes(self._database, (stack.node_id, number))]
        self._routes[stack.node_id] = found
        keys = ((route.network, route.gateway) for route in found)
        self._since[stack.node_id] = {key: known.get(key, now) for key in keys}
