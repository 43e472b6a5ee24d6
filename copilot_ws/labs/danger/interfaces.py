"""Names of interfaces in all the forms that people and devices use, and which of them are the same."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from copilot_ws.labs.danger.words import names

_EVERYWHERE: Final = frozenset(("loopback",))
"""Types of which every router makes one when it is named."""

_NAMES: Final = names(
    """
    AppGigabitEthernet Async ATM BDI BVI Cellular Dialer Ethernet FastEthernet FiftyGigE FiveGigabitEthernet
    FortyGigabitEthernet FourHundredGigE GigabitEthernet HundredGigE Loopback Management mgmt Multilink Null nve
    Port-channel POS Serial TenGigabitEthernet Tunnel TwentyFiveGigE TwoGigabitEthernet Virtual-Template Vlan
    wlan-GigabitEthernet
    """
)
_TYPES: Final = {name.lower(): name for name in _NAMES}
_SPAN: Final = re.compile(
    r"(?P<kind>[a-z](?:[a-z-]*[a-z])?)(?P<head>(?:\d{1,5}[/:.])*)(?P<low>\d{1,9})"
    r"(?:-(?:[a-z-]*[a-z])?(?:\d{1,5}[/:.])*(?P<high>\d{1,9}))?"
)


@dataclass(frozen=True, slots=True)
class Span:
    """Interfaces `low` to `high` behind the same `head` (`0/`); `kinds` are the types that the name may mean."""

    kinds: frozenset[str]
    head: str
    low: int
    high: int

    def meets(self, other: Span) -> bool:
        same = self.head == other.head and not self.kinds.isdisjoint(other.kinds)
        return same and self.low <= other.high and other.low <= self.high


def may_name(argument: str, linked: Collection[str]) -> bool:
    """Whether the words after `interface` may name one of `linked`. What cannot be read may be any of them."""
    wanted = _spans(argument)
    known = [span for name in linked for span in _spans(name) or ()]
    if wanted is None:
        return bool(linked)
    return any(one.meets(other) for one in wanted for other in known)


def surely_exists(argument: str, linked: Collection[str]) -> bool:
    """Whether a device certainly takes the words after `interface`."""
    spans = _spans(argument)
    if not spans or len(spans) > 1 or spans[0].low != spans[0].high:
        return False
    return spans[0].kinds <= _EVERYWHERE or (may_name(argument, linked) and len(spans[0].kinds) == 1)


def same_interface(one: str, other: str) -> bool:
    """Whether two names may mean one interface."""
    return may_name(one, (other,)) and _spans(one) is not None


def full_name(argument: str) -> str:
    """`lo 0` as `Loopback0`; what may be several interfaces, or none, stays as it is."""
    spans = _spans(argument)
    if not spans or len(spans) > 1 or spans[0].low != spans[0].high or len(spans[0].kinds) > 1:
        return argument
    kind = next(iter(spans[0].kinds))
    return f"{_TYPES[kind]}{spans[0].head}{spans[0].low}" if kind in _TYPES else argument


def _spans(argument: str) -> list[Span] | None:
    """None if a part of it is no name of an interface."""
    text = argument.strip().lower()
    words = text.split(maxsplit=1)
    if len(words) == 2 and words[0] and "range".startswith(words[0]):
        text = words[1]
    parts = [_span(part) for part in _parts(text)]
    return [part for part in parts if part is not None] if parts and None not in parts else None


def _parts(text: str) -> Iterator[str]:
    for part in text.split(","):
        yield re.sub(r"\s+", "", part)


def _span(part: str) -> Span | None:
    found = _SPAN.match(part)
    if found is None:
        return None
    low = int(found["low"])
    high = int(found["high"]) if found["high"] else low
    head = re.sub(r"\b0+(?=\d)", "", found["head"])
    return Span(_kinds(found["kind"]), head, min(low, high), max(low, high))


def _kinds(word: str) -> frozenset[str]:
    if word in _TYPES:
        return frozenset((word,))
    return frozenset(name for name in _TYPES if name.startswith(word)) or frozenset((word,))
