"""A declarative command tree and its parser: abbreviations, faults with their column, help, completion."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Address

from copilot_ws.labs.cli.arguments import Argument, NeedsMore, Token, Value

PRIVILEGED = 15
USER = 1
END_OF_LINE = "<cr>"

_TOKEN = re.compile(r"\|(?=\S)|\S+")


@dataclass(frozen=True, slots=True)
class Node:
    """One word of a command: a keyword, or an argument when `argument` is set.

    `ends`: the command may stop here. `then`: what may follow. `options` may follow in any order, each
    once. A keyword with a `slot` does not name the command: it is the value of that slot.
    """

    name: str
    help: str = ""
    then: tuple[Node, ...] = ()
    ends: bool = False
    level: int = USER
    slot: str = ""
    options: tuple[Node, ...] = ()
    argument: Argument | None = None


def keyword(name: str, help: str, *then: Node, ends: bool | None = None, level: int = USER, slot: str = "") -> Node:
    """A literal word. Without `then` it ends its command."""
    return Node(name, help, then, not then if ends is None else ends, level, slot)


def argument(name: str, kind: Argument, *then: Node, ends: bool | None = None, options: tuple[Node, ...] = ()) -> Node:
    """A value, kept as `Match.values[name]`. Without `then` it ends its command."""
    return Node(name, "", then, not then if ends is None else ends, options=options, argument=kind)


def with_tail(node: Node, tail: Node) -> Node:
    """`node` with `tail` allowed wherever a command of its subtree may end."""
    then = tuple(with_tail(child, tail) for child in node.then)
    return replace(node, then=(*then, tail) if node.ends else then)


class Fault(Exception):
    """A line that is no command of the tree."""


class Ambiguous(Fault):
    """A word that abbreviates several keywords."""


class Incomplete(Fault):
    """The line stops before the command does."""


class Invalid(Fault):
    """`column` counts from 0: the first character that nothing in the tree allows."""

    def __init__(self, column: int) -> None:
        super().__init__(column)
        self.column = column


@dataclass(slots=True)
class Match:
    """A resolved line: `command` holds the full keywords (`show ip interface brief`), `values` the rest."""

    command: str = ""
    values: dict[str, Value] = field(default_factory=dict)
    columns: dict[str, int] = field(default_factory=dict)

    def text(self, name: str) -> str | None:
        value = self.values.get(name)
        return value if isinstance(value, str) else None

    def number(self, name: str, default: int) -> int:
        value = self.values.get(name)
        return value if isinstance(value, int) else default

    def address(self, name: str) -> IPv4Address | None:
        value = self.values.get(name)
        return value if isinstance(value, IPv4Address) else None

    def invalid(self, name: str) -> Invalid:
        """The fault of a value that the tree allows and the device does not have."""
        return Invalid(self.columns.get(name, 0))


@dataclass(slots=True)
class _Walk:
    """Where the parser stands: what may follow, and which options are still free."""

    choices: tuple[Node, ...]
    ends: bool = False
    free: tuple[Node, ...] = ()

    def enter(self, node: Node) -> None:
        self.free = node.options or tuple(option for option in self.free if option is not node)
        self.ends = node.ends
        self.choices = (*node.then, *self.free) if node.ends else node.then

    def visible(self, level: int) -> list[Node]:
        return [node for node in self.choices if node.level <= level]


def parse(root: Iterable[Node], line: str, level: int = PRIVILEGED) -> Match:
    """The command that `line` stands for. Raises `Ambiguous`, `Incomplete` or `Invalid`."""
    tokens = tokenize(line)
    walk, match = _follow(root, line, tokens, level)
    if not walk.ends:
        raise Incomplete
    return match


def help_rows(root: Iterable[Node], line: str, level: int = PRIVILEGED) -> list[tuple[str, str]]:
    """(word, help) of all that may come next, or of what the unfinished last word may become."""
    walk, partial = _before_cursor(root, line, level)
    rows = sorted(row for node in walk.visible(level) for row in _rows(node) if _may_become(row, partial))
    if not partial and walk.ends:
        rows.append((END_OF_LINE, ""))
    return rows


def complete(root: Iterable[Node], line: str, level: int = PRIVILEGED) -> str:
    """`line` with its last word spelled out and a blank, or as it was if that is not one keyword."""
    try:
        walk, partial = _before_cursor(root, line, level)
        node = _keyword(walk.visible(level), partial) if partial else None
    except Fault:
        return line
    return line if node is None else f"{line[: len(line) - len(partial)]}{node.name} "


def tokenize(line: str) -> list[Token]:
    return [Token(found.group(), found.start()) for found in _TOKEN.finditer(line)]


def _before_cursor(root: Iterable[Node], line: str, level: int) -> tuple[_Walk, str]:
    tokens = tokenize(line)
    partial = tokens.pop().text if tokens and not line[-1].isspace() else ""
    walk, _ = _follow(root, line, tokens, level)
    return walk, partial


def _follow(root: Iterable[Node], line: str, tokens: Sequence[Token], level: int) -> tuple[_Walk, Match]:
    walk, match = _Walk(tuple(root)), Match()
    words: list[str] = []
    at = 0
    while at < len(tokens):
        node, value, used = _take(walk.visible(level), line, tokens, at)
        name = node.slot or node.name
        if node.argument is None and not node.slot:
            words.append(node.name)
        else:
            match.values[name] = value
            match.columns[name] = tokens[at].start
        walk.enter(node)
        at += used
    match.command = " ".join(words)
    return walk, match


def _take(choices: list[Node], line: str, tokens: Sequence[Token], at: int) -> tuple[Node, Value, int]:
    token = tokens[at]
    if (node := _keyword(choices, token.text)) is not None:
        return node, node.name, 1
    for node in choices:
        if node.argument is None:
            continue
        try:
            taken = node.argument.take(line, tokens, at)
        except NeedsMore:
            raise Incomplete from None
        if taken is not None:
            return node, taken.value, taken.used
    raise Invalid(token.start + _understood(choices, token.text))


def _keyword(choices: Iterable[Node], text: str) -> Node | None:
    word = text.lower()
    found = [node for node in choices if node.argument is None and node.name.startswith(word)]
    exact = [node for node in found if node.name == word]
    if len(found) > 1 and not exact:
        raise Ambiguous
    return next(iter(exact or found), None)


def _understood(choices: Iterable[Node], text: str) -> int:
    word = text.lower()
    names = (node.name for node in choices if node.argument is None)
    return max((_common(word, name) for name in names), default=0)


def _common(one: str, other: str) -> int:
    """Length of the common beginning."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


def _rows(node: Node) -> Sequence[tuple[str, str]]:
    return ((node.name, node.help),) if node.argument is None else node.argument.rows


def _may_become(row: tuple[str, str], partial: str) -> bool:
    word = row[0]
    return word.lower().startswith(partial.lower()) or word.isupper() or word.startswith("<")
