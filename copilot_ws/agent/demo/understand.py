"""From a person's messages to what the last one asks for, with "and R2?" read as more of the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from copilot_ws.agent.demo.changes import HowTo, Order, SetAddress, lacks
from copilot_ws.agent.demo.intents import (
    Declined,
    Help,
    Intent,
    Overview,
    Probe,
    Several,
    Show,
    Status,
    Thanks,
    Unknown,
)
from copilot_ws.agent.demo.rules import meaning

MAX_REQUEST = 500  # characters; a longer text is not one of the short requests that rules understand
MAX_FOLLOW_UPS = 20
MAX_ANSWERS = 3  # that complete one request
MAX_PARTS = 4

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
_QUESTION = re.compile(
    r"(?:[a-z]+[,!]? ){0,2}(?:how (?:do|can|should|would) (?:i|we|you)|what if|what happens)\b", re.I
)
_QUOTE = re.compile(r"[\"`]|(?<!\w)'")
_NEXT_REQUEST = re.compile(
    r"(?:[,;.]\s+(?:(?:and|then|also)\s+)*|\s+(?:(?:and|then|also)\s+)+)(?=(?:ping|trace|traceroute|show|sh|list|is|can|set"
    r"|configure|assign|give|add|create|remove|delete|rename|link|connect|disconnect|start|stop|suspend|shut|save|bring"
    r"|turn|enable|disable|reload|restart)\s)",
    re.I,
)
_AND_UP = re.compile(
    r",?\s+(?:and|then)\s+(?:bring (?:it|the interface) up|(?:enable|start) it|no shut(?:down)?)$", re.I
)
_YES_OR_NO = re.compile(r"(?:yes|yeah|yep|no|nope|sure|nothing|none|never ?mind|cancel|again|retry|why|stop)\b.*", re.I)


def understand(requests: Sequence[str]) -> Intent:
    """What the last of a person's messages asks for; the earlier ones are what it may refer to."""
    text = _plain(requests[-1]) if requests else ""
    if not text:
        return Unknown()
    intent = _by_itself(text)
    follow_up = _FOLLOW_UP.fullmatch(text)
    if isinstance(intent, Unknown) and (order := _completed(requests[:-1], text)):
        return order
    if isinstance(intent, Unknown) or (isinstance(intent, Show) and follow_up):
        return _in_context(text, intent, follow_up, understand(requests[-MAX_FOLLOW_UPS:-1]))
    return intent


def _by_itself(text: str) -> Intent:
    if _AND_UP.search(text) and isinstance(address := meaning(strip_politeness(_AND_UP.sub("", text))), SetAddress):
        return address  # which brings its interface up anyway
    if several := _parts(text):
        return Several(several)
    intent = meaning(strip_politeness(text))
    return HowTo() if isinstance(intent, Order) and _QUESTION.match(text) else intent


def _parts(text: str) -> tuple[Intent, ...]:
    """The requests of a message that holds several, each of which says all by itself; empty if it does not."""
    if _QUOTE.search(text):
        return ()
    parts = tuple(meaning(strip_politeness(part)) for part in _NEXT_REQUEST.split(text, maxsplit=MAX_PARTS))
    return parts if len(parts) > 1 and all(map(_is_whole, parts)) else ()


def _is_whole(intent: Intent) -> bool:
    match intent:
        case Probe(source=source):
            return bool(source)
        case Show(devices=devices, topic=topic):
            return bool(devices or topic)
    return not isinstance(intent, Unknown | Help | Thanks | Declined)


def _completed(earlier: Sequence[str], answer: str) -> Intent | None:
    """The change that was asked for before and lacked something, with the person's answer put in."""
    if not _SHORT_ANSWER.fullmatch(answer) or _YES_OR_NO.fullmatch(answer):
        return None
    words = answer
    for text in (_plain(request) for request in reversed(earlier[-MAX_ANSWERS:])):
        order = _by_itself(text)
        words = f"{strip_politeness(text)} {words}"
        if isinstance(order, Order):
            whole = meaning(words)
            return whole if lacks(order) and type(whole) is type(order) else None
        if not isinstance(order, Unknown):
            return None
    return None


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
