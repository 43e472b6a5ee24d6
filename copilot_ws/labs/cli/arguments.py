"""The kinds of values in a command line: how each is read, and how help names it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address

Value = str | int | IPv4Address

INTERFACE_TYPES = (
    ("GigabitEthernet", "Gi", re.compile(r"\d+/\d+"), "GigabitEthernet IEEE 802.3z"),
    ("Loopback", "Lo", re.compile(r"\d{1,10}"), "Loopback interface"),
)
"""Full name, short name, shape of the number, help."""

_INTERFACE = re.compile(r"([A-Za-z]+)(.*)")


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a line, and the column it starts in."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Taken:
    """A value read from the line, and how many tokens it took."""

    value: Value
    used: int = 1


class NeedsMore(Exception):
    """The tokens so far begin a value; the line ends too early."""


Taker = Callable[[str, Sequence[Token], int], Taken | None]


@dataclass(frozen=True, slots=True)
class Argument:
    """A kind of value. `take(line, tokens, index)` gives None for what is no such value."""

    rows: tuple[tuple[str, str], ...]
    take: Taker


def _single(read: Callable[[str], Value | None]) -> Taker:
    def take(_line: str, tokens: Sequence[Token], at: int) -> Taken | None:
        value = read(tokens[at].text)
        return None if value is None else Taken(value)

    return take


def word(help: str, placeholder: str = "WORD") -> Argument:
    """One word as it stands."""
    return Argument(((placeholder, help),), _single(lambda text: text))


def integer(low: int, high: int, help: str) -> Argument:
    """A decimal number from `low` to `high`."""

    def read(text: str) -> int | None:
        if not text.isascii() or not text.isdigit() or len(text) > 10:
            return None
        return int(text) if low <= int(text) <= high else None

    return Argument(((f"<{low}-{high}>", help),), _single(read))


def ipv4(help: str) -> Argument:
    """A dotted address; masks are read with it too."""
    return Argument((("A.B.C.D", help),), _single(_address))


def rest_of_line(help: str) -> Argument:
    """All text up to the end of the line, at least one character."""

    def take(line: str, tokens: Sequence[Token], at: int) -> Taken:
        return Taken(line[tokens[at].start :].rstrip(), len(tokens) - at)

    return Argument((("LINE", help),), take)


def interface() -> Argument:
    """An interface name, in full: `Gi0/0`, `gigabitethernet 0/0` and `g0/0` give `GigabitEthernet0/0`."""
    return Argument(tuple((name, text) for name, _, _, text in INTERFACE_TYPES), _take_interface)


def short_interface(name: str) -> str:
    """`GigabitEthernet0/0` as IOS abbreviates it: `Gi0/0`."""
    for full, short, _, _ in INTERFACE_TYPES:
        if name.startswith(full):
            return short + name.removeprefix(full)
    return name


def _address(text: str) -> IPv4Address | None:
    try:
        return IPv4Address(text)
    except AddressValueError:
        return None


def _take_interface(_line: str, tokens: Sequence[Token], at: int) -> Taken | None:
    found = _INTERFACE.fullmatch(tokens[at].text)
    kind = _interface_type(found.group(1)) if found else None
    if found is None or kind is None:
        return None
    name, shape = kind
    number, used = found.group(2), 1
    if not number:
        if at + 1 >= len(tokens):
            raise NeedsMore
        number, used = tokens[at + 1].text, 2
    return Taken(name + number, used) if shape.fullmatch(number) else None


def _interface_type(text: str) -> tuple[str, re.Pattern[str]] | None:
    for name, _, shape, _ in INTERFACE_TYPES:
        if name.lower().startswith(text.lower()):
            return name, shape
    return None
