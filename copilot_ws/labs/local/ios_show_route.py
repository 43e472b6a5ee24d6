"""The routing table as IOS shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv4Network
from itertools import groupby

from copilot_ws.labs.cli.tree import Match
from copilot_ws.labs.local.ios_times import route_age
from copilot_ws.labs.local.network import Network, lookup
from copilot_ws.labs.local.stack import CONNECTED, LOCAL, OSPF, OSPF_INTER, STATIC, Route, Stack

_CODES = """\
Codes: L - local, C - connected, S - static, R - RIP, M - mobile, B - BGP
       D - EIGRP, EX - EIGRP external, O - OSPF, IA - OSPF inter area\x20
       N1 - OSPF NSSA external type 1, N2 - OSPF NSSA external type 2
       E1 - OSPF external type 1, E2 - OSPF external type 2
       i - IS-IS, su - IS-IS summary, L1 - IS-IS level-1, L2 - IS-IS level-2
       ia - IS-IS inter area, * - candidate default, U - per-user static route
       o - ODR, P - periodic downloaded static route, H - NHRP, l - LISP
       a - application route
       + - replicated route, % - next hop override, p - overrides from PfR

"""

_DEFAULT = IPv4Network("0.0.0.0/0")
_KNOWN_VIA = {CONNECTED: "connected", LOCAL: "connected", STATIC: "static", OSPF: "ospf", OSPF_INTER: "ospf"}
_KINDS = {
    CONNECTED: " (connected, via interface)",
    LOCAL: " (connected, via interface)",
    OSPF: ", type intra area",
    OSPF_INTER: ", type inter area",
}
_NO_ROUTING = """\
Default gateway is not set

Host               Gateway           Last Use    Total Uses  Interface
ICMP redirect cache is empty
"""


def show(network: Network, stack: Stack, match: Match) -> str:
    """The whole table, the routes of one source, or the entry for one address."""
    if not stack.routing:
        return _NO_ROUTING
    table = network.table(stack)
    address = match.address("address")
    if address is not None:
        return _entry(table, address)
    source = match.text("source")
    if source is not None:
        table = [route for route in table if _KNOWN_VIA.get(route.source) == source]
    return f"{_CODES}{_last_resort(table)}\n\n{_Listing(network, stack).text(table)}"


def _last_resort(table: Iterable[Route]) -> str:
    default = next((route for route in table if route.network == _DEFAULT), None)
    if default is None:
        return "Gateway of last resort is not set"
    return f"Gateway of last resort is {default.gateway or '0.0.0.0'} to network 0.0.0.0"


class _Listing:
    """The table's lines: each classful network, its subnets under it."""

    def __init__(self, network: Network, stack: Stack) -> None:
        self._network = network
        self._stack = stack

    def text(self, table: list[Route]) -> str:
        parts: list[str] = []
        for major, group in groupby(table, key=lambda route: _major(route.network)):
            routes = list(group)
            subnets = [route for route in routes if route.network.prefixlen > major.prefixlen]
            parts += self._lines([route for route in routes if route not in subnets], 6)
            if subnets:
                parts += [_summary(major, subnets), *self._lines(subnets, 9)]
        return "".join(parts)

    def _lines(self, routes: list[Route], indent: int) -> Iterator[str]:
        """Further routes to the same network stand under the first, without it."""
        for target, group in groupby(routes, key=lambda route: (route.network, route.source)):
            start = f"{_code(*target):<{indent}}{target[0]}"
            for route in group:
                yield f"{start} {self._via(route)}\n"
                start = " " * len(start)

    def _via(self, route: Route) -> str:
        if route.gateway is None:
            return f"is directly connected, {route.interface}"
        learned = route.source in (OSPF, OSPF_INTER)
        age = f", {route_age(self._network.ospf.age(self._stack, route))}" if learned else ""
        out = f", {route.interface}" if route.interface else ""
        return f"[{route.distance}/{route.metric}] via {route.gateway}{age}{out}"


def _code(network: IPv4Network, source: str) -> str:
    return f"{source}*" if network == _DEFAULT else source


def _summary(major: IPv4Network, subnets: list[Route]) -> str:
    networks = {route.network for route in subnets}
    masks = {network.prefixlen for network in networks}
    if len(masks) == 1:
        return f"      {major.network_address}/{masks.pop()} is subnetted, {len(networks)} subnets\n"
    return f"      {major} is variably subnetted, {len(networks)} subnets, {len(masks)} masks\n"


def _entry(table: list[Route], address: IPv4Address) -> str:
    route = lookup((route for route in table if route.network != _DEFAULT), address)
    if route is None:
        inside = any(address in _major(other.network) for other in table if other.network != _DEFAULT)
        return "% Subnet not in table\n" if inside else "% Network not in table\n"
    kind = _KINDS.get(route.source, "")
    via = route.gateway or f"directly connected, via {route.interface}"
    return (
        f"Routing entry for {route.network}\n"
        f'  Known via "{_KNOWN_VIA.get(route.source, route.source)}", '
        f"distance {route.distance}, metric {route.metric}{kind}\n"
        "  Routing Descriptor Blocks:\n"
        f"  * {via}\n"
        f"      Route metric is {route.metric}, traffic share count is 1\n"
    )


def _major(network: IPv4Network) -> IPv4Network:
    """The classful network that a route is listed under; a wider prefix stands for itself."""
    first = int(network.network_address) >> 24
    length = 8 if first < 128 else 16 if first < 192 else 24 if first < 224 else 32
    return network if network.prefixlen <= length else network.supernet(new_prefix=length)
