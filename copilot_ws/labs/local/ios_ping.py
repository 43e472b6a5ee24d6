"""The router's ping and traceroute, with the pace and the signs of IOS."""

from __future__ import annotations

import random
from collections.abc import Sequence
from ipaddress import IPv4Address

from copilot_ws.labs.cli.tree import Match
from copilot_ws.labs.local.keyboard import Interrupted
from copilot_ws.labs.local.network import Network
from copilot_ws.labs.local.probe import Answer, Outcome, probe
from copilot_ws.labs.local.router import Refused, Router
from copilot_ws.labs.local.shell import Terminal
from copilot_ws.labs.local.stack import Stack

TIMEOUT = 2
TRACE_TIMEOUT = 3
TRACE_HOPS = 30
TRACE_PROBES = 3
SIGNS_PER_LINE = 70

_REPLY_TIME = 0.004
_SIGNS = {Outcome.REPLY: "!", Outcome.UNREACHABLE: "U", Outcome.EXPIRED: "&"}


async def ping(terminal: Terminal, network: Network, router: Router, match: Match) -> None:
    """Sends the echoes that `match` asks for and shows what came of each."""
    target, stack = _target(router, match), router.stack
    source = _source(stack, match)
    count, timeout = match.number("repeat", 5), match.number("timeout", TIMEOUT)
    size = match.number("size", 100)
    terminal.write(
        "Type escape sequence to abort.\n"
        f"Sending {count}, {size}-byte ICMP Echos to {target}, timeout is {timeout} seconds:\n"
    )
    if source is not None:
        terminal.write(f"Packet sent with a source address of {source} \n")
    series = _Series(terminal, timeout)
    try:
        for _ in range(count):
            await series.add(probe(network, stack, target, source))
    except Interrupted:
        pass
    terminal.write(f"\n{series.summary()}\n")


class _Series:
    """The signs printed so far, and the round trips behind them (milliseconds)."""

    def __init__(self, terminal: Terminal, timeout: int) -> None:
        self._terminal = terminal
        self._timeout = timeout
        self._sent = 0
        self._times: list[int] = []
        self._unreachable_told = False

    async def add(self, answer: Answer) -> None:
        """Waits as long as the answer takes, then shows its sign."""
        if self._sent and self._sent % SIGNS_PER_LINE == 0:
            self._terminal.write("\n")
        self._sent += 1
        sign = self._sign(answer.outcome)
        if answer.outcome is Outcome.REPLY:
            self._times.append(_milliseconds(answer.hops))
        await self._terminal.pause(_REPLY_TIME if sign in "!U" else self._timeout)
        self._terminal.write(sign)

    def _sign(self, outcome: Outcome) -> str:
        """Routers limit the rate of their errors: every second one stays unsaid."""
        told = outcome is Outcome.UNREACHABLE and not self._unreachable_told
        self._unreachable_told = told
        return "." if outcome is Outcome.UNREACHABLE and not told else _SIGNS.get(outcome, ".")

    def summary(self) -> str:
        good = len(self._times)
        rate = 100 * good // self._sent if self._sent else 0
        text = f"Success rate is {rate} percent ({good}/{self._sent})"
        if not good:
            return text
        low, mean, high = min(self._times), sum(self._times) // good, max(self._times)
        return f"{text}, round-trip min/avg/max = {low}/{mean}/{high} ms"


async def traceroute(terminal: Terminal, network: Network, router: Router, match: Match) -> None:
    """Shows the routers on the way to the target, three probes each."""
    target, stack = _target(router, match), router.stack
    terminal.write(
        f"Type escape sequence to abort.\nTracing the route to {target}\nVRF info: (vrf in name/id, vrf out name/id)\n"
    )
    for ttl in range(1, TRACE_HOPS + 1):
        terminal.write(f" {ttl:>2}")
        probes = (_trace_probe(terminal, network, stack, target, ttl, at == 0) for at in range(TRACE_PROBES))
        outcomes = [await each for each in probes]
        terminal.write("\n")
        if _is_last(outcomes):
            return


async def _trace_probe(
    terminal: Terminal, network: Network, stack: Stack, target: IPv4Address, ttl: int, first: bool
) -> Outcome:
    answer = probe(network, stack, target, ttl=ttl)
    if answer.outcome not in (Outcome.REPLY, Outcome.EXPIRED, Outcome.UNREACHABLE):
        await terminal.pause(TRACE_TIMEOUT)
        terminal.write("  * ")
        return answer.outcome
    await terminal.pause(_REPLY_TIME)
    shown = f" {answer.address}" if first else ""
    sign = "!H" if answer.outcome is Outcome.UNREACHABLE else f"{_milliseconds(answer.hops)} msec"
    terminal.write(f"{shown} {sign}")
    return answer.outcome


def _is_last(outcomes: Sequence[Outcome]) -> bool:
    return Outcome.REPLY in outcomes or Outcome.UNREACHABLE in outcomes


def _milliseconds(hops: int) -> int:
    return max(1, round(hops * random.uniform(0.5, 1.5)))


def _target(router: Router, match: Match) -> IPv4Address:
    target = match.address("target") or router.hosts.get((match.text("name") or "").lower())
    if target is None:
        raise Refused("% Unrecognized host or address, or protocol not running.\n")
    return target


def _source(stack: Stack, match: Match) -> IPv4Address | None:
    """The source address that was asked for; it must be one of the router's own."""
    name, address = match.text("source"), match.address("source")
    if name is None and address is None:
        return None
    for port in stack.interfaces.values():
        if port.address is not None and (port.name == name or port.address.ip == address):
            return port.address.ip
    raise Refused("% Invalid source address- IP address not on any of our up interfaces")
