"""What a person may ask the demo model for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from copilot_ws.agent.demo.changes import Change, HowTo, Order, Templates

State = Literal["started", "stopped", "suspended"]
ProbeKind = Literal["ping", "trace"]


@dataclass(frozen=True, slots=True)
class Help:
    """A greeting, or a question about the assistant itself."""


@dataclass(frozen=True, slots=True)
class Thanks:
    """Nothing is asked for."""


@dataclass(frozen=True, slots=True)
class Declined:
    """A no to what was said or asked."""


@dataclass(frozen=True, slots=True)
class Overview:
    """What is in the lab; `devices` limits the links to those of some devices."""

    part: Literal["all", "nodes", "links"] = "all"
    devices: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """What is up or down: of some devices, or of all."""

    state: State | None = None
    devices: str = ""


@dataclass(frozen=True, slots=True)
class Show:
    """Read-only commands for some devices; those of a `topic` depend on a device's platform."""

    commands: tuple[str, ...] = ()
    devices: str = ""
    topic: str = ""


@dataclass(frozen=True, slots=True)
class Probe:
    """A ping or a trace from a device to a device or an address."""

    kind: ProbeKind
    source: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nothing that a rule matches."""


@dataclass(frozen=True, slots=True)
class Several:
    """Requests of one message, in their order."""

    parts: tuple[Intent, ...] = ()


# `devices`, `source` and `target` hold the person's own words: only the topology says what they mean.
Talk = Help | Thanks | Declined | HowTo | Unknown
Intent = Talk | Overview | Status | Show | Probe | Several | Order | Templates | Change

# Topic -> platform -> command; "*" is every platform without a line of its own.
TOPICS: Mapping[str, Mapping[str, str]] = {
    "addresses": {"vpcs": "show ip", "linux": "ip -4 address show", "*": "show ip interface brief"},
    "routes": {"vpcs": "show ip", "*": "show ip route"},
    "interfaces": {"vpcs": "show ip", "*": "show ip interface brief"},
    "running configuration": {"vpcs": "show ip", "*": "show running-config"},
    "startup configuration": {"vpcs": "show ip", "*": "show startup-config"},
    "ARP table": {"vpcs": "show arp", "*": "show ip arp"},
    "OSPF neighbors": {"vpcs": "show ip", "*": "show ip ospf neighbor"},
    "version": {"*": "show version"},
    "clock": {"vpcs": "show version", "*": "show clock"},
}


def command_for(topic: str, platform: str) -> str:
    """The command that answers a topic on a platform."""
    commands = TOPICS[topic]
    return commands.get(platform, commands["*"])
