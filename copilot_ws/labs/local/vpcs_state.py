"""A VPCS-like host's settings, and the start-up text they are read from."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from copilot_ws.labs.local.stack import Interface, Stack, StaticRoute
from copilot_ws.labs.local.vpcs_address import InvalidSettings, read_settings

PORT = "Ethernet0"
INITIAL_TTL = 64


@dataclass(slots=True)
class Host:
    """`number`, unique in its project, gives the hardware address; `startup` is the saved configuration."""

    stack: Stack
    name: str
    number: int
    gateway: IPv4Address | None = None
    startup: str = ""

    @property
    def port(self) -> Interface:
        return self.stack.interfaces[PORT]

    def address(self, address: IPv4Interface | None, gateway: IPv4Address | None) -> None:
        """Sets address and gateway, the host's whole routing."""
        self.port.address, self.gateway = address, gateway
        default = IPv4Network("0.0.0.0/0")
        self.stack.statics = [StaticRoute(default, gateway)] if gateway else []

    def clear(self) -> None:
        self.address(None, None)

    def saved(self) -> str:
        """The start-up text that makes this host again."""
        lines = [f"set pcname {self.name}"]
        if self.port.address is not None:
            lines.append(f"ip {self.port.address} {self.gateway or ''}".rstrip())
        return "".join(f"{line}\n" for line in lines)


def power_on_state(node_id: str, name: str, number: int, startup: str) -> tuple[Host, list[str]]:
    """A host as it boots from `startup`, and the lines of it that it does not know."""
    stack = Stack(node_id, forwards=False, initial_ttl=INITIAL_TTL)
    stack.interfaces[PORT] = Interface(PORT, f"00507966{0x6800 + number % 0x9800:04x}")
    host = Host(stack, name, number, startup=startup)
    lines = [line.strip() for line in startup.splitlines()]
    unknown = [line for line in lines if line and not line.startswith("#") and not _apply(host, line)]
    return host, unknown


def _apply(host: Host, line: str) -> bool:
    match line.split():
        case ["set", "pcname", name]:
            host.name = name
        case ["ip", *words]:
            return _apply_address(host, words)
        case _:
            return False
    return True


def _apply_address(host: Host, words: list[str]) -> bool:
    try:
        host.address(*read_settings(words))
    except InvalidSettings:
        return False
    return True
