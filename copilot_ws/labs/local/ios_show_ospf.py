"""OSPF as IOS shows it."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address

from copilot_ws.labs.cli.arguments import short_interface
from copilot_ws.labs.local.ios_times import route_age
from copilot_ws.labs.local.network import Network
from copilot_ws.labs.local.ospf import OspfNeighbour, OspfPort, neighbours, ospf_ports, router_id
from copilot_ws.labs.local.ospf_routes import DISTANCE, PATHS_MAX
from copilot_ws.labs.local.render import network_line
from copilot_ws.labs.local.stack import OspfProcess, Stack

DEAD_SECONDS = 40
HELLO_SECONDS = 10

_NSF = "*** IP Routing is NSF aware ***\n\n"


def neighbour_table(network: Network, stack: Stack) -> str:
    found = sorted(neighbours(network, stack), key=lambda each: _order(each.port))
    if not found:
        return ""
    dead = DEAD_SECONDS - 1 - int(network.clock()) % HELLO_SECONDS
    title = "Neighbor ID     Pri   State           Dead Time   Address         Interface\n"
    return "\n" + title + "".join(_neighbour_line(each, dead) for each in found)


def _neighbour_line(neighbour: OspfNeighbour, dead: int) -> str:
    port, remote = neighbour.port, neighbour.remote
    state = f"FULL/{'DR' if _leads(remote, port) else 'BDR'}"
    start = f"{remote.router_id!s:<15} {1:>3}   {state:<15} 00:00:{dead:02}    "
    return f"{start}{remote.address!s:<15} {port.interface.name}\n"


def interface_brief(network: Network, stack: Stack) -> str:
    ports = sorted(ospf_ports(network, stack), key=_order)
    if not ports:
        return ""
    beside = {each.port.interface.name: each for each in neighbours(network, stack)}
    title = "Interface    PID   Area            IP Address/Mask    Cost  State Nbrs F/C\n"
    return title + "".join(_port_line(port, beside.get(port.interface.name)) for port in ports)


def _port_line(port: OspfPort, neighbour: OspfNeighbour | None) -> str:
    count = 0 if neighbour is None else 1
    state = "LOOP" if port.interface.virtual else _state(port, neighbour)
    start = f"{short_interface(port.interface.name):<12} {port.process.number:<5} {port.area:<15} "
    return f"{start}{port.interface.address!s:<18} {port.cost:<5} {state:<5} {count}/{count}\n"


def _state(port: OspfPort, neighbour: OspfNeighbour | None) -> str:
    return "DR" if neighbour is None or _leads(port, neighbour.remote) else "BDR"


def summary(network: Network, stack: Stack) -> str:
    return "".join(_summary(network, stack, process) for _, process in sorted(stack.ospf.items()))


def _summary(network: Network, stack: Stack, process: OspfProcess) -> str:
    own_id = router_id(network, stack, process)
    if own_id is None:
        return f"%OSPF: Router process {process.number} is not running, please configure a router-id\n"
    ports = [port for port in ospf_ports(network, stack) if port.process is process]
    lines = [f' Routing Process "ospf {process.number}" with ID {own_id}\n']
    lines.append(f" {_areas(ports)}\n Reference bandwidth unit is 100 mbps\n")
    for area in sorted({port.area for port in ports}):
        number = sum(port.area == area for port in ports)
        name = "BACKBONE(0)" if area == 0 else str(area)
        lines.append(f"    Area {name}\n        Number of interfaces in this area is {number}\n")
    return "".join(lines) + "\n"


def protocols(network: Network, stack: Stack) -> str:
    """`show ip protocols`."""
    shown = (_protocol(network, stack, process) for _, process in sorted(stack.ospf.items()))
    return _NSF + "".join(shown)


def _protocol(network: Network, stack: Stack, process: OspfProcess) -> str:
    ports = [port for port in ospf_ports(network, stack) if port.process is process]
    passive = [port.interface.name for port in ports if process.is_passive(port.interface.name)]
    lines = [
        f'Routing Protocol is "ospf {process.number}"',
        "  Outgoing update filter list for all interfaces is not set",
        "  Incoming update filter list for all interfaces is not set",
        f"  Router ID {router_id(network, stack, process) or '0.0.0.0'}",
        f"  {_areas(ports)}",
        f"  Maximum path: {PATHS_MAX}",
        "  Routing for Networks:",
        *(f"    {network_line(each).removeprefix('network ')}" for each in process.networks),
        *(("  Passive Interface(s):", *(f"    {name}" for name in passive)) if passive else ()),
        "  Routing Information Sources:",
        "    Gateway         Distance      Last Update",
        *_sources(network, stack, process),
        f"  Distance: (default is {DISTANCE})",
    ]
    return "\n".join(lines) + "\n\n"


def _areas(ports: list[OspfPort]) -> str:
    count = len({port.area for port in ports})
    return f"Number of areas in this router is {count}. {count} normal 0 stub 0 nssa"


def _sources(network: Network, stack: Stack, process: OspfProcess) -> Iterator[str]:
    """The neighbours that routes come through, and since when."""
    ages: dict[IPv4Address, float] = {}
    for route in network.ospf.routes(stack):
        if route.gateway is not None:
            age = network.ospf.age(stack, route)
            ages[route.gateway] = min(age, ages.get(route.gateway, age))
    for each in neighbours(network, stack):
        if each.port.process is process and each.remote.address in ages:
            yield f"    {each.remote.router_id!s:<15} {DISTANCE:>8}      {route_age(ages[each.remote.address])}"


def _leads(one: OspfPort, other: OspfPort) -> bool:
    """Who is designated router: with equal priorities the higher id."""
    return one.router_id > other.router_id


def _order(port: OspfPort) -> tuple[bool, list[int]]:
    return not port.interface.virtual, port.interface.numbers
