"""From a person's messages to what the last one asks for, with "and R2?" read as more of the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from copilot_ws.agent.demo.intents import Intent, Overview, Probe, Show, Status, Unknown
from copilot_ws.agent.demo.rules import meaning

MAX_REQUEST = 500  # characters; a longer text is not one of the short requests that rules understand
MAX_FOLLOW_UPS = 20

_STRAIGHT = str.maketrans("‘’“”", "''\"\"")
_POLITE = re.compile(
    r"(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|there|copilot|please|pls|kindly|and|ok(?:ay)?|so"
    r"|now|then|also|just|quickly|(?:can|could|would|will) you|i(?:'d| would) like (?:you )?to"
    r"|i (?:want|need) (?:you )?to|let(?:'s| us| me)|tell me|help me(?: to)?|how (?:do|can) i"
    r"|(?:what|how) about)\b[\s,!.:]*)+",
    re.I,
)
_TAIL = re.compile(r"(?:[\s?!.,;](?:(?:please|pls|thanks|thank you|for me|right now)(?=[\s?!.,;]|$))?)+$", re.I)
_ALL_OF = re.compile(r"\b(all|both|each) of (?:the )?", re.I)
_FOLLOW_UP = re.compile(
    r"(?:and|also|or|but|(?:and )?(?:what|how) about|(?:the )?same)\s+"
    r"(?:(?P<way>from|to|on|for|of|at|with)\s+)?(?P<what>.+)",
    re.I,
)
_SHORT_ANSWER = re.compile(r"(?:(?P<way>from|to|on|for|of|at)\s+)?(?P<what>\S+(?: \S+){0,5})", re.I)


def understand(requests: Sequence[str]) -> Intent:
    """What the last of a person's messages asks for; the earlier ones are what it may refer to."""
    text = _plain(requests[-1]) if requests else ""
    if not text:
        return Unknown()
    intent = meaning(strip_politeness(text))
    follow_up = _FOLLOW_UP.fullmatch(text)
    if isinstance(intent, Unknown) or (isinstance(intent, Show) and follow_up):
        return _in_context(text, intent, follow_up, understand(requests[-MAX_FOLLOW_UPS:-1]))
    return intent


def strip_politeness(text: str) -> str:
    """A request without the words around it."""
    start = _POLITE.match(text)
    return _ALL_OF.sub(r"\1 ", text[start.end() :] if start else text)


def _plain(text: str) -> str:
    words = " ".join(text.translate(_STRAIGHT).split())
    return _TAIL.sub("", words) if len(words) <= MAX_REQUEST else ""


def _in_context(text: str, intent: Intent, follow_up: re.Match[str] | None, earlier: Intent) -> Intent:
    if isinstance(intent, Show) and isinstance(earlier, Show):
        return replace(intent, devices=intent.devices or earlier.devices)
    if not isinstance(intent, Unknown):
        return intent
    if follow_up is None and _asked_back(earlier):
        follow_up = _SHORT_ANSWER.fullmatch(strip_politeness(text))
    return _again(earlier, follow_up["way"] or "", follow_up["what"]) if follow_up else intent


def _asked_back(intent: Intent) -> bool:
    """Whether the answer to this was the question: on which device?"""
    match intent:
        case Show(topic="", devices="") | Probe(source=""):
            return True
    return False


def _again(earlier: Intent, way: str, what: str) -> Intent:
    """The earlier request for other devices."""
    match earlier:
        case Probe(source=source) if not source or way.lower() in ("from", "on", "at"):
            return replace(earlier, source=what)
        case Probe():
            return replace(earlier, target=what)
        case Show() | Status() | Overview(part="links"):
            return replace(earlier, devices=what)
    return Unknown()
