"""The steps that the demo model's plans are made of: looking around, reading devices, finding those that are meant."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from copilot_ws.agent.demo import words
from copilot_ws.agent.demo.lab import Device, Lab, Outcome, Unreadable, read_lab, read_outcomes
from copilot_ws.agent.demo.turn import Call

TOPOLOGY = "gns3_topology_reader"
COMMANDS = "execute_multiple_device_commands"
VPCS_COMMANDS = "execute_vpcs_commands"


@dataclass(frozen=True, slots=True)
class Reply:
    """One model answer: text, and the tools to call before there is more to say."""

    text: str
    calls: tuple[Call, ...] = ()


class Unanswerable(Exception):
    """A plan's early end: the text is the answer."""


Answers = tuple[str, ...]
Plan = Generator[Reply, Answers, str]
Orders = Mapping[Device, Sequence[str]]


def look_around() -> Generator[Reply, Answers, Lab]:
    (answer,) = yield Reply("I look at the topology first.", (Call(TOPOLOGY),))
    try:
        return read_lab(answer)
    except Unreadable as fault:
        raise Unanswerable(words.paragraphs("I could not read the topology:", words.fence(fault.text))) from None


def read_devices(orders: Orders, text: str) -> Generator[Reply, Answers, dict[str, Outcome]]:
    """Runs commands on devices, with each platform's tool."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for device, commands in orders.items():
        tool = VPCS_COMMANDS if device.platform == "vpcs" else COMMANDS
        groups.setdefault(tool, []).append({"device_name": device.name, "commands": list(commands)})
    calls = tuple(Call(tool, {"device_configs": configs}) for tool, configs in groups.items())
    answers = yield Reply(text, calls)
    outcomes: dict[str, Outcome] = {}
    for configs, answer in zip(groups.values(), answers, strict=True):
        outcomes |= read_outcomes(answer, [config["device_name"] for config in configs])
    return outcomes


def chosen(lab: Lab, text: str) -> tuple[Device, ...]:
    selection = lab.select(text)
    if selection.unknown or not selection.devices:
        raise Unanswerable(words.no_such_device(selection.unknown or [(text, "")], lab))
    return selection.devices


def ready(lab: Lab, text: str) -> Device:
    """The one device that is meant, if it can be asked."""
    devices = chosen(lab, text)
    if len(devices) > 1:
        raise Unanswerable(f"One device at a time, please: {words.code(text)} are {len(devices)}.")
    if not (devices[0].started and devices[0].has_console):
        raise Unanswerable(why_not(devices[0]))
    return devices[0]


def why_not(device: Device) -> str:
    if not device.started:
        return f"{words.device_state(device)}, so I cannot ask it."
    return f"{words.plain(device.name)} has no console."
