"""A vocabulary of commands with a rule on each: finds all that abbreviated words may stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from copilot_ws.labs.danger.verdict import Rule

ANY = "<any>"
"""In a phrase: one word of any kind."""


def names(text: str) -> tuple[str, ...]:
    """The words of a table that is written as text."""
    return tuple(text.split())


@dataclass(frozen=True, slots=True)
class Found:
    """A command that words may stand for: its rule, and the words after those that named it."""

    rule: Rule
    rest: tuple[str, ...]


@dataclass(slots=True)
class Vocabulary:
    """A word of a command and what may follow it. Without a `rule` that of the word before holds."""

    rule: Rule | None = None
    words: dict[str, Vocabulary] = field(default_factory=dict)

    def add(self, phrases: Iterable[str], rule: Rule | None = None) -> None:
        """`a b|c` are the phrases `a b` and `a c`."""
        for phrase in phrases:
            for words in product(*(word.split("|") for word in phrase.split())):
                self._place(words).rule = rule

    def _place(self, words: Iterable[str]) -> Vocabulary:
        place = self
        for word in words:
            place = place.words.setdefault(word, Vocabulary())
        return place

    def find(self, words: Sequence[str], default: Rule) -> list[Found]:
        """Every command that the words may abbreviate, at least one: no word at all is `default`.

        A word spelled out is only itself. An abbreviation of several is each of them: devices differ in
        their commands, so what is ambiguous on one is clear on another.
        """
        return self._find(tuple(words), self.rule or default, "", False)

    def spell(self, words: Sequence[str]) -> tuple[list[str], bool]:
        """`words` in full as far as they are clear, and whether they hold a whole phrase."""
        place, spelled = self, list(words)
        for at, word in enumerate(words):
            meant = place._meant(word.lower()) if place.words else []
            if len(meant) != 1:
                break
            spelled[at] = word if meant[0] == ANY else meant[0]
            place = place.words[meant[0]]
        return spelled, not place.words

    def _find(self, words: tuple[str, ...], rule: Rule, path: str, doubtful: bool) -> list[Found]:
        meant = self._meant(words[0]) if words else []
        if not meant:
            return [Found(_doubted(rule, path) if doubtful else rule, words)]
        return [
            found
            for name in meant
            for found in self.words[name]._find(
                words[1:],
                self.words[name].rule or rule,
                f"{path} {words[0] if name == ANY else name}".strip(),
                doubtful or len(meant) > 1,
            )
        ]

    def _meant(self, word: str) -> list[str]:
        if word in self.words and word != ANY:
            return [word]
        alike = [name for name in self.words if name.startswith(word) and name != ANY]
        return alike or [name for name in self.words if name == ANY]


def _doubted(rule: Rule, command: str) -> Rule:
    """`rule` for an abbreviation that is also one of other commands."""
    if rule.level != "dangerous":
        return rule
    reason = f"May stand for `{command}`: {rule.reason[:1].lower()}{rule.reason[1:]}"
    return Rule(rule.level, reason, rule.follows)


def vocabulary(bare: Iterable[str], *tables: Mapping[Rule, Iterable[str]]) -> Vocabulary:
    """`bare` are commands known by name only; a table says which phrases a rule is for."""
    root = Vocabulary()
    root.add(bare)
    for table in tables:
        for rule, phrases in table.items():
            root.add(phrases, rule)
    return root
