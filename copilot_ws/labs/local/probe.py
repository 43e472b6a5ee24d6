"""What becomes of a packet: it walks from device to device, and so does its answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from ipaddress import IPv4Address

from copilot_ws.labs.local.network import Network
from copilot_ws.labs.local.stack import Interface, Stack

ERROR_TTL = 255


class Outcome(Enum):
    """What the sender of a packet sees."""

    REPLY = auto()
    NO_ROUTE = auto()
    NO_ARP = auto()
    UNREACHABLE = auto()
    EXPIRED = auto()
    SILENCE = auto()


@dataclass(frozen=True, slots=True)
class Answer:
    """`address` answered, with `ttl` left, `hops` cables there and back. `NO_ARP`: whom ARP asked for."""

    outcome: Outcome
    address: IPv4Address | None = None
    ttl: int = 0
    hops: int = 0


@dataclass(frozen=True, slots=True)
class _End:
    """Where a packet ended, what came of it there, and through which interface it had come in."""

    outcome: Outcome
    stack: Stack
    arrived: Interface | None
    ttl: int
    hops: int


def probe(
    network: Network,
    origin: Stack,
    target: IPv4Address,
    source: IPv4Address | None = None,
    ttl: int | None = None,
) -> Answer:
    """Sends one echo request from `origin` (default: the address it leaves by) and follows its answer."""
    first = network.resolve(origin, target)
    leaving = source or (first.interface.address.ip if first and first.interface.address else None)
    if first is None or leaving is None:
        return Answer(Outcome.NO_ROUTE)
    end = _travel(network, origin, target, origin.initial_ttl if ttl is None else ttl)
    if end.outcome is Outcome.REPLY:
        return _answered(network, origin, end, target, leaving)
    if end.outcome is Outcome.NO_ARP and end.hops == 0:
        return Answer(Outcome.NO_ARP, first.address)
    if end.outcome in (Outcome.UNREACHABLE, Outcome.EXPIRED) and end.arrived and end.arrived.address:
        return _answered(network, origin, end, end.arrived.address.ip, leaving)
    return Answer(Outcome.SILENCE)


def _answered(network: Network, origin: Stack, end: _End, sender: IPv4Address, to: IPv4Address) -> Answer:
    ttl = end.stack.initial_ttl if end.outcome is Outcome.REPLY else ERROR_TTL
    back = _travel(network, end.stack, to, ttl)
    if back.outcome is not Outcome.REPLY or back.stack is not origin:
        return Answer(Outcome.SILENCE)
    return Answer(end.outcome, sender, back.ttl, end.hops + back.hops)


def _travel(network: Network, start: Stack, target: IPv4Address, ttl: int) -> _End:
    stack, arrived, hops = start, None, 0

    def end(outcome: Outcome) -> _End:
        return _End(outcome, stack, arrived, ttl, hops)

    while not network.owns(stack, target):
        if arrived is not None:
            ttl -= 1
            if not stack.forwards:
                return end(Outcome.SILENCE)
            if ttl <= 0:
                return end(Outcome.EXPIRED)
        hop = network.resolve(stack, target)
        if hop is None:
            return end(Outcome.UNREACHABLE)
        neighbour = network.neighbour(stack, hop)
        if neighbour is None:
            return end(Outcome.NO_ARP)
        stack, arrived = neighbour
        hops += 1
    return end(Outcome.REPLY)
