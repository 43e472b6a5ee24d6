"""The demo model's grammar: the first pattern that matches a whole request says what it means."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from copilot_ws.agent.demo.changes import Change
from copilot_ws.agent.demo.grammar import Rule, part, rule
from copilot_ws.agent.demo.intents import (
    Declined,
    Help,
    Intent,
    Overview,
    Probe,
    ProbeKind,
    Show,
    State,
    Status,
    Thanks,
    Unknown,
)
from copilot_ws.agent.demo.orders import order

_TOPIC_WORDS: Mapping[str, str] = {
    "addresses": r"(?:ip(?:v4)? )?address(?:es)?|ips?|(?:default )?gateways?",
    "routes": r"(?:ip )?(?:routing tables?|routes?)",
    "interfaces": r"(?:ip )?interfaces?(?: status| states?| list)?",
    "running configuration": r"(?:running|current)?[ -]?config(?:uration)?s?",
    "startup configuration": r"(?:startup|saved)[ -]config(?:uration)?s?",
    "ARP table": r"(?:ip )?arp(?: table| cache)?s?",
    "OSPF neighbors": r"(?:ip )?ospf neighbou?rs?",
    "version": r"(?:software |ios )?versions?|uptime",
    "clock": r"clock|time",
}
_STATE_WORDS: Mapping[str, State] = {
    "up": "started",
    "running": "started",
    "started": "started",
    "online": "started",
    "on": "started",
    "down": "stopped",
    "stopped": "stopped",
    "offline": "stopped",
    "off": "stopped",
    "suspended": "suspended",
}

# Fragments of patterns.
_ALL = r"(?:me |us |the |a |all |of |this |my |our )*"
_ASK = (
    r"(?:(?:show|list|display|give|get|read|see|print|describe|explain|draw|check|which"
    r"|what(?:'s| is| are)?) )?"
)
_CHANGING = (
    r"(?:re)?configure|conf(?:ig)? t(?:erminal)?|set|add|remove|delete|create|change|modify|shut ?down|shut"
    r"|no|enable|disable|assign|reload|reboot|restart|start|stop|suspend|rename|save|write|erase|install"
    r"|connect|disconnect|fix|undo"
)
_LAB = r"(?:this|the|my|our)(?: \w+)? (?:lab|network|project|topology)"
_NOT_A_NAME = (
    r"(?!(?:show|sh|run|execute|do|does|issue|type|enter|send|try|get|give|list|the|a|is|are|can|why|what|how|which"
    r"|when|where|who)\b)"
)
_NOUN = (
    r"(?:topology|(?:lab|network|project)(?: topology)?|devices?|nodes?|routers?|hosts?|switch(?:es)?"
    r"|machines?|links?|connections?|cables?|cabling|wiring)"
)
_ON = r"(?:on|at|of|for|from|in)"
_REACH = r"(?:reach|ping|see|talk to|get to|connect to|contact|communicate with)"
_RUN = (
    r"(?:(?:run|execute|do|issue|type|enter|send|try|get|give)(?: me)? )?(?:the )?(?:output of )?(?:the )?"
    r"(?:commands? )?"
)
_STATE = rf"(?P<state>{'|'.join(_STATE_WORDS)})"
_TO_DEVICE = r"(?:\s*[:>#,]\s*|\s+)"
_TOPIC = rf"(?P<topic>{'|'.join(_TOPIC_WORDS.values())})"

# After a bare "show" these are plain speech; anything else there is taken for the device's own command.
_SPEECH = re.compile(
    r"routing tables?|(?:running|current|startup|saved) config(?:uration)?s?|(?:ip )?address(?:es)?"
    r"|arp table",
    re.I,
)
_ARTICLE = re.compile(r"(?:me )?(?:all )?(?:the |its |their )?", re.I)
_NEXT_COMMAND = re.compile(r"(?:\s*[,;]\s*|\s+)(?:and |then )*(?=(?:show|sh)\s)", re.I)
_EVERYTHING = re.compile(r"(?:the |all )*(?:everything|devices|nodes|lab|they|it|all)", re.I)


def meaning(request: str) -> Intent:
    """What a request says by itself; `request` has no polite words and single blanks."""
    if change := order(request):
        return change
    for pattern, intent in RULES:
        if found := pattern.fullmatch(request):
            return intent(found)
    return Unknown()


def _topic(words: str) -> str:
    return next((topic for topic, known in _TOPIC_WORDS.items() if re.fullmatch(known, words, re.I)), "")


def _about(found: re.Match[str]) -> Intent:
    return Show(topic=_topic(found["topic"]), devices=part(found, "devices"))


def _run(found: re.Match[str]) -> Intent:
    """A command, said word by word."""
    command, devices = found["command"].strip(" \"'`"), part(found, "devices")
    verb, _, rest = command.partition(" ")
    match verb.lower():
        case "show" | "sh" if rest:
            return _show(command, rest, devices)
        case "ping" | "trace" | "traceroute" if rest:
            return Probe("ping" if verb.lower() == "ping" else "trace", source=devices, target=rest)
    return Change()


def _show(command: str, rest: str, devices: str) -> Intent:
    article = _ARTICLE.match(rest)
    what = rest[article.end() :] if article else rest
    if what != rest or _SPEECH.fullmatch(what):
        return Show(topic=topic, devices=devices) if (topic := _topic(what)) else Unknown()
    if " on " in command:
        return Unknown()
    commands = (re.sub(r"^sh\b", "show", part, flags=re.I) for part in _NEXT_COMMAND.split(command))
    return Show(commands=tuple(commands), devices=devices)


def _status(found: re.Match[str]) -> Intent:
    devices = part(found, "devices")
    state = _STATE_WORDS.get(part(found, "state").lower())
    return Status(state, "" if _EVERYTHING.fullmatch(devices) else devices)


def _overview(found: re.Match[str]) -> Intent:
    nouns = found["nouns"].lower()
    links = bool(re.search(r"link|connection|cabl|wir", nouns))
    nodes = bool(re.search(r"device|node|router|host|switch|machine", nouns))
    if links == nodes or re.search(r"topology|lab|network|project", nouns):
        return Overview()
    return Overview("links" if links else "nodes")


def _probe(kind: ProbeKind) -> Callable[[re.Match[str]], Intent]:
    return lambda found: Probe(kind, source=part(found, "source"), target=found["target"])


def _probe_rules(kind: ProbeKind, verb: str) -> list[Rule]:
    lead = r"(?:(?:run|do|try|send) )?(?:a )?"
    patterns = (
        rf"{lead}{verb} (?:\w+ )?(?:from|between) (?P<source>.+?) (?:to|and|towards|->) (?P<target>.+)",
        rf"{lead}{verb} (?:to )?(?P<target>.+?) (?:from|on) (?P<source>.+)",
        rf"{verb} (?P<source>\S+) (?:to|and|->) (?P<target>\S+)",
        rf"(?:on |from |at )?{_NOT_A_NAME}(?P<source>[^:>#,]+?){_TO_DEVICE}(?:run )?{verb}s? (?:to )?"
        r"(?P<target>.+)",
        rf"{verb} (?:to )?(?P<target>.+)",
    )
    return [rule(pattern, _probe(kind)) for pattern in patterns]


_TALK = [
    rule(r"|who are you|what are you|(?:what (?:else )?can|how do) you (?:do|help|work).*|help", Help()),
    rule(r"what (?:else )?can i (?:ask|do).*|are you an? .+", Help()),
    rule(r"(?:many )?(?:thanks|thank you|thx)\b.*|great|nice|perfect|cool|bye|goodbye", Thanks()),
    rule(r"(?:no|nope)(?:,? (?:thanks|thank you|problem|worries))?|never ?mind|cancel", Declined()),
    rule(rf"(?:{_CHANGING})\b.*", Change()),
]
_PROBES = [
    rule(
        rf"(?:can|do|does) (?P<source>\S+) and (?P<target>\S+) {_REACH} (?:each other|one another)",
        _probe("ping"),
    ),
    rule(rf"(?:can|could|does|is|will) (?P<source>.+?) (?:able to )?{_REACH} (?P<target>.+)", _probe("ping")),
    rule(r"is (?P<target>.+?) (?:reachable|pingable) (?:from|for|by) (?P<source>.+)", _probe("ping")),
    rule(
        r"(?:test|check|verify|is there)(?: the| a| any)? (?:connectivity|connection|reachability|ping) "
        r"(?:from|between) (?P<source>.+?) (?:to|and|with) (?P<target>.+)",
        _probe("ping"),
    ),
    rule(
        rf"{_ASK}(?:how|(?:the |which )?(?:path|way|route))(?: .+)? from (?P<source>.+?) to (?P<target>.+)",
        _probe("trace"),
    ),
    *_probe_rules("ping", "ping"),
    *_probe_rules("trace", r"trac(?:e ?route|ert|epath|e)"),
]
_COMMANDS_IN_QUOTES = [
    rule(rf"{_RUN}[\"'`](?P<command>[^\"'`]+)[\"'`](?: {_ON} (?P<devices>.+))?", _run),
    rule(
        rf"(?:on |at )?{_NOT_A_NAME}(?P<devices>[^:>#]+?){_TO_DEVICE}{_RUN}"
        r"[\"'`]?(?P<command>(?:show|sh) [^\"'`]+)[\"'`]?",
        _run,
    ),
]
_LAB_AT_LARGE = [
    rule(
        r"(?:what|which (?:devices|nodes)|who) (?:is|are) (?:directly )?(?:connected|linked|attached) "
        r"(?:to|with) (?P<devices>.+)",
        lambda found: Overview("links", found["devices"]),
    ),
    rule(
        rf"{_ASK}{_ALL}(?:neighbou?rs|links|connections) of (?P<devices>.+)",
        lambda found: Overview("links", found["devices"]),
    ),
    rule(rf"(?:is|are) (?P<devices>.+?) (?:all )?{_STATE}", _status),
    rule(rf"(?:which|what|list|show|how many)(?: .+)? (?:is|are) (?:up or |currently )?{_STATE}", _status),
    rule(rf"(?:list|show|which) {_ALL}{_STATE} (?:devices|nodes)", _status),
    rule(rf"{_ASK}{_ALL}(?:device |node )?(?:status|states?)(?: {_ON} (?P<devices>.+))?", _status),
    rule(
        rf"{_ASK}{_ALL}(?P<nouns>{_NOUN}(?:(?:,| and) {_ALL}{_NOUN})*)"
        rf"(?: (?:are|exist|do|have)\b.*)?(?: {_ON} {_LAB})?",
        _overview,
    ),
    rule(rf"how many (?P<nouns>{_NOUN}).*", _overview),
    rule(
        rf"(?:what(?:'s| is| do (?:we|i|you) (?:have|see))|(?:describe|list|show)(?: me)?(?: all| everything"
        rf"| what(?:'s| is)))(?: there)? in {_LAB}",
        Overview(),
    ),
    rule(r"how (?:is|are) .*(?:connected|wired|linked|cabled).*", Overview()),
]
_READING = [
    rule(
        rf"{_RUN}(?P<command>(?:show|sh) .+?)(?: output)? {_ON} (?P<devices>(?:(?! {_ON} ).)+?)"
        rf"(?: in {_LAB})?",
        _run,
    ),
    rule(rf"{_ASK}{_ALL}(?P<devices>.+?)'s? {_TOPIC}", _about),
    rule(rf"{_RUN}(?P<command>(?:show|sh) .+)", _run),
    rule(
        rf"{_ASK}(?:do |does )?{_ALL}{_TOPIC}(?: (?:{_ON}|do|does|has|have) (?P<devices>.+?)"
        rf"(?: ha(?:s|ve)| uses?| runs?)?(?: in {_LAB})?)?",
        _about,
    ),
    rule(rf"(?P<devices>[\w.-]+) {_TOPIC}", _about),
]
_LAST = [rule(r".*\b(?:configure|delete|remove|reload|reboot|erase|shut ?down|rename)\b.*", Change())]

# What changes the lab has its rules in orders.py.
RULES: list[Rule] = [*_TALK, *_COMMANDS_IN_QUOTES, *_PROBES, *_LAB_AT_LARGE, *_READING, *_LAST]
