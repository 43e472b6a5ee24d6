"""The lab as the tools' answers describe it: devices, links, and what a person's words mean in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

_GROUPS = {
    r"everything|all|each|every|them|(?:this|the) (?:lab|network|topology)|devices?|nodes?": None,
    r"routers?": "ios",
    r"hosts?|pcs?|vpcs|computers?": "vpcs",
}
_QUANTIFIER = r"(?:(?:all|each|every|both|the|of) )*"
_FILLER = re.compile(r"(?:(?:the|my|our|both|device|node|router|host|switch)\s+)+", re.I)
_SEPARATOR = re.compile(r"\s*(?:[,;&]|\band\b|\bor\b)\s*", re.I)


class Unreadable(Exception):
    """A tool's answer that is not what was asked for; `text` is what it says."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


@dataclass(frozen=True, slots=True)
class Device:
    name: str
    node_type: str = ""
    platform: str = "generic"
    status: str = ""
    has_console: bool = True

    @property
    def started(self) -> bool:
        return self.status == "started"


@dataclass(frozen=True, slots=True)
class Link:
    """Its ends, as (device, port)."""

    ends: tuple[tuple[str, str], ...]
    link_id: str = ""

    def touches(self, names: Iterable[str]) -> bool:
        return any(device in names for device, _ in self.ends)


@dataclass(frozen=True, slots=True)
class Selection:
    """What a person's words mean: devices, and words that name none, each with the nearest name or ""."""

    devices: tuple[Device, ...] = ()
    unknown: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Lab:
    name: str
    devices: tuple[Device, ...] = ()
    links: tuple[Link, ...] = ()

    def select(self, words: str) -> Selection:
        """The devices that some words name, or a group of them ("all routers")."""
        words = words.strip(" \"'`.")
        if words.casefold() in (names := {device.name.casefold(): device for device in self.devices}):
            return Selection((names[words.casefold()],))
        for group, platform in _GROUPS.items():
            if re.fullmatch(_QUANTIFIER + f"(?:{group})", words, re.I):
                return Selection(tuple(d for d in self.devices if platform in (None, d.platform)))
        return self._named(words)

    def _named(self, words: str) -> Selection:
        """Takes the known names out, the longest first; what is left over is unknown."""
        found: dict[int, Device] = {}
        for device in sorted(self.devices, key=lambda device: -len(device.name)):
            name = re.compile(rf"(?<![\w-]){re.escape(device.name) or '(?!)'}(?![\w-]|\.\w)", re.I)
            found |= {match.start(): device for match in name.finditer(words)}
            words = name.sub(lambda match: ",".ljust(len(match.group())), words)
        left = (_FILLER.sub("", part + " ").strip(" \"'`.") for part in _SEPARATOR.split(words))
        unknown = tuple((part, self._nearest(part)) for part in dict.fromkeys(left) if part)
        return Selection(tuple(dict.fromkeys(found[at] for at in sorted(found))), unknown)

    def _nearest(self, word: str) -> str:
        names = {device.name.casefold(): device.name for device in self.devices}
        return next((names[near] for near in get_close_matches(word.casefold(), names, n=1)), "")


@dataclass(frozen=True, slots=True)
class Template:
    name: str
    kind: str = ""
    category: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a device tool says of one device."""

    device_name: str
    status: str = "failed"
    output: str = ""
    error: str = ""
    blocked: tuple[tuple[str, str], ...] = ()


def read_lab(text: str) -> Lab:
    """The topology reader's answer."""
    answer = json_object(text)
    if not isinstance(answer.get("nodes"), list):
        raise Unreadable(json_text(answer.get("error")) or text)
    return Lab(
        name=json_text(answer.get("project_name")),
        devices=tuple(map(_device, json_objects(answer["nodes"]))),
        links=tuple(map(_link, json_objects(answer.get("links")))),
    )


def read_templates(text: str) -> list[Template]:
    """What get_gns3_templates answers."""
    answer = json_object(text)
    if not isinstance(answer.get("templates"), list):
        raise Unreadable(json_text(answer.get("error")) or text)
    return [
        Template(json_text(one.get("name")), json_text(one.get("template_type")), json_text(one.get("category")))
        for one in json_objects(answer["templates"])
    ]


def read_outcomes(text: str, names: Sequence[str]) -> dict[str, Outcome]:
    """A device tool's answer: one outcome per name that was asked for, whatever the answer looks like."""
    try:
        answer = json_object(text)
    except Unreadable:
        return {name: Outcome(name, error=text) for name in names}
    entries = map(_outcome, json_objects(answer.get("results")))
    told = {outcome.device_name: outcome for outcome in entries}
    error = json_text(answer.get("error")) or ("" if told else text) or "The tool said nothing about this device."
    return {name: told.get(name) or Outcome(name, error=error) for name in names}


def _device(entry: dict[str, Any]) -> Device:
    return Device(
        name=json_text(entry.get("name")),
        node_type=json_text(entry.get("node_type")),
        platform=json_text(entry.get("platform")) or "generic",
        status=json_text(entry.get("status")),
        has_console=entry.get("console", 0) is not None,
    )


def _link(entry: dict[str, Any]) -> Link:
    ends = json_objects(entry.get("endpoints"))
    return Link(
        tuple((json_text(end.get("node")), json_text(end.get("port"))) for end in ends), json_text(entry.get("link_id"))
    )


def _outcome(entry: dict[str, Any]) -> Outcome:
    blocked = json_objects(entry.get("blocked_commands"))
    return Outcome(
        device_name=json_text(entry.get("device_name")),
        status=json_text(entry.get("status")),
        output=json_text(entry.get("output")).replace("\r", ""),
        error=json_text(entry.get("error")),
        blocked=tuple((json_text(line.get("command")), json_text(line.get("reason"))) for line in blocked),
    )


def json_object(text: str) -> dict[str, Any]:
    try:
        answer = json.loads(text)
    except ValueError:
        raise Unreadable(text) from None
    if not isinstance(answer, dict):
        raise Unreadable(text)
    return answer


def json_objects(value: object) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def json_text(value: object) -> str:
    return "" if value is None else str(value)
