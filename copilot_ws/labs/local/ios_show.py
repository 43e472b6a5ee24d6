"""The show commands of the IOS-like router, as functions from its state to text."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import IPv4Address

from copilot_ws.labs.cli.tree import Match
from copilot_ws.labs.local import ios_show_interfaces as interfaces
from copilot_ws.labs.local import ios_show_ospf as ospf
from copilot_ws.labs.local import ios_show_route as route
from copilot_ws.labs.local.ios_clear import TOPICS
from copilot_ws.labs.local.network import Network
from copilot_ws.labs.local.render import configuration, interface_section
from copilot_ws.labs.local.router import Router

NVRAM = 524288
"""Bytes, as `show startup-config` and `show version` report it."""


@dataclass(frozen=True, slots=True)
class View:
    """What show commands look at. `booted` is monotonic, in seconds."""

    router: Router
    network: Network
    booted: float
    history: Sequence[str]
    level: int


Show = Callable[[View, Match], str]


def _version(view: View, match: Match) -> str:
    ports = sum(not port.virtual for port in view.router.stack.interfaces.values())
    return (
        "Cisco IOS Software, IOSv Software (COPILOT-EMBEDDED-M), Version 15.7(3)M, SIMULATION\n"
        "This is the embedded lab of copilot-ws: an IOS-like command line, not Cisco software.\n"
        "\n"
        "ROM: Bootstrap program is copilot-ws\n"
        "\n"
        f"{view.router.hostname} uptime is {_uptime(time.monotonic() - view.booted)}\n"
        "System returned to ROM by power-on\n"
        'System image file is "flash0:/copilot-embedded"\n'
        "\n"
        "Cisco IOSv (simulated) processor (revision 1.0) with 524288K bytes of memory.\n"
        f"Processor board ID {view.router.stack.node_id[:8].upper()}\n"
        f"{ports} Gigabit Ethernet interfaces\n"
        f"{NVRAM // 1024}K bytes of non-volatile configuration memory.\n"
        "\n"
        "Configuration register is 0x2102\n"
        "\n"
    )


def _uptime(seconds: float) -> str:
    """The two largest units, as IOS writes them; less than a minute is `0 minutes`."""
    minutes = int(seconds) // 60
    parts: list[tuple[int, str]] = [
        (minutes // 10080, "week"),
        (minutes // 1440 % 7, "day"),
        (minutes // 60 % 24, "hour"),
    ]
    shown = [part for part in parts if part[0]] + [(minutes % 60, "minute")]
    return ", ".join(f"{count} {unit}{'' if count == 1 else 's'}" for count, unit in shown)


def _running(view: View, match: Match) -> str:
    text = configuration(view.router)
    return f"Building configuration...\n\nCurrent configuration : {len(text.encode())} bytes\n{text}\n"


def _running_interface(view: View, match: Match) -> str:
    port = view.router.stack.interfaces.get(match.text("interface") or "")
    if port is None:
        raise match.invalid("interface")
    text = f"!\n{interface_section(port)}end\n"
    return f"Building configuration...\n\nCurrent configuration : {len(text.encode())} bytes\n{text}\n"


def _startup(view: View, match: Match) -> str:
    text = view.router.startup
    if not text.strip():
        return "startup-config is not present\n"
    return f"Using {len(text.encode())} out of {NVRAM} bytes\n{text}\n"


def _clock(view: View, match: Match) -> str:
    now = datetime.now(UTC)
    return f"*{now:%H:%M:%S}.{now.microsecond // 1000:03d} UTC {now:%a %b} {now.day} {now.year}\n"


def _history(view: View, match: Match) -> str:
    return "".join(f"  {line}\n" for line in view.history)


def _users(view: View, match: Match) -> str:
    return (
        "    Line       User       Host(s)              Idle       Location\n"
        "*  0 con 0                idle                 00:00:00   \n"
        "\n"
        "  Interface    User               Mode         Idle     Peer Address\n"
        "\n"
    )


def _arp(view: View, match: Match) -> str:
    stack, now = view.router.stack, view.network.clock()
    rows: dict[IPv4Address, tuple[str, str, str]] = {
        address: (str(int((now - seen.time) / 60)), seen.mac, seen.interface)
        for address, seen in stack.arp.items()
        if seen.interface in stack.interfaces
    }
    for port in stack.interfaces.values():
        if port.address is not None and not port.virtual and view.network.is_up(stack, port):
            rows[port.address.ip] = ("-", port.mac, port.name)
    lines = [
        f"Internet  {address!s:<15}  {age:>8}   {interfaces.dotted(mac)}  ARPA   {name}\n"
        for address, (age, mac, name) in sorted(rows.items())
    ]
    return "".join(("Protocol  Address          Age (min)  Hardware Addr   Type   Interface\n", *lines))


def _debugging(view: View, match: Match) -> str:
    return "".join(f"{TOPICS[topic]} is on\n" for topic in sorted(view.router.debugging))


def _flash(view: View, match: Match) -> str:
    return "-#- --length-- -----date/time------ path\n\n2142715904 bytes available (0 bytes used)\n\n"


def _hosts(view: View, match: Match) -> str:
    lines = (
        f"{name:<25} None  (perm, OK)  0   IP    {address}\n" for name, address in sorted(view.router.hosts.items())
    )
    return (
        "Default domain is not set\nName servers are 255.255.255.255\n\n"
        f"{'Host':<25} Port  Flags      Age Type   Address(es)\n" + "".join(lines)
    )


SHOW: dict[str, Show] = {
    "show arp": _arp,
    "show clock": _clock,
    "show debugging": _debugging,
    "show flash:": _flash,
    "show history": _history,
    "show hosts": _hosts,
    "show interfaces": lambda view, match: interfaces.detail(view.network, view.router.stack, match),
    "show interfaces description": lambda view, _: interfaces.descriptions(view.network, view.router.stack),
    "show ip arp": _arp,
    "show ip interface brief": lambda view, _: interfaces.brief(view.network, view.router.stack),
    "show ip ospf": lambda view, _: ospf.summary(view.network, view.router.stack),
    "show ip ospf interface brief": lambda view, _: ospf.interface_brief(view.network, view.router.stack),
    "show ip ospf neighbor": lambda view, _: ospf.neighbour_table(view.network, view.router.stack),
    "show ip protocols": lambda view, _: ospf.protocols(view.network, view.router.stack),
    "show ip route": lambda view, match: route.show(view.network, view.router.stack, match),
    "show privilege": lambda view, _: f"Current privilege level is {view.level}\n",
    "show protocols": lambda view, _: interfaces.protocols(view.network, view.router.stack),
    "show running-config": _running,
    "show running-config interface": _running_interface,
    "show startup-config": _startup,
    "show users": _users,
    "show version": _version,
}
"""By command, with its keywords in full."""
