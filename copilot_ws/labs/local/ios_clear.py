"""The router's clear and debug commands."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from copilot_ws.labs.cli.tree import Match
from copilot_ws.labs.local.network import Network
from copilot_ws.labs.local.router import Router
from copilot_ws.labs.local.shell import Shell

Command = Callable[[Shell, Router, Network, Match], Awaitable[None]]

TOPICS = {
    "icmp": "ICMP packet debugging",
    "ospf": "OSPF events debugging",
    "packet": "IP packet debugging",
    "routing": "IP routing debugging",
}
"""What each `debug ip` topic is called. Nothing is ever printed for it: packets are not events here."""


async def _counters(shell: Shell, router: Router, network: Network, match: Match) -> None:
    """Interfaces count nothing here, so there is nothing to reset."""
    name = match.text("interface")
    if name is not None and name not in router.stack.interfaces:
        raise match.invalid("interface")
    await shell.confirm(f'Clear "show interface" counters on {"this interface" if name else "all interfaces"} ')


async def _arp(shell: Shell, router: Router, network: Network, match: Match) -> None:
    router.stack.arp.clear()


async def _nothing(shell: Shell, router: Router, network: Network, match: Match) -> None:
    """Routes are worked out anew whenever they are looked at."""


async def _ospf(shell: Shell, router: Router, network: Network, match: Match) -> None:
    answer = (await shell.ask("Reset ALL OSPF processes? [no]: ")).lower()
    if answer and "yes".startswith(answer):
        network.ospf.restart(router.stack)


async def _debug(shell: Shell, router: Router, network: Network, match: Match) -> None:
    topic = match.text("topic") or ""
    router.debugging.add(topic)
    shell.terminal.write(f"{TOPICS[topic]} is on\n")


async def _debug_all(shell: Shell, router: Router, network: Network, match: Match) -> None:
    if await shell.confirm("\nThis may severely impact network performance. Continue? "):
        router.debugging.update(TOPICS)
        shell.terminal.write("All possible debugging has been turned on\n")


async def _undebug(shell: Shell, router: Router, network: Network, match: Match) -> None:
    topic = match.text("topic") or ""
    router.debugging.discard(topic)
    shell.terminal.write(f"{TOPICS[topic]} is off\n")


async def _undebug_all(shell: Shell, router: Router, network: Network, match: Match) -> None:
    router.debugging.clear()
    shell.terminal.write("All possible debugging has been turned off\n")


COMMANDS: dict[str, Command] = {
    "clear arp-cache": _arp,
    "clear counters": _counters,
    "clear ip ospf process": _ospf,
    "clear ip route *": _nothing,
    "debug all": _debug_all,
    "debug ip": _debug,
    "no debug all": _undebug_all,
    "no debug ip": _undebug,
    "undebug all": _undebug_all,
    "undebug ip": _undebug,
}
