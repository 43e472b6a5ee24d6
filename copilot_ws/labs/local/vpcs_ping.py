"""The host's ping and trace, with the pace and the words of VPCS."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address
from itertools import count as numbers

from copilot_ws.labs.local.network import Network
from copilot_ws.labs.local.probe import Answer, Outcome, probe
from copilot_ws.labs.local.shell import Terminal
from copilot_ws.labs.local.vpcs_state import Host

ARP_TIMEOUT = 3.0
TRY_TIMEOUT = 2.0
INTERVAL_MS = 100
TRACE_HOPS = 8
TRACE_TIMEOUT = 1.0
OPTION_MAX = 1_000_000

_UNREACHABLE = "ICMP type:3, code:1, Destination host unreachable"
_EXPIRED = "ICMP type:11, code:0, TTL expired in transit"
_PORT_UNREACHABLE = "ICMP type:3, code:3, Destination port unreachable"


class PingUsage(Exception):
    """A target or an option that cannot be used; the text is what the host answers."""


@dataclass(slots=True)
class _Options:
    """`count` None: until interrupted. `interval` and `wait` in milliseconds."""

    target: IPv4Address
    count: int | None = 5
    interval: int = INTERVAL_MS
    size: int = 56
    ttl: int = 64
    wait: int = int(TRY_TIMEOUT * 1000)


async def ping(terminal: Terminal, network: Network, host: Host, words: list[str]) -> None:
    """`ping HOST [options]`. Raises `PingUsage`."""
    options = _ping_options(words)
    terminal.write("\n")
    if host.port.address is not None and options.target == host.port.address.ip:
        await _ping_self(terminal, options)
    elif _has_route(terminal, host, options.target):
        for number in _series(options):
            answer = probe(network, host.stack, options.target, ttl=options.ttl)
            if await _no_arp(terminal, host, answer):
                return
            await _show_try(terminal, options, number, answer)


async def trace(terminal: Terminal, network: Network, host: Host, words: list[str]) -> None:
    """`trace HOST [-m TTL]`. Raises `PingUsage`."""
    target, hops = _trace_options(words)
    terminal.write(f"trace to {target}, {hops} hops max, press Ctrl+C to stop\n")
    if not _has_route(terminal, host, target):
        return
    for ttl in range(1, hops + 1):
        answer = probe(network, host.stack, target, ttl=ttl)
        if await _no_arp(terminal, host, answer):
            return
        await _show_hop(terminal, ttl, answer)
        if answer.outcome in (Outcome.REPLY, Outcome.UNREACHABLE):
            return


def _series(options: _Options) -> Iterator[int]:
    return iter(numbers(1) if options.count is None else range(1, options.count + 1))


def _has_route(terminal: Terminal, host: Host, target: IPv4Address) -> bool:
    own = host.port.address
    if host.gateway is None and (own is None or target not in own.network):
        terminal.write("No gateway found\n")
        return False
    return True


async def _no_arp(terminal: Terminal, host: Host, answer: Answer) -> bool:
    """Whether nobody answers for the first hop: told after the time ARP takes to give up."""
    if answer.outcome not in (Outcome.NO_ARP, Outcome.NO_ROUTE):
        return False
    await terminal.pause(ARP_TIMEOUT)
    terminal.write(f"host ({answer.address or host.gateway}) not reachable\n")
    return True


async def _ping_self(terminal: Terminal, options: _Options) -> None:
    for number in _series(options):
        terminal.write(f"{options.target} icmp_seq={number} ttl={options.ttl} time=0.001 ms\n")
        await terminal.pause(0.001)


async def _show_try(terminal: Terminal, options: _Options, number: int, answer: Answer) -> None:
    sequence = f"icmp_seq={number} ttl={answer.ttl} time={_milliseconds(answer)} ms"
    if answer.outcome is Outcome.REPLY:
        terminal.write(f"{options.size + 28} bytes from {options.target} {sequence}\n")
        await terminal.pause(options.interval / 1000)
        return
    if answer.outcome is Outcome.SILENCE:
        await terminal.pause(options.wait / 1000)
        terminal.write(f"{options.target} icmp_seq={number} timeout\n")
        return
    reason = _EXPIRED if answer.outcome is Outcome.EXPIRED else _UNREACHABLE
    terminal.write(f"*{answer.address} {sequence} ({reason})\n")
    await terminal.pause(TRY_TIMEOUT)


async def _show_hop(terminal: Terminal, ttl: int, answer: Answer) -> None:
    terminal.write(f"{ttl:2d}   ")
    if answer.outcome is Outcome.SILENCE:
        for _ in range(3):
            await terminal.pause(TRACE_TIMEOUT)
            terminal.write("  *")
    elif answer.outcome is Outcome.EXPIRED:
        times = "".join(f"  {_milliseconds(answer)} ms" for _ in range(3))
        terminal.write(f"{answer.address} {times}")
    else:
        reason = _PORT_UNREACHABLE if answer.outcome is Outcome.REPLY else _UNREACHABLE
        terminal.write(f"*{answer.address}   {_milliseconds(answer)} ms ({reason})")
    terminal.write("\n")


def _milliseconds(answer: Answer) -> str:
    return f"{answer.hops * random.uniform(0.1, 0.3):.3f}"


def _ping_options(words: list[str]) -> _Options:
    options = _Options(_target(words))
    rest = iter(words[1:])
    for word in rest:
        match word:
            case "-t":
                options.count = None
            case "-c":
                options.count = _number(rest)
            case "-i":
                options.interval = _number(rest) or INTERVAL_MS
            case "-l":
                options.size = _number(rest)
            case "-T":
                options.ttl = min(_number(rest), 255)
            case "-w":
                options.wait = _number(rest) or options.wait
            case _:
                raise PingUsage("Invalid options")
    return options


def _trace_options(words: list[str]) -> tuple[IPv4Address, int]:
    target = _target(words)
    rest = [word for word in words[1:] if word != "-m"]
    hops = _number(iter(rest)) if rest else TRACE_HOPS
    if not 1 <= hops <= 64:
        raise PingUsage("Invalid TTL")
    return target, hops


def _target(words: list[str]) -> IPv4Address:
    if not words:
        raise PingUsage("Usage: HOST [OPTION ...]. See ?")
    try:
        return IPv4Address(words[0])
    except AddressValueError:
        raise PingUsage(f"Cannot resolve {words[0]}") from None


def _number(words: Iterator[str]) -> int:
    word = next(words, "")
    if not word.isascii() or not word.isdigit() or len(word) > 7:
        raise PingUsage("Invalid options")
    return min(int(word), OPTION_MAX)
