"""Shortest paths over the areas of an OSPF domain.

Between areas routes go through area 0 only: a border router tells area 0 what its other areas hold, and
its other areas what it has from area 0. There are no summaries, no external routes and no virtual links.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network
from itertools import count

from copilot_ws.labs.local.stack import OSPF, OSPF_INTER, Route

BACKBONE = 0
DISTANCE = 110
PATHS_MAX = 4

Speaker = tuple[str, int]
"""A routing process: node_id and process number."""


@dataclass(frozen=True, slots=True, order=True)
class Hop:
    """Where a path begins: the interface, and the neighbour's address on it."""

    interface: str
    gateway: IPv4Address


@dataclass(frozen=True, slots=True)
class Neighbouring:
    speaker: Speaker
    cost: int
    hop: Hop


@dataclass(slots=True)
class Advertisement:
    """What a router tells an area: its neighbours there, and its networks with the cost of reaching them."""

    links: list[Neighbouring] = field(default_factory=list)
    stubs: dict[IPv4Network, int] = field(default_factory=dict)


Area = Mapping[Speaker, Advertisement]
Database = Mapping[int, Area]
"""By area."""


@dataclass(frozen=True, slots=True)
class Path:
    """`hops` are the first steps of all shortest ways."""

    cost: int
    hops: frozenset[Hop] = frozenset()

    def behind(self, first: Path) -> Path:
        """This path, seen from before `first`, which leads to its start."""
        return Path(first.cost + self.cost, first.hops)


Paths = dict[IPv4Network, Path]


def routes(database: Database, speaker: Speaker) -> list[Route]:
    """All that `speaker` learns; what it is connected to itself is left out."""
    own = {network for area in database.values() if speaker in area for network in area[speaker].stubs}
    inside = _intra(database, speaker)
    across = {network: path for network, path in _inter(database, speaker).items() if network not in inside}
    found = [*_as_routes(inside, OSPF), *_as_routes(across, OSPF_INTER)]
    return [route for route in found if route.network not in own]


def _as_routes(paths: Paths, source: str) -> Iterator[Route]:
    for network, path in sorted(paths.items()):
        for hop in sorted(path.hops)[:PATHS_MAX]:
            yield Route(source, network, hop.interface, hop.gateway, DISTANCE, path.cost)


def _intra(database: Database, speaker: Speaker, but: int | None = None) -> Paths:
    """What the areas of `speaker`, without area `but`, hold themselves."""
    found: Paths = {}
    for number, area in database.items():
        if number == but or speaker not in area:
            continue
        for other, path in shortest_paths(area, speaker).items():
            for network, cost in area[other].stubs.items():
                _add(found, network, Path(cost).behind(path))
    return found


def _inter(database: Database, speaker: Speaker) -> Paths:
    """What border routers tell `speaker`: in area 0 if it has that, else in its own areas."""
    backbone = database.get(BACKBONE, {})
    areas = [BACKBONE] if speaker in backbone else [number for number in database if speaker in database[number]]
    found: Paths = {}
    for number in areas:
        for border, path in shortest_paths(database[number], speaker).items():
            if border == speaker or border not in backbone:
                continue
            for network, beyond in _told(database, border, number).items():
                _add(found, network, beyond.behind(path))
    return found


def _told(database: Database, border: Speaker, area: int) -> Paths:
    """What a border router tells `area`."""
    found = _intra(database, border, but=area)
    if area != BACKBONE:
        for network, path in _inter(database, border).items():
            found.setdefault(network, path)
    return found


def _add(paths: Paths, network: IPv4Network, path: Path) -> None:
    known = paths.get(network)
    if known is None or path.cost < known.cost:
        paths[network] = path
    elif path.cost == known.cost:
        paths[network] = Path(path.cost, known.hops | path.hops)


def shortest_paths(area: Area, root: Speaker) -> dict[Speaker, Path]:
    """The routers of an area that `root` reaches; itself at cost 0."""
    done: dict[Speaker, Path] = {}
    best = {root: Path(0)}
    order = count()
    queue = [(0, next(order), root)]
    while queue:
        cost, _, speaker = heapq.heappop(queue)
        if speaker in done:
            continue
        done[speaker] = best[speaker]
        for link in area[speaker].links:
            if link.speaker not in area or link.speaker in done:
                continue
            hops = best[speaker].hops or frozenset((link.hop,))
            path, known = Path(cost + link.cost, hops), best.get(link.speaker)
            if known is None or path.cost < known.cost:
                best[link.speaker] = path
                heapq.heappush(queue, (path.cost, next(order), link.speaker))
            elif path.cost == known.cost:
                best[link.speaker] = Path(path.cost, known.hops | path.hops)
    return done
