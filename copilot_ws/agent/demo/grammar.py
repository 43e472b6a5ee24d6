"""What the demo model's rules are made of: patterns of whole requests, and requests taken apart piece by piece."""

from __future__ import annotations

import re
from collections.abc import Callable

from copilot_ws.agent.demo.intents import Intent

Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], Intent]]

# Any form that people write; whether it is an address is checked later, to say what is wrong with it.
ADDRESS = re.compile(
    r"(?<![\w./])(?P<ip>\d+(?:\.\d+){2,})(?:\s*/\s*(?P<length>\d+)|,?\s+(?:(?:with|and)\s+)?"
    r"(?:(?:the\s+|a\s+)?(?:sub)?(?:net)?mask\s+)?(?P<mask>(?:255|254|252|248|240|224|192|128|0)(?:\.\d+){3}))?(?![\w./])"
)
PORT = re.compile(
    r"(?<![\w.-])(?:(?:interface|port|int)\s+)?(?P<kind>(?:ten|hundred|forty)?gig\w*|fast\w*|gi|fa|te|et|eth\w*|ens"
    r"|se|serial|loopback|loop|lo|vlan|tunnel|port-channel|po|g|f|e)\s?(?P<number>\d+(?:/\d+){0,3}(?:\.\d+)?)(?![\w./-])",
    re.I,
)
QUOTED = re.compile(r"[\"'`](?P<text>[^\"'`]+)[\"'`]")
_FILLER = re.compile(
    r"'s\b|(?<![\w.-])(?:the|an?|its?|of|on|to|for|in|at|as|with|from|by|is|be|interface|port|int|ip|ipv4|address(?:es)?|via"
    r"|device|node|having|called|named|so that|please)(?![\w.-])",
    re.I,
)


class Pieces:
    """A request from which known pieces are taken; what is left over at the end names devices."""

    def __init__(self, text: str) -> None:
        self._text = text

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The first piece that matches, which is then gone."""
        if found := pattern.search(self._text):
            self._text = f"{self._text[: found.start()]} {self._text[found.end() :]}"
        return found

    def take_part(self, pattern: re.Pattern[str], name: str) -> str:
        """A named part of the first piece that matches; "" if there is none."""
        found = self.take(pattern)
        return (found[name] or "") if found else ""

    def take_port(self) -> str:
        found = self.take(PORT)
        return f"{found['kind']}{found['number']}" if found else ""

    def take_address(self) -> str:
        """As `10.0.0.1/24`, or without a mask if none was said."""
        found = self.take(ADDRESS)
        if found is None:
            return ""
        mask = found["length"] or found["mask"]
        return f"{found['ip']}/{mask}" if mask else found["ip"]

    def left(self, *noise: str) -> str:
        """The rest without the words that only hold a sentence together, and without `noise`."""
        text = _FILLER.sub(" ", self._text)
        for word in noise:
            text = re.sub(rf"(?<![\w.-])(?:{word})(?![\w.-])", " ", text, flags=re.I)
        return " ".join(text.split()).strip(" \"'`.,:;")


def rule(pattern: str, intent: Callable[[re.Match[str]], Intent] | Intent) -> Rule:
    return re.compile(pattern, re.I), intent if callable(intent) else lambda _: intent


def part(found: re.Match[str], name: str) -> str:
    return found.groupdict().get(name) or ""
