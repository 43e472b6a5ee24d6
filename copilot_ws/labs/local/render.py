"""A router's configuration as the text that IOS would show."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from copilot_ws.labs.local.ios_banner import banner_line
from copilot_ws.labs.local.router import Router
from copilot_ws.labs.local.stack import Interface, OspfNetwork, OspfProcess, StaticRoute

_HEAD = """\
!
version 15.7
service timestamps debug datetime msec
service timestamps log datetime msec
!
hostname {hostname}
!
"""

_LINE_KINDS = ("con", "aux", "vty")


def configuration(router: Router) -> str:
    """The running configuration, as it is saved: from the first `!` to `end`."""
    stack = router.stack
    ports = sorted(stack.interfaces.values(), key=lambda port: (not port.virtual, port.numbers))
    return "".join(
        (
            _HEAD.format(hostname=router.hostname),
            "" if stack.routing else "no ip routing\n!\n",
            "no ip domain lookup\n",
            *(f"ip host {name} {address}\n" for name, address in sorted(router.hosts.items())),
            "ip cef\n!\n",
            *(f"{interface_section(port)}!\n" for port in ports),
            *(f"{_ospf_section(process)}!\n" for _, process in sorted(stack.ospf.items())),
            "ip forward-protocol nd\n!\n",
            *(f"{_route_line(route)}\n" for route in sorted(stack.statics, key=_route_rank)),
            "!\n" if stack.statics else "",
            "control-plane\n!\n",
            f"{banner_line(router.banner)}\n!\n" if router.banner else "",
            *_line_sections(router),
            "!\nend\n",
        )
    )


def interface_section(port: Interface) -> str:
    lines = [f"interface {port.name}"]
    if port.description:
        lines.append(f" description {port.description}")
    if port.address is None:
        lines.append(" no ip address")
    else:
        lines.append(f" ip address {port.address.ip} {port.address.netmask}")
    if port.ospf_cost is not None:
        lines.append(f" ip ospf cost {port.ospf_cost}")
    if not port.enabled:
        lines.append(" shutdown")
    if not port.virtual:
        lines += [" duplex auto", " speed auto"]
    return "\n".join(lines) + "\n"


def _ospf_section(process: OspfProcess) -> str:
    lines = [f"router ospf {process.number}"]
    if process.router_id is not None:
        lines.append(f" router-id {process.router_id}")
    if process.passive_default:
        lines.append(" passive-interface default")
        lines += [f" no passive-interface {name}" for name in sorted(process.active)]
    lines += [f" passive-interface {name}" for name in sorted(process.passive)]
    lines += [f" {network_line(network)}" for network in sorted(process.networks, key=_network_rank)]
    return "\n".join(lines) + "\n"


def network_line(network: OspfNetwork) -> str:
    return f"network {network.address} {network.wildcard} area {network.area}"


def _network_rank(network: OspfNetwork) -> tuple[int, int]:
    return int(network.address), int(network.wildcard)


def _route_line(route: StaticRoute) -> str:
    target = f"{route.network.network_address} {route.network.netmask}"
    via = " ".join(str(part) for part in (route.interface, route.gateway) if part is not None)
    distance = "" if route.distance == 1 else f" {route.distance}"
    return f"ip route {target} {via}{distance}"


def _route_rank(route: StaticRoute) -> tuple[int, int, int, str]:
    network = route.network
    return int(network.network_address), network.prefixlen, route.distance, f"{route.interface} {route.gateway}"


def _line_sections(router: Router) -> Iterator[str]:
    """Neighbouring lines of one kind with the same settings share a section."""
    lines = sorted(router.lines.items(), key=lambda item: (_LINE_KINDS.index(item[0][0]), item[0][1]))
    for (kind, settings), group in groupby(lines, key=lambda item: (item[0][0], sorted(item[1].values()))):
        numbers = [number for (_, number), _ in group]
        last = f" {numbers[-1]}" if len(numbers) > 1 else ""
        yield f"line {kind} {numbers[0]}{last}\n" + "".join(f" {setting}\n" for setting in settings)
