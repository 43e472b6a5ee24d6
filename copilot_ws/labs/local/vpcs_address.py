"""The arguments of a host's `ip` command: address, mask and gateway in the forms that VPCS takes."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Interface

DEFAULT_PREFIX = 24
PREFIX_MAX = 30


class InvalidSettings(ValueError):
    """Arguments that a host does not take; the text is what it answers."""


def read_settings(words: list[str]) -> tuple[IPv4Interface, IPv4Address | None]:
    """`ADDRESS[/PREFIX]`, then mask and gateway in any order. Raises `InvalidSettings`."""
    if not words:
        raise InvalidSettings("Incomplete command.")
    text, _, length = words[0].partition("/")
    prefix, gateway = _prefix(length) if length else None, None
    for word in words[1:]:
        if (mask := _prefix(word.removeprefix("/"))) is not None:
            prefix = mask
        elif gateway is None:
            gateway = _address(word)
        else:
            raise InvalidSettings("Invalid options")
    if "/" in words[0] and prefix is None:
        raise InvalidSettings("Invalid address")
    return _checked(IPv4Interface((_address(text), prefix or DEFAULT_PREFIX)), gateway)


def _checked(address: IPv4Interface, gateway: IPv4Address | None) -> tuple[IPv4Interface, IPv4Address | None]:
    network = address.network
    ends = (network.network_address, network.broadcast_address)
    if address.ip == gateway or address.ip.is_multicast or address.ip.is_loopback or address.ip.is_reserved:
        raise InvalidSettings("Invalid address")
    if address.ip in ends:
        raise InvalidSettings("Invalid host address")
    if gateway in ends:
        raise InvalidSettings("Invalid gateway address")
    if gateway is not None and gateway not in network:
        raise InvalidSettings("not same subnet")
    return address, gateway


def _address(word: str) -> IPv4Address:
    try:
        return IPv4Address(word)
    except ValueError:
        raise InvalidSettings("Invalid address") from None


def _prefix(word: str) -> int | None:
    """The length of a mask, which VPCS knows up to /30; None for what does not look like one."""
    if word.isascii() and word.isdigit() and len(word) < 3:
        return int(word) if 1 <= int(word) <= PREFIX_MAX else None
    if not word.startswith("255."):
        return None
    hosts = int(_address(word)) ^ 0xFFFFFFFF
    length = 32 - hosts.bit_length()
    if hosts & (hosts + 1) or length > PREFIX_MAX:
        raise InvalidSettings("Invalid address")
    return length
