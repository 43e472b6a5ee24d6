"""Interfaces as IOS shows them."""

from __future__ import annotations

from copilot_ws.labs.cli.arguments import short_interface
from copilot_ws.labs.cli.tree import Match
from copilot_ws.labs.local.network import Network
from copilot_ws.labs.local.stack import Interface, Stack

_COUNTERS = """\
  Last input never, output never, output hang never
  Last clearing of "show interface" counters never
  Input queue: 0/75/0/0 (size/max/drops/flushes); Total output drops: 0
  Queueing strategy: fifo
  Output queue: 0/40 (size/max)
  5 minute input rate 0 bits/sec, 0 packets/sec
  5 minute output rate 0 bits/sec, 0 packets/sec
     0 packets input, 0 bytes, 0 no buffer
     0 input errors, 0 CRC, 0 frame, 0 overrun, 0 ignored
     0 packets output, 0 bytes, 0 underruns
     0 output errors, 0 collisions, 0 interface resets
"""


def dotted(mac: str) -> str:
    """Twelve digits in three groups: `0c01.0000.0100`."""
    return f"{mac[:4]}.{mac[4:8]}.{mac[8:]}"


def ordered(stack: Stack) -> list[Interface]:
    """Physical interfaces first, each kind by number."""
    return sorted(stack.interfaces.values(), key=lambda port: (port.virtual, port.numbers))


def brief(network: Network, stack: Stack) -> str:
    lines = [_brief_line(network, stack, port) for port in ordered(stack)]
    title = f"{'Interface':<26} {'IP-Address':<15} OK? Method {'Status':<21} Protocol\n"
    return "".join((title, *lines))


def _brief_line(network: Network, stack: Stack, port: Interface) -> str:
    address = str(port.address.ip) if port.address else "unassigned"
    status, protocol = _state(network, stack, port)
    return f"{port.name:<26} {address:<15} YES {port.method:<6} {status:<21} {protocol:<8}\n"


def descriptions(network: Network, stack: Stack) -> str:
    lines = ["Interface                      Status         Protocol Description\n"]
    for port in ordered(stack):
        status, protocol = _state(network, stack, port)
        shown = status.replace("administratively", "admin")
        lines.append(f"{short_interface(port.name):<30} {shown:<14} {protocol:<8} {port.description}\n")
    return "".join(lines)


def protocols(network: Network, stack: Stack) -> str:
    lines = ["Global values:\n  Internet Protocol routing is enabled\n"]
    for port in ordered(stack):
        status, protocol = _state(network, stack, port)
        lines.append(f"{port.name} is {status}, line protocol is {protocol}\n")
        if port.address is not None:
            lines.append(f"  Internet address is {port.address}\n")
    return "".join(lines)


def detail(network: Network, stack: Stack, match: Match) -> str:
    """All interfaces, or the one that was named."""
    name = match.text("interface")
    if name is None:
        return "".join(_detail(network, stack, port) for port in ordered(stack))
    if name not in stack.interfaces:
        raise match.invalid("interface")
    return _detail(network, stack, stack.interfaces[name])


def _detail(network: Network, stack: Stack, port: Interface) -> str:
    status, protocol = _state(network, stack, port)
    hardware = "Loopback" if port.virtual else f"iGbE, address is {dotted(port.mac)} (bia {dotted(port.mac)})"
    lines = [f"{port.name} is {status}, line protocol is {protocol} \n  Hardware is {hardware}\n"]
    if port.description:
        lines.append(f"  Description: {port.description}\n")
    if port.address is not None:
        lines.append(f"  Internet address is {port.address}\n")
    lines.append(_VIRTUAL if port.virtual else _PHYSICAL)
    return "".join((*lines, _COUNTERS))


_VIRTUAL = """\
  MTU 1514 bytes, BW 8000000 Kbit/sec, DLY 5000 usec,\x20
     reliability 255/255, txload 1/255, rxload 1/255
  Encapsulation LOOPBACK, loopback not set
"""

_PHYSICAL = """\
  MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec,\x20
     reliability 255/255, txload 1/255, rxload 1/255
  Encapsulation ARPA, loopback not set
  Keepalive set (10 sec)
  Auto Duplex, Auto Speed, link type is auto, media type is RJ45
  output flow-control is unsupported, input flow-control is unsupported
  ARP type: ARPA, ARP Timeout 04:00:00
"""


def _state(network: Network, stack: Stack, port: Interface) -> tuple[str, str]:
    """Status and line protocol."""
    if not port.enabled:
        return "administratively down", "down"
    return ("up", "up") if network.is_up(stack, port) else ("down", "down")
