"""Judges lines for a router's command line: at its exec prompt, and one after the other while configuring."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from copilot_ws.labs.danger import ios_config, ios_exec
from copilot_ws.labs.danger.interfaces import may_name, surely_exists
from copilot_ws.labs.danger.plain import is_plain, readings
from copilot_ws.labs.danger.verdict import (
    CONFIGURES,
    READS,
    TOO_DEEP,
    UNKNOWN,
    UNREADABLE,
    Rule,
    worst,
)
from copilot_ws.labs.danger.words import Found, Vocabulary

_QUOTES: Final = "\"'`!;"
_SAVED: Final = re.compile(r"nvram:/*startup-config")
_RUNNING: Final = re.compile(r"system:/*running-config")
_DO: Final = ("do", "do-exec")
_PREFIXES: Final = (*_DO, "no", "default")
_DEPTH: Final = 3
_NESTING: Final = ("service", "pvc")

_FILTERS: Final = ("begin", "count", "exclude", "include", "section")
_WRITERS: Final = ("append", "redirect", "tee")

_SHUTDOWN = Rule("dangerous", "Turns off an interface that has a link.")
_REMOVED = Rule("dangerous", "Removes an interface that has a link.")
_SHELL: Final = re.compile(r"[;&<>`$(){}\\!]|^[^|]*\[|^\s*(?:do\s+)?sh\s+(?![a-z][\w-]*(?:\s|$))", re.I)
"""What a Linux shell, or RouterOS with its `[command]`, takes for more than `show`."""

_WRITES_A_FILE = Rule("changing", "Writes what is shown into a file.")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The commands of a family of devices. `regexes`: a filter's pattern may hold `|`."""

    exec: Vocabulary
    regexes: bool


IOS: Final = Dialect(ios_exec.EXEC, regexes=True)
GENERIC: Final = Dialect(ios_exec.GENERIC, regexes=False)


@dataclass(frozen=True, slots=True)
class Command:
    """A line taken apart: `verb` are its words without the `do`, `no` and `default` before them."""

    verb: tuple[str, ...]
    prefixes: tuple[str, ...]

    @property
    def at_exec(self) -> bool:
        return "do" in self.prefixes or "do-exec" in self.prefixes

    def forms(self) -> Iterator[tuple[str, ...]]:
        """What the line may mean: `no no x` may be either of `no x` and `x`."""
        signs = [word for word in self.prefixes if word not in _DO]
        for sign in dict.fromkeys(signs):
            yield (sign, *self.verb)
        if not signs or len(signs) > 1 or self.at_exec:
            yield self.verb


def command_of(text: str) -> Command:
    words = [_word(word) for word in text.split()]
    words = [word for word in words if word and not (word.startswith("/") and len(word) > 1)]
    at = 0
    while at < len(words) and words[at] in _PREFIXES:
        at += 1
    return Command(tuple(words[at:]), tuple(words[:at]))


def _word(word: str) -> str:
    word = word.strip(_QUOTES).replace('"', "").replace("'", "")
    return _RUNNING.sub("running-config", _SAVED.sub("startup-config", word))


def meanings(line: str) -> list[str]:
    """All that a line may stand for here, in lower case: `?` shows help at once and is not part of the line."""
    return list(dict.fromkeys(text.replace("?", "").strip() for text in readings(line)))


def judge_exec(dialect: Dialect, line: str) -> Rule:
    """For a line at the exec prompt."""
    rule = worst((_exec_rule(dialect, text) for text in meanings(line)), READS)
    if rule.level != "reading":
        return rule
    if not is_plain(line):
        return UNREADABLE
    return READS if line.lstrip().startswith("!") else _piped(dialect, line)


def _exec_rule(dialect: Dialect, text: str) -> Rule:
    if text.startswith("!") or not text:
        return READS
    rules: list[Rule] = []
    for piece in text.split(";"):
        command = command_of(piece)
        rules += _rules(dialect.exec, dialect, command)
        if command.prefixes:
            rules.append(UNKNOWN)
    return worst(rules, READS)


def _rules(vocabulary: Vocabulary, dialect: Dialect, command: Command, depth: int = 0) -> Iterator[Rule]:
    for form in command.forms():
        for found in vocabulary.find(form, UNKNOWN) if form else ():
            yield found.rule
            if found.rule.follows == "command":
                yield _later(dialect, found, depth)


def _later(dialect: Dialect, found: Found, depth: int) -> Rule:
    """For a command that the device is told to run another time."""
    if depth == _DEPTH:
        return TOO_DEEP
    command = command_of(" ".join(found.rest))
    rules = [
        *_rules(dialect.exec, dialect, command, depth + 1),
        *_rules(ios_config.CONFIG, dialect, command, depth + 1),
    ]
    return worst(rules)


def _piped(dialect: Dialect, line: str) -> Rule:
    """For a line that reads, by the filters behind it."""
    command, *pipes = line.lower().split("|")
    if not dialect.regexes and _SHELL.search(line):
        return UNKNOWN
    if ">" in command:
        return _WRITES_A_FILE
    for number, pipe in enumerate(pipes):
        name = next(iter(pipe.split()), "")
        if name and any(writer.startswith(name) for writer in _WRITERS):
            return _WRITES_A_FILE
        is_filter = bool(name) and any(word.startswith(name) for word in _FILTERS)
        if not is_filter and not (number and dialect.regexes):
            return UNKNOWN
    return READS


class Configuring:
    """Follows lines that are sent one after the other, beginning in global configuration mode.

    A device that refuses a line stays where it was, and one that has left configuration mode runs what
    comes as exec commands: each line is judged by all that it may be.
    """

    def __init__(self, dialect: Dialect, linked: Collection[str]) -> None:
        self._dialect = dialect
        self._linked = linked
        self._interfaces: set[str] = set()
        self._nested = 0
        self._deep = False
        self.left = False

    def judge(self, line: str) -> Rule:
        texts = meanings(line)
        rule = worst((self._rule(text) for text in texts), READS)
        self._enter(command_of(texts[0]), is_plain(line))
        return rule if rule.level != "reading" or is_plain(line) else UNREADABLE

    def _rule(self, text: str) -> Rule:
        if text.startswith("!") or not text:
            return READS
        command = command_of(text)
        pieces = [text]
        if not self._is_text(command):
            pieces = text.split(";")
        return worst(rule for piece in pieces for rule in self._piece(piece))

    def _is_text(self, command: Command) -> bool:
        """Whether all of the line is one command: a `;` in a text ends nothing."""
        return all(
            found.rule.follows == "text" for form in command.forms() for found in ios_config.CONFIG.find(form, UNKNOWN)
        )

    def _piece(self, text: str) -> Iterator[Rule]:
        command = command_of(text)
        if command.prefixes and all(prefix in _DO for prefix in command.prefixes):
            yield self._shown(text, command)
            return
        if _enters_configuration(command):
            yield CONFIGURES
            return
        yield from (
            CONFIGURES if rule is UNKNOWN else rule for rule in _rules(ios_config.CONFIG, self._dialect, command)
        )
        yield from self._interface_rules(command)
        yield from _rules(self._dialect.exec, self._dialect, command)

    def _shown(self, text: str, command: Command) -> Rule:
        """For an exec command behind `do`."""
        rule = worst(_rules(self._dialect.exec, self._dialect, command), READS)
        return _piped(self._dialect, text) if rule.level == "reading" else rule

    def _interface_rules(self, command: Command) -> Iterator[Rule]:
        for form in command.forms():
            negative = form[:1] == ("no",)
            verb = form[1:] if form[:1] in (("no",), ("default",)) else form
            if not verb:
                continue
            if not negative and _abbreviates(verb[0], "shutdown", 2) and self._on_a_link():
                yield _SHUTDOWN
            if negative and _abbreviates(verb[0], "interface", 2) and may_name(" ".join(verb[1:]), self._linked):
                yield _REMOVED

    def _on_a_link(self) -> bool:
        return any(may_name(name, self._linked) for name in self._interfaces)

    def _enter(self, command: Command, plain: bool) -> None:
        """Where the device stands after the line. What may have been refused has only added a place."""
        if command.prefixes or not command.verb:
            return
        first, rest = command.verb[0], " ".join(command.verb[1:])
        if _abbreviates(first, "interface", 2):
            sure = plain and surely_exists(rest, self._linked)
            self._interfaces = {rest} if sure else {*self._interfaces, rest}
            self._deep, self._nested = sure, 0
        elif first in _NESTING:
            self._nested += 1
        elif _leaves(first):
            self._leave(first, sure=plain and not rest)

    def _leave(self, word: str, sure: bool) -> None:
        if sure and word == "exit":
            self.left = self.left or not self._deep
            if self._nested == 0:
                self._interfaces.clear()
            self._nested = max(0, self._nested - 1)
        else:
            self.left = True
        if sure and word == "end":
            self._interfaces.clear()
        self._deep = False


def _enters_configuration(command: Command) -> bool:
    """`conf t` does nothing here; `config-register`, which it may also be short for, takes a number."""
    if command.prefixes or not 1 <= len(command.verb) <= 2:
        return False
    return _abbreviates(command.verb[0], "configure", 3) and all(
        "terminal".startswith(word) for word in command.verb[1:]
    )


def _leaves(word: str) -> bool:
    return any(_abbreviates(word, name, 2) for name in ("end", "exit", "quit", "logout", "abort", "commit"))


def _abbreviates(word: str, name: str, least: int) -> bool:
    return len(word) >= least and name.startswith(word)
