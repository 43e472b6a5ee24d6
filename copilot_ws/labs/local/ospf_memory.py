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
        self._changed = clock()
        self._routes: dict[str, list[Route]] = {}
        self._since: dict[str, dict[_Key, float]] = {}

    def settle(self) -> None:
        """Looks at the topology; what it has changed is worked out when it is next asked for."""
        now = database(self._fabric)
        if now != self._database:
            self._database, self._changed = now, self._clock()
            self._routes.clear()

    def routes(self, stack: Stack) -> list[Route]:
        if not stack.ospf:
            return []
        if stack.node_id not in self._routes:
            self._learn(stack)
        return self._routes[stack.node_id]

    def age(self, stack: Stack, route: Route) -> float:
        """Seconds since a route came up."""
        since = self._since.get(stack.node_id, {}).get((route.network, route.gateway), self._changed)
        return self._clock() - since

    def restart(self, stack: Stack) -> None:
        """Its routes are as new."""
        now = self._clock()
        self._since[stack.node_id] = {(route.network, route.gateway): now for route in self.routes(stack)}

    def _learn(self, stack: Stack) -> None:
        found = [route for number in sorted(stack.ospf) for route in routes(self._database, (stack.node_id, number))]
        known = self._since.get(stack.node_id, {})
        keys = [(route.network, route.gateway) for route in found]
        self._routes[stack.node_id] = found
        self._since[stack.node_id] = {key: known.get(key, self._changed) for key in keys}
