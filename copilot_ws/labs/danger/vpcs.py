"""Judges lines for a VPCS host."""

from __future__ import annotations

import re
from typing import Final

from copilot_ws.labs.danger.plain import is_plain, readings
from copilot_ws.labs.danger.verdict import READS, UNKNOWN, UNREADABLE, Rule, worst
from copilot_ws.labs.danger.words import Vocabulary, vocabulary

HOST_COMMAND: Final = Rule("dangerous", "Runs a command on the lab's own host: such a line is never sent.")
_FILE = Rule("dangerous", "Writes a file of the lab's own host, outside the project.")
_BUSY = Rule("changing", "Keeps the console busy for longer than two minutes.")
_LONGEST_SLEEP: Final = 120

_COMMANDS: Final[dict[Rule, tuple[str, ...]]] = {
    READS: ("show", "ping", "trace", "arp", "version", "help", "history", "sleep", "echo"),
    Rule("changing", "Changes the host's addresses."): ("ip", "dhcp"),
    Rule("changing", "Changes a setting of the host."): ("set", "relay", "edit"),
    Rule("changing", "Forgets addresses, tables or settings."): ("clear",),
    Rule("changing", "Saves the host's settings."): ("save",),
    Rule("changing", "Closes the console."): ("disconnect",),
    Rule("dangerous", "Ends the host's program: it is gone until it is started again."): ("quit",),
    Rule("dangerous", "Runs the lines of a file, whatever they are."): ("load",),
    Rule("dangerous", "Opens a session elsewhere: lines after it are not for this host."): ("rlogin",),
}
COMMANDS: Final[Vocabulary] = vocabulary((), _COMMANDS)
_OUTSIDE: Final = re.compile(r"(^|\s)(~|\S*/|\S*\.\.)")


def judge(line: str) -> Rule:
    """For a line at the host's prompt."""
    rule = worst((_rule(piece.strip()) for text in readings(line) for piece in text.split(";")), READS)
    return UNREADABLE if rule.level == "reading" and not is_plain(line) else rule


def _rule(text: str) -> Rule:
    if text.startswith("!"):
        return HOST_COMMAND
    words = text.replace("?", " ").split()
    if not words:
        return READS
    found = COMMANDS.find(words, UNKNOWN)
    saves = any(name.startswith(words[0]) for name in ("save", "set"))
    if saves and _OUTSIDE.search(" ".join(words[1:])):
        return _FILE
    rule = worst(match.rule for match in found)
    return _BUSY if rule.level == "reading" and _sleeps_long(words) else rule


def _sleeps_long(words: list[str]) -> bool:
    seconds = re.match(r"\+?([0-9]+)", words[1]) if len(words) > 1 else None
    return "sleep".startswith(words[0]) and seconds is not None and int(seconds[1]) > _LONGEST_SLEEP
