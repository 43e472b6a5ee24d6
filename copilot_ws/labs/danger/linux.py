"""Judges lines for a Linux shell: a short list of what reads, and a long one of what does harm."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from copilot_ws.labs.danger.linux_harm import RULES, UNTELLABLE, WRAPPERS
from copilot_ws.labs.danger.linux_reading import reads
from copilot_ws.labs.danger.plain import is_plain, readings
from copilot_ws.labs.danger.verdict import READS, TOO_DEEP, UNKNOWN, UNREADABLE, Rule, worst

_FORK_BOMB: Final = re.compile(r":\s*\(\s*\)\s*\{")
_OVERWRITES: Final = re.compile(
    r">[|&]?\s*[\"']?(?:/dev/(?!null|std|tty|fd)|/etc/|/boot/|/bin/|/sbin/|/usr/|/lib|/proc/sysrq)"
)
_STOPS_FORWARDING: Final = re.compile(
    r"\bip_forward\s*=\s*0|\bforwarding\s*=\s*0|\becho\s+[\"']?0[\"']?\s*>\s*/proc/sys/net/\S*forward"
)
_FETCHED: Final = re.compile(r"\b(?:sh|bash|eval|source)\b.*(?:\$\(|`|<\()\s*(?:curl|wget|fetch)")
_COMPUTED: Final = re.compile(r"(?:^|[;&|(){}]|\b(?:sudo|exec|nohup|env|doas|then|do)\s)\s*(?:\$\(|`)|\beval\b.*[$`]")
_SPLIT: Final = re.compile(r"(\$\(|[<>]\(|&&|\|\||[;&|(){}`\n])")
_ASSIGNMENT: Final = re.compile(r"[a-z_]\w*\+?=.*")
_KEYWORDS: Final = frozenset(("if", "then", "else", "elif", "do", "while", "until", "!", "[", "[[", "then"))
_SHELLS: Final = frozenset(("sh", "bash", "ash", "dash", "zsh", "ksh", "python", "python3", "perl", "ruby"))
_WORDS_MAX: Final = 200
"""Of one command: each of them may begin another one, and is looked at for that."""
_VTYSH: Final = re.compile(r"(?:-c|--command)[\s=]*(?:\"([^\"]*)\"|'([^']*)'|(\S+))")

_BOMB = Rule("dangerous", "Starts processes without end until the machine stops answering.")
_SYSTEM_FILE = Rule("dangerous", "Overwrites a disk or a file of the system.")
_NO_FORWARDING = Rule("dangerous", "Stops routing: the machine forwards no packet any more.")
_PIPED_SHELL = Rule("dangerous", "Runs a text that comes from elsewhere, whatever it holds.")

_PATTERNS: Final = (
    (_FORK_BOMB, _BOMB),
    (_OVERWRITES, _SYSTEM_FILE),
    (_STOPS_FORWARDING, _NO_FORWARDING),
    (_FETCHED, _PIPED_SHELL),
    (_COMPUTED, UNTELLABLE),
)


def judge(line: str, by_vtysh: Callable[[str], Rule]) -> Rule:
    """For a line at a shell's prompt. `by_vtysh` judges what `vtysh -c` is given."""
    texts = readings(line)
    harms = [rule for text in texts if (rule := harm(text)) is not None]
    routers = [by_vtysh(command) for text in texts for command in _vtysh_commands(text)]
    worse = worst((*harms, *routers), READS)
    if worse.level == "dangerous":
        return worse
    if not is_plain(line):
        return UNREADABLE
    return READS if reads(line) and worse.level == "reading" else worst((worse, UNKNOWN))


def harm(text: str) -> Rule | None:
    """The rule of the worst command in a line of lower case; None if none of them is known to do harm."""
    whole = (rule for pattern, rule in _PATTERNS if pattern.search(text))
    parts = (_harm_of(words, piped) for words, piped in _commands(text))
    return next((rule for rule in (*whole, *parts) if rule is not None), None)


def opens_router(line: str) -> bool:
    """Whether the shell may be in `vtysh` after the line."""
    return any("vtysh" in text and not _VTYSH.search(text) for text in readings(line))


def _vtysh_commands(text: str) -> Iterator[str]:
    if "vtysh" in text:
        for found in _VTYSH.finditer(text):
            yield next((part for part in found.groups() if part is not None), "")


def _commands(text: str) -> Iterator[tuple[list[str], bool]]:
    """The words of each simple command, and whether it reads from a pipe or a substitution."""
    before = ""
    for part in _SPLIT.split(text):
        if _SPLIT.fullmatch(part):
            before = part
            continue
        words = _words(part)
        if words:
            yield words, before in ("|", "<(")
            before = ""


def _words(part: str) -> list[str]:
    words = part.replace("\\", "").replace('"', "").replace("'", "").split()
    at = 0
    while at < len(words) and (words[at] in _KEYWORDS or _ASSIGNMENT.fullmatch(words[at])):
        at += 1
    return words[at:]


def _harm_of(words: list[str], piped: bool) -> Rule | None:
    name = _name(words[0])
    if piped and any(_name(word) in _SHELLS for word in words):
        return _PIPED_SHELL
    if any(sign in words[0] for sign in "$*?[~"):
        return UNTELLABLE
    if len(words) > _WORDS_MAX:
        return TOO_DEEP
    if name in WRAPPERS or (name == "ip" and any("exec".startswith(word) for word in words)):
        later = (_rule(words[at:]) for at in range(len(words)))
        return next((rule for rule in later if rule is not None), None)
    return _rule(words)


def _rule(words: list[str]) -> Rule | None:
    name, arguments = _name(words[0]), words[1:]
    return next((rule for matches, rule in RULES if matches(name, arguments)), None)


def _name(word: str) -> str:
    return word.rsplit("/", 1)[-1]
