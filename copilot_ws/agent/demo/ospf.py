"""The plan that configures OSPF: networks come from the routers themselves, and what came of it is looked at."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any

from copilot_ws.agent.demo import change_words, words
from copilot_ws.agent.demo.asking import configure_devices, took
from copilot_ws.agent.demo.changes import Ospf
from copilot_ws.agent.demo.configure import BRIEF, not_a_router
from copilot_ws.agent.demo.console import neighbors, ports
from copilot_ws.agent.demo.intents import Intent
from copilot_ws.agent.demo.lab import Device, Lab, Outcome
from copilot_ws.agent.demo.running import interface_addresses, ospf_configuration
from copilot_ws.agent.demo.steps import Answers, Plan, Reply, Unanswerable, chosen, look_around, read_devices, why_not

READING = (BRIEF, "show running-config")
CHECKING = ("show ip ospf neighbor", "show ip route ospf")

_ROUTE = re.compile(r"^O[ *].*\bvia\b", re.M)
_AREA = re.compile(r"\d{1,10}|\d{1,3}(?:\.\d{1,3}){3}")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What one router needs: its lines, the networks that they name, and what is to be said about it."""

    lines: tuple[str, ...] = ()
    networks: tuple[IPv4Network, ...] = ()
    notes: tuple[str, ...] = ()


def wanted(name: str, output: str, area: str) -> Wanted:
    """The lines for every connected network of a router that OSPF does not name yet."""
    masks, present = interface_addresses(output), ospf_configuration(output)
    networks: list[IPv4Network] = []
    notes: list[str] = []
    for port in ports(output):
        said = f"{name} {words.plain(port.name)} ({port.ip})"
        if port.ip and not port.up:
            notes.append(f"{said} is down: I leave its network out.")
        elif port.ip and port.name not in masks:
            notes.append(f"I see no mask for {said}: I leave its network out.")
        elif port.ip:
            networks.append(masks[port.name].network)
    networks = list(dict.fromkeys(networks))
    lines = {f"network {net.network_address} {net.hostmask} area {area}": net for net in networks}
    missing = {line: net for line, net in lines.items() if line not in present.networks}
    if not networks:
        notes.append(f"{name} has no connected network that I can see.")
    elif not missing:
        notes.append(f"{name} has OSPF on all its connected networks already.")
    head = (f"router ospf {present.process or 1}",) if missing else ()
    return Wanted((*head, *missing), tuple(missing.values()), tuple(notes))


def _configure_ospf(intent: Ospf) -> Plan:
    lab = yield from look_around()
    routers, notes = _routers(lab, intent)
    said = ", ".join(map(words.code, READING))
    orders = {router: READING for router in routers}
    seen = yield from read_devices(orders, f"I run {said} on {words.names(routers)} to see their networks.")
    plans = {router: _plan_for(seen[router.name], intent.area) for router in routers}
    notes += [note for plan in plans.values() for note in plan.notes]
    lines = {router: plan.lines for router, plan in plans.items() if plan.lines}
    if not lines:
        return "\n".join([*notes, "So there is nothing to change."])
    outcomes, told = yield from configure_devices(lines, _what(plans, intent.area))
    taken = took(lines, outcomes)
    check = (yield from _check(taken)) if taken else ""
    return words.paragraphs(told, check, "\n".join(notes))


def _routers(lab: Lab, intent: Ospf) -> tuple[list[Device], list[str]]:
    """The routers that can be configured, and what is to be said of the other devices."""
    if not intent.devices:
        raise Unanswerable(change_words.missing("On which routers?", lab, "configure OSPF on all routers"))
    if not _AREA.fullmatch(intent.area):
        raise Unanswerable(f"{words.code(intent.area)} is not an area, so I change nothing.")
    devices = chosen(lab, intent.devices)
    able = [device for device in devices if device.platform == "ios" and device.started and device.has_console]
    notes = [_left_out(device) for device in devices if device not in able]
    if not able:
        raise Unanswerable("\n".join(notes))
    return able, notes


def _left_out(device: Device) -> str:
    return why_not(device) if device.platform == "ios" else not_a_router(device)


def _plan_for(outcome: Outcome, area: str) -> Wanted:
    name = words.plain(outcome.device_name)
    if not ports(outcome.output):
        return Wanted(notes=(f"I could not read the interfaces of {name}. {words.faults(outcome)}".strip(),))
    return wanted(name, outcome.output, area)


def _what(plans: Mapping[Device, Wanted], area: str) -> str:
    parts = [
        f"{words.plain(router.name)} ({', '.join(map(str, plan.networks))})"
        for router, plan in plans.items()
        if plan.lines
    ]
    return f"configure OSPF in area {area} on {change_words.listed(parts)}"


def _check(routers: Sequence[Device]) -> Generator[Reply, Answers, str]:
    """What the routers say of their neighbors and routes now."""
    said = " and ".join(map(words.code, CHECKING))
    orders = {router: CHECKING for router in routers}
    seen = yield from read_devices(orders, f"I check it with {said} on {words.names(routers)}.")
    found = [line for router in routers for line in (_neighbors(seen[router.name]), _routes(seen[router.name]))]
    shown = [change_words.checked(seen[router.name], CHECKING) for router in routers]
    return words.paragraphs("\n".join(filter(None, found)), *shown)


def _neighbors(outcome: Outcome) -> str:
    name, found = words.plain(outcome.device_name), neighbors(outcome.output)
    if found:
        return f"{name} sees {', '.join(f'{router} ({state})' for router, state in found)} as an OSPF neighbor."
    if not outcome.output.strip():
        return f"I cannot tell what {name} sees."
    return f"{name} sees no OSPF neighbor yet; that may take up to 40 seconds."


def _routes(outcome: Outcome) -> str:
    name, found = words.plain(outcome.device_name), len(_ROUTE.findall(outcome.output))
    if found:
        return f"{name} has {found} OSPF route{'' if found == 1 else 's'} in its table."
    if not outcome.output.strip():
        return ""
    return f"{name} has no OSPF route in its table: others may win, such as static ones, or none is there yet."


PLANS: Mapping[type[Intent], Callable[[Any], Plan]] = {Ospf: _configure_ospf}
