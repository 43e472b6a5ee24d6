"""Changing devices by their command line: a person is asked about the lines before any is sent."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Sequence
from typing import Any

from pydantic import Field

from copilot_ws.agent.tools import read
from copilot_ws.agent.tools.base import Arguments, Plan, Surroundings, Tool, ToolResult
from copilot_ws.agent.tools.copying import Copying
from copilot_ws.agent.tools.devices import (
    CommandArguments,
    Drive,
    Entry,
    entry,
    find_node,
    lines_by_device,
    nodes_of,
    on_each_device,
    unknown_device,
)
from copilot_ws.core.ports import DangerLevel
from copilot_ws.labs.base import Link, Node
from copilot_ws.labs.console import Console
from copilot_ws.labs.danger import Verdict, judge_configuration, judge_reading
from copilot_ws.labs.preview import preview

# What a device says when it has not taken a line; log messages begin with % and a capital, without a blank.
_REFUSALS = (
    r"%[^\S\n]++.*(?:invalid|incomplete|ambiguous|unknown|unrecognized|bad |overlap|error|fail|not |cannot|must"
    r"|duplicate|denied|conflict|illegal|malformed).*",
    r"(?:bad command|invalid |command rejected|error: |syntax error|unknown command|failure: ).*",
    r"(?:RTNETLINK answers: |Cannot find device |(?:\w{1,40}: )?SIOC[A-Z]+: ).*",
    r".*: (?:command )?not found",
)
_REFUSED = re.compile(rf"^[^\S\n]*+(?:{'|'.join(_REFUSALS)})$", re.IGNORECASE | re.MULTILINE)
_BANNER = re.compile(r"ban\w*\s+(?:(?:motd|login|exec|incoming)\s+)?(\S)(.*)$", re.IGNORECASE)
_DEFAULT = re.compile(r"file ?name \[[^\]]*\]\?$", re.IGNORECASE)
HAS_CONFIGURATION_MODE = ("ios", "generic")


class DeviceConfiguration(Arguments):
    device_name: str = Field(description="The device's name as in the topology")
    config_commands: list[str] = Field(
        description="Configuration lines in order, without 'configure terminal' and 'end'", max_length=500
    )


class ConfigurationArguments(Arguments):
    device_configs: list[DeviceConfiguration] = Field(min_length=1, max_length=50)

    def lines(self) -> dict[str, list[str]]:
        return lines_by_device((item.device_name, item.config_commands) for item in self.device_configs)


class Looked:
    """What was found out about a call's lines, device by device."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes
        self.targets: dict[str, str] = {}
        self.devices: list[dict[str, Any]] = []
        self.dangerous: list[dict[str, str]] = []
        self.changes = False
        self.faults: list[str] = []

    def add(self, name: str, lines: Sequence[str], verdicts: Sequence[Verdict]) -> None:
        node = find_node(self.nodes, name)
        assert node is not None
        self.targets[name] = node.node_id
        dangerous = [v for v in verdicts if v.level == "dangerous"]
        self.changes = self.changes or any(v.level != "reading" for v in verdicts)
        self.devices.append({"device_name": node.name, "platform": node.platform, "lines": list(lines)})
        self.dangerous += [{"device_name": node.name, "command": v.line, "reason": v.reason} for v in dangerous]
        self.faults += _never_sent(node, lines)

    def plan(self, level: DangerLevel, what: str, *, asks: bool) -> Plan:
        if not self.devices:
            return Plan(refused="; ".join(self.faults) or "There is no line to send.")
        names = ", ".join(device["device_name"] for device in self.devices)
        return Plan(
            touches=frozenset(self.targets.values()),
            targets=self.targets,
            changes=asks,
            needs_person=asks,
            danger_level="high" if self.dangerous else level,
            description=f"{what} {names}",
            dangerous=self.dangerous,
            devices=self.devices,
            refused="; ".join(self.faults) or None,
        )


def _never_sent(node: Node, lines: Sequence[str]) -> list[str]:
    """Lines that no confirmation can send."""
    found = []
    for line in lines:
        if node.platform == "vpcs" and line.startswith("!"):
            found.append(f"{line!r} would run on the lab's host: lines that start with ! are never sent to VPCS")
        if node.platform == "ios" and line.endswith("?"):
            found.append(f"{line!r} would only show help: a question mark cannot be typed in")
        banner = _BANNER.match(line) if node.platform == "ios" else None
        if banner is not None and banner[1] not in banner[2]:
            found.append(f"{line!r} is a banner over several lines: write it as one line, banner motd #text#")
    return found


def linked_interfaces(node: Node, links: Sequence[Link]) -> set[str]:
    """Names of the node's interfaces that have a link."""
    ends = [end for link in links for end in link.nodes if end.node_id == node.node_id]
    places = {(end.adapter_number, end.port_number) for end in ends}
    ports = [port for port in node.ports if (port.adapter_number, port.port_number) in places]
    return {end.label.text for end in ends} | {name for port in ports for name in (port.name, port.short_name)}


async def plan_configuration(around: Surroundings, arguments: ConfigurationArguments) -> Plan:
    nodes = await nodes_of(around)
    links = await around.lab.links(around.caller, around.project.project_id)
    looked = Looked(nodes)
    for name, lines in arguments.lines().items():
        node = find_node(nodes, name)
        if node is None:
            looked.faults += [unknown_device(nodes, name)] if len(arguments.lines()) == 1 else []
        elif lines:
            looked.add(name, lines, _judge(node, lines, linked_interfaces(node, links)))
    level: DangerLevel = "low" if all(device["platform"] == "vpcs" for device in looked.devices) else "medium"
    return looked.plan(level, "Configure", asks=True)


def _judge(node: Node, lines: Sequence[str], linked: Collection[str]) -> list[Verdict]:
    return judge_configuration(node.platform, lines, linked)


async def run_configuration(around: Surroundings, arguments: ConfigurationArguments) -> ToolResult:
    async def device(node: Node, lines: list[str]) -> Entry:
        if around.targets is None:
            return entry(node.name, "failed", error="Nobody was asked about these lines: they were not sent.")
        return await configure(around, node, lines)

    return await on_each_device(around, arguments.lines(), device)


async def configure(around: Surroundings, node: Node, lines: Sequence[str]) -> Entry:
    """Sends the lines in configuration mode; the first line that the device refuses ends it.

    What the device is configured as is kept before the first line and after the last one. Configuration mode is
    left when the console is given back, whatever happens.
    """
    if not lines:
        return entry(node.name, "failed", error="There is no line to send.")
    drive, copying = Drive(around, node, len(lines)), Copying(around, node)

    async def change(console: Console) -> str | None:
        await copying.before(console)
        stopped = await send_all(console)
        if not drive.restarted:
            await copying.after(console)
        return stopped

    async def send_all(console: Console) -> str | None:
        if node.platform in HAS_CONFIGURATION_MODE:
            answer = await console.run("configure terminal")
            if refused := _REFUSED.search(answer.text):
                return f"{node.name} did not enter configuration mode: {refused[0].strip()}"
        for number, line in enumerate(lines):
            answer_text = await drive.send(console, line, confirmed)
            if drive.restarted:
                return _stopped_at(line, "it restarts", lines[number + 1 :]) if lines[number + 1 :] else None
            if refused := _REFUSED.search(answer_text):
                drive.not_taken()
                return _stopped_at(line, refused[0].strip(), lines[number + 1 :])
        return None

    await drive.run(change)
    return drive.entry(warning=copying.warning)


def confirmed(question: str) -> str | None:
    """Answers what a device asks about a line that a person has confirmed, as its default or as it was explained.

    What was not saved is lost in a restart: that is what the person was told. Other questions stay open.
    """
    asked = question.lower()
    if asked.endswith("[confirm]") or _DEFAULT.search(question):
        return ""
    if "save" in asked and "yes/no" in asked:
        return "no"
    return None


def _stopped_at(line: str, said: str, rest: Sequence[str]) -> str:
    unsent = f" Not sent: {'; '.join(rest)}" if rest else ""
    return f"The device refused {line!r}: {said.rstrip('.')}.{unsent}"


async def preview_configuration(around: Surroundings, arguments: ConfigurationArguments) -> str | None:
    """The present configuration against the one after the change, for all devices whose platform allows it."""
    nodes = await nodes_of(around)
    shown: list[str] = []
    for name, lines in arguments.lines().items():
        node = find_node(nodes, name)
        if node is None or node.platform not in HAS_CONFIGURATION_MODE or node.status != "started":
            continue
        text = await asyncio.to_thread(preview, node.platform, await _running(around, node), lines)
        if text:
            shown.append(text.replace("--- ", f"--- {node.name} ", 1).replace("+++ ", f"+++ {node.name} ", 1))
    return "\n".join(shown) or None


async def _running(around: Surroundings, node: Node) -> str:
    known = await around.lab.configuration(around.caller, around.project.project_id, node.node_id)
    if known is not None:
        return known
    async with around.consoles.hold(node, around.holder) as console:
        return (await console.run("show running-config")).text


async def plan_vpcs(around: Surroundings, arguments: CommandArguments) -> Plan:
    """A person is asked if any line does more than read."""
    nodes = await nodes_of(around)
    looked = Looked(nodes)
    for name, lines in arguments.lines().items():
        node = find_node(nodes, name)
        if node is not None and lines:
            looked.add(name, lines, [_worse(node, line) for line in lines])
    if not looked.changes:
        return Plan(touches=frozenset(looked.targets.values()))
    return looked.plan("low", "Run VPCS commands on", asks=True)


def _worse(node: Node, line: str) -> Verdict:
    reading = judge_reading(node.platform, line)
    return reading if reading.level == "reading" else _judge(node, [line], ())[0]


async def run_vpcs(around: Surroundings, arguments: CommandArguments) -> ToolResult:
    """Changing lines go to the devices that the call was planned, and so confirmed, to change; others only read."""

    async def device(node: Node, lines: list[str]) -> Entry:
        changing = any(judge_reading(node.platform, line).level != "reading" for line in lines)
        if changing and node.platform == "vpcs" and around.targets is not None:
            return await configure(around, node, lines)
        return await read.read(around, node, lines)

    return await on_each_device(around, arguments.lines(), device)


CONFIGURE = Tool(
    read.CONFIGURE,
    "Sends configuration lines to one or more devices, after a person has confirmed them. "
    "Configuration mode is entered and left for you. The first line that a device refuses ends its part.",
    ConfigurationArguments,
    run_configuration,
    plan_configuration,
    preview_configuration,
)
VPCS = Tool(
    read.VPCS,
    "Runs commands on one or more VPCS hosts, in parallel: show, ping, trace freely; "
    "ip, set, save and others after a person has confirmed them.",
    CommandArguments,
    run_vpcs,
    plan_vpcs,
)
