"""How bad a line is: verdicts, the rules they come from, and which of several counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

Level = Literal["reading", "changing", "dangerous"]

_RANK: Final[dict[Level, int]] = {"reading": 0, "changing": 1, "dangerous": 2}


@dataclass(frozen=True, slots=True)
class Rule:
    """What a command does. `follows` says what the words after it are: arguments, free text, or a command."""

    level: Level
    reason: str = ""
    follows: Literal["arguments", "text", "command"] = "arguments"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`line` as it would be sent; `reason` one sentence for a person, "" for a line that only reads."""

    line: str
    level: Level
    reason: str


READS = Rule("reading")
UNKNOWN = Rule("changing", "It is not known to only read.")
CONFIGURES = Rule("changing", "Changes the device's configuration.")
UNREADABLE = Rule("changing", "It has characters that no reading command needs.")
KEYSTROKES = Rule("dangerous", "Holds keystrokes, so what the device would make of the line cannot be told.")
TOO_LONG = Rule("dangerous", "Is longer than any device takes, so what it would do cannot be told.")
TOO_DEEP = Rule("dangerous", "Hides a command in commands, too deep to be judged.")


def worst(rules: Iterable[Rule], default: Rule = UNKNOWN) -> Rule:
    """The first of the most severe rules; `default` if there is none."""
    return max(rules, key=lambda rule: _RANK[rule.level], default=default)


def verdict(line: str, rule: Rule) -> Verdict:
    return Verdict(line, rule.level, "" if rule.level == "reading" else rule.reason)
