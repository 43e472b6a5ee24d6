"""Which console commands only read, per platform: everything that is not on these lists is refused."""

from __future__ import annotations

import re

from copilot_ws.labs.base import Platform

CONFIGURE = "execute_multiple_device_config_commands"

# The shortest abbreviation that a device takes for the word, and the word.
_READING: dict[Platform, dict[str, str]] = {
    "ios": {"sh": "show", "p": "ping", "tr": "traceroute"},
    "vpcs": {"sh": "show", "p": "ping", "t": "trace", "a": "arp", "v": "version", "h": "help", "sl": "sleep"},
    "linux": {"ping": "ping", "traceroute": "traceroute", "uptime": "uptime", "hostname": "hostname"},
    "generic": {"sh": "show", "ping": "ping", "traceroute": "traceroute"},
}
_PIPES = ("include", "exclude", "begin", "section", "count")
_SHELL = re.compile(r"[;&<>`$|(){}\\]")
_WRITES_A_FILE = re.compile(r"\b(redirect|append|tee)\b", re.IGNORECASE)


def lines_of(command: str) -> list[str]:
    """The lines that a device would get: every kind of line end splits, blank ones go."""
    return [line.strip() for line in command.splitlines() if line.strip()]


def refusal(platform: Platform, line: str) -> str | None:
    """Why `line` may not run as a reading command, for the model and the person; None: it may."""
    if not line.isprintable() or not line.isascii():
        return "it has characters that no reading command needs"
    if line.startswith("!"):
        return "lines that start with ! are never sent"
    command, *pipes = (part.strip() for part in line.split("|"))
    words = command.lower().split()
    if not words:
        return "it has no command"
    if words[0].rstrip("?") == "" and platform != "linux":
        return None
    if not _reads(platform, words):
        return f"it is no reading command; what changes a device goes through {CONFIGURE}"
    if platform == "linux" and _SHELL.search(line):
        return "shell operators are not allowed"
    if _WRITES_A_FILE.search(command) or not all(_filters(pipe) for pipe in pipes):
        return "it would write a file"
    return None


def _reads(platform: Platform, words: list[str]) -> bool:
    first = words[0].rstrip("?")
    if platform == "linux" and words[0] == "hostname" and len(words) > 1:
        return False
    return any(full.startswith(first) and first.startswith(short) for short, full in _READING[platform].items())


def _filters(pipe: str) -> bool:
    word = (pipe.split() or [""])[0].lower()
    return bool(word) and any(name.startswith(word) for name in _PIPES)
