"""An IOS-like configuration as a tree that lines are merged into, as a device would."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from hier_config import HConfig, HConfigChild
from hier_config.platforms.cisco_ios.driver import HConfigDriverCiscoIOS

WORK: Final = 15_000
"""Lines that are merged in all: a whole configuration each time that lines undo what others before them did."""

_Tree = HConfig | HConfigChild

_NOISE: Final = re.compile(r"Building configuration|Current configuration|Using \d+ out of|\s*(?:!|exit\b|exit-|end$)")
_BANNER: Final = re.compile(r"banner (?P<kind>\S+) (?P<mark>\^C|\S)(?P<text>.*)", re.S)

_ON: Final = re.compile(
    r"(?:ip (?:routing|cef|domain[ -]lookup|redirects|unreachables|proxy-arp|route-cache|http server|address)"
    r"|cdp (?:run|enable)|lldp run|keepalive|auto-summary|logging console|switchport|passive-interface \S+"
    r"|service \S+.*|bgp default ipv4-unicast|aaa new-model)$"
)
"""Settings that a configuration shows when they are off."""

_ONE_OF_A_KIND: Final[dict[str, re.Pattern[str]]] = {
    "": re.compile(
        r"(hostname|enable (?:secret|password)|banner \S+|username \S+|ip default-gateway|ip domain[ -]name"
        r"|ip host \S+|snmp-server (?:contact|location)|clock timezone) "
    ),
    "interface": re.compile(
        r"(description|bandwidth|delay|mtu|duplex|speed|encapsulation|keepalive|load-interval|ip mtu"
        r"|ip ospf (?:cost|priority)|switchport (?:mode|access vlan|trunk native vlan|trunk allowed vlan)) "
        r"|(ip address)(?!.* secondary)"
    ),
    "router": re.compile(r"(router-id|version|default-metric|maximum-paths|network \S+ \S+ area) "),
    "line": re.compile(r"(password|exec-timeout|transport input|privilege level|login)(?: |$)"),
    "vlan": re.compile(r"(name) "),
}
"""By section: settings that a new value replaces."""

_SHOWN_OFF: Final = ("no ip address", "no login")
"""Settings that are replaced by their being off."""


class NotKnown(Exception):
    """What the lines do cannot be worked out."""


class Driver(HConfigDriverCiscoIOS):
    """The rules that lines are merged by. `many_addresses`: an interface takes one more, as Linux does."""

    def __init__(self, many_addresses: bool) -> None:
        super().__init__()
        self._many_addresses = many_addresses

    def idempotent_for(self, config: HConfigChild, other_children: Iterable[HConfigChild]) -> HConfigChild | None:
        """The line that `config` takes the place of."""
        setting = self._setting(config)
        if not setting:
            return None
        return next((other for other in other_children if self._setting(other) == setting), None)

    def _setting(self, line: HConfigChild) -> str:
        section = "" if isinstance(line.parent, HConfig) else line.parent.text.split(" ", 1)[0]
        setting = _setting(section, line.text)
        return "" if self._many_addresses and setting == "ip address" else setting


@lru_cache(maxsize=65536)
def _setting(section: str, text: str) -> str:
    """The setting of which a line is the value, "" if lines of its kind stand side by side."""
    pattern = _ONE_OF_A_KIND.get(section)
    if pattern is None or (text.startswith("no ") and text not in _SHOWN_OFF):
        return ""
    found = pattern.match(text.removeprefix("no "))
    return next((part for part in found.groups() if part), "") if found else ""


def load(tree: HConfig, text: str) -> None:
    """Fills `tree` with a configuration that is written with indented sections."""
    places: list[tuple[int, _Tree]] = [(-1, tree)]
    for line in _whole_lines(text):
        indent = len(line) - len(line.lstrip())
        while places[-1][0] >= indent:
            places.pop()
        child = places[-1][1].add_child(line.strip(), return_if_present=True)
        places.append((indent, child))


def _whole_lines(text: str) -> Iterator[str]:
    """The lines that say something; a banner of several is one."""
    lines = iter(text.splitlines())
    for line in lines:
        found = _BANNER.fullmatch(line)
        if found and found["mark"] not in found["text"]:
            body = [line]
            for more in lines:
                body.append(more)
                if found["mark"] in more:
                    break
            yield "\n".join(body)
        elif line.strip() and not _NOISE.match(line):
            yield line.rstrip()


class Change:
    """Lines on their way into a configuration. Lines that undo earlier ones wait for those to be applied."""

    def __init__(self, driver: Driver, before: HConfig) -> None:
        self._driver = driver
        self._work = 0
        self._pending = HConfig(driver)
        self._before = self._present = before

    @property
    def interfaces(self) -> list[str]:
        """Names of all interfaces that exist by now."""
        sections = (*self._present.children, *self._pending.children)
        return [child.text.removeprefix("interface ") for child in sections if child.text.startswith("interface ")]

    def add(self, section: Sequence[str], line: str) -> None:
        if line.startswith("default interface "):
            self._reset(line.removeprefix("default "))
            return
        line = re.sub(r"^default ", "no ", line)
        place = self._place(section)
        if any(_undoes(line, child.text) for child in place.children) or self._replaces(place, line):
            self._apply()
            place = self._place(section)
        place.add_child(line, return_if_present=True)

    def finished(self) -> HConfig:
        self._apply()
        return self._present

    def _place(self, section: Sequence[str]) -> _Tree:
        place: _Tree = self._pending
        if section and any(_undoes(section[0], child.text) for child in place.children):
            self._apply()
            place = self._pending
        for text in section:
            place = place.add_child(text, return_if_present=True)
        return place

    def _replaces(self, place: _Tree, line: str) -> bool:
        probe = place.instantiate_child(line)
        found = self._driver.idempotent_for(probe, place.children)
        return found is not None and found.text != line

    def _reset(self, section: str) -> None:
        self._apply()
        self._present = self._present.deep_copy()
        found = self._present.get_child(equals=section)
        for child in tuple(found.children) if found else ():
            child.delete()

    def _apply(self) -> None:
        if not self._pending.children:
            return
        self._work += len(self._present)
        if self._work > WORK:
            raise NotKnown
        future = HConfig(self._driver)
        _arrange(self._driver, self._before, self._present.future(self._pending), future)
        self._present, self._pending = future, HConfig(self._driver)


def _undoes(line: str, other: str) -> bool:
    """Whether one of the two takes back the other or what it holds."""
    if line.startswith("no ") == other.startswith("no "):
        return False
    one, two = line.removeprefix("no "), other.removeprefix("no ")
    return f"{one} ".startswith(f"{two} ") or f"{two} ".startswith(f"{one} ")


def _arrange(driver: Driver, before: _Tree | None, after: _Tree, into: _Tree) -> None:
    """Copies `after` in the order of `before`; what is new stands where it replaces, or by its like.

    Left out is what a device does not show: that something is off which nobody had turned on.
    """
    old = list(before.children) if before is not None else []
    places = {child.text: float(number) for number, child in enumerate(old)}
    last = {_kind(child.text): number + 0.5 for number, child in enumerate(old)}

    def place(child: HConfigChild) -> float:
        if child.text in places:
            return places[child.text]
        if child.text.startswith("description "):
            return -1.0
        replaced = driver.idempotent_for(child, old)
        return places[replaced.text] if replaced is not None else last.get(_kind(child.text), float(len(old)))

    for child in sorted(after.children, key=place):
        if child.text in places or not _unseen(child.text):
            copy = into.add_child(child.text, return_if_present=True)
            _arrange(driver, before.children.get(child.text) if before is not None else None, child, copy)


def _kind(text: str) -> str:
    words = text.removeprefix("no ").split()
    return " ".join(words[: 2 if words[0] in ("ip", "ipv6") else 1])


def _unseen(text: str) -> bool:
    """Whether the line states what is so anyway."""
    positive = text.removeprefix("no ")
    on = _ON.match(positive) is not None
    return not on if positive != text else on and not positive.startswith(("ip address", "passive-", "service "))


def shown(tree: _Tree, depth: int = 0) -> list[str]:
    lines: list[str] = []
    for child in tree.children:
        lines += (" " * depth + child.text).split("\n")
        lines += shown(child, depth + 1)
    return lines
