"""Addresses in a person's words, checked before any device sees them."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from copilot_ws.agent.demo.steps import Unanswerable
from copilot_ws.agent.demo.words import code

NOTHING = "so I change nothing"


def address(text: str) -> IPv4Address:
    try:
        return IPv4Address(text)
    except ValueError:
        raise Unanswerable(f"{code(text)} is not an IPv4 address, {NOTHING}.") from None


def host(text: str) -> IPv4Interface:
    """An address with a mask that an interface can have."""
    ip, prefix = _split(text)
    found = IPv4Interface((ip, prefix))
    if ip.is_multicast or ip.is_loopback or ip.is_reserved or ip.is_unspecified:
        raise Unanswerable(f"{code(text)} is not an address that an interface can have, {NOTHING}.")
    if prefix < 31 and ip in (found.network.network_address, found.network.broadcast_address):
        kind = "network" if ip == found.network.network_address else "broadcast"
        raise Unanswerable(f"{ip} is the {kind} address of {found.network}, not one of a host, {NOTHING}.")
    return found


def network(text: str) -> IPv4Network:
    ip, prefix = _split(text)
    found = IPv4Network((ip, prefix), strict=False)
    if found.network_address != ip:
        raise Unanswerable(f"{code(text)} is not a network, {NOTHING}. Do you mean {found}?")
    return found


def gateway(text: str, of: IPv4Interface) -> IPv4Address:
    found = address(text)
    if found not in of.network or found == of.ip:
        raise Unanswerable(f"The gateway {found} is not another address in {of.network}, {NOTHING}.")
    return found


def _split(text: str) -> tuple[IPv4Address, int]:
    ip, _, mask = text.partition("/")
    found = address(ip)
    if not mask:
        raise Unanswerable(f"With which mask? For example: {code(f'{ip}/24')}")
    return found, _prefix(mask)


def _prefix(mask: str) -> int:
    """The length of a mask, which may be dotted."""
    if mask.isdigit() and int(mask) <= 32:
        return int(mask)
    hosts = int(address(mask)) ^ 0xFFFFFFFF if "." in mask else -1
    if hosts < 0 or hosts & (hosts + 1):
        raise Unanswerable(f"{code(f'/{mask}')} is not a mask, {NOTHING}.")
    return 32 - hosts.bit_length()
