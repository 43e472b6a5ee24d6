"""A router's configuration as the text that IOS would show."""

from __future__ import annotations

from copilot_ws.labs.local.network import Interface, StaticRoute
from copilot_ws.labs.local.router import Router

_HEAD = """\
!
version 15.7
service timestamps debug datetime msec
service timestamps log datetime msec
!
hostname {hostname}
!
no ip domain lookup
ip cef
!
"""

_TAIL = """\
control-plane
!
line con 0
line aux 0
line vty 0 4
 login
!
end
"""


def configuration(router: Router) -> str:
    """The running configuration, as it is saved: from the first `!` to `end`."""
    ports = sorted(router.stack.interfaces.values(), key=lambda port: (not port.virtual, port.numbers))
    return "".join(
        (
            _HEAD.format(hostname=router.hostname),
            *(f"{interface_section(port)}!\n" for port in ports),
            "ip forward-protocol nd\n!\n",
            *(f"{_route_line(route)}\n" for route in sorted(router.stack.statics, key=_route_rank)),
            "!\n" if router.stack.statics else "",
            _TAIL,
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
    if not port.enabled:
        lines.append(" shutdown")
    if not port.virtual:
        lines += [" duplex auto", " speed auto"]
    return "\n".join(lines) + "\n"


def _route_line(route: StaticRoute) -> str:
    target = f"{route.network.network_address} {route.network.netmask}"
    via = " ".join(str(part) for part in (route.interface, route.gateway) if part is not None)
    distance = "" if route.distance == 1 else f" {route.distance}"
    return f"ip route {target} {via}{distance}"


def _route_rank(route: StaticRoute) -> tuple[int, int, int]:
    return int(route.network.network_address), route.network.prefixlen, route.distance
