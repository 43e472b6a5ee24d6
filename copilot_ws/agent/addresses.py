"""Where a person's own model may be: at public addresses, and at what the operator allows."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
# Public by their numbers, yet answered by the machine's own cloud or network (some Pythons do not list the first).
_SPECIAL = (IPv4Network("192.0.0.0/24"), IPv4Network("192.88.99.0/24"), IPv4Network("168.63.129.16/32"))


def plain(text: str) -> Address:
    """The address that `text` stands for; one of IPv4 that is written as IPv6 becomes IPv4. Raises `ValueError`."""
    address = ipaddress.ip_address(text)
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def is_public(address: Address) -> bool:
    """Whether it belongs to the Internet at large, also after the translations that hide IPv4 in IPv6."""
    if isinstance(address, IPv4Address):
        return address.is_global and not address.is_multicast and not any(address in net for net in _SPECIAL)
    if address in _NAT64:
        return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    if address.sixtofour is not None and not is_public(address.sixtofour):
        return False
    return address in _GLOBAL_UNICAST and address.is_global and address.teredo is None


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """What an operator allows: names and networks, each on every port (None) or on one."""

    names: frozenset[tuple[str, int | None]] = frozenset()
    networks: tuple[tuple[Network, int | None], ...] = ()

    @classmethod
    def parse(cls, entries: Iterable[str]) -> AllowedHosts:
        """From `host`, `host:port`, `address`, `[address]:port` and `10.0.0.0/8`. Raises `ValueError`."""
        names: set[tuple[str, int | None]] = set()
        networks: list[tuple[Network, int | None]] = []
        for entry in entries:
            network = _network(entry)
            host, port = (entry, None) if network is not None else _split(entry)
            network = network if network is not None else _network(host)
            if network is not None:
                networks.append((network, port))
            else:
                names.add((_name(host), port))
        return cls(frozenset(names), tuple(networks))

    def allow(self, host: str, port: int, address: Address) -> bool:
        """Whether a model may be at `address`, to which `host` resolved."""
        return is_public(address) or self._names_it(host, port) or self._holds(address, port)

    def _names_it(self, host: str, port: int) -> bool:
        name = host.lower().rstrip(".")
        return (name, None) in self.names or (name, port) in self.names

    def _holds(self, address: Address, port: int) -> bool:
        return any(address in network and only in (None, port) for network, only in self.networks)


def _network(text: str) -> Network | None:
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        return None


def _split(entry: str) -> tuple[str, int | None]:
    """`host:port` in two; an address of IPv6 stands in brackets there."""
    host, colon, port = entry.rpartition(":") if not entry.endswith("]") else (entry, "", "")
    if not colon:
        return entry.strip("[]"), None
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise ValueError(f"{entry!r} is not host, host:port or a network such as 10.0.0.0/8")
    return host.strip("[]"), int(port)


def _name(host: str) -> str:
    name = host.lower().rstrip(".")
    if not name or any(sign in name for sign in "/:@ *?"):
        raise ValueError(f"{host!r} is neither a host's name nor a network such as 10.0.0.0/8")
    return name.encode("idna").decode()
