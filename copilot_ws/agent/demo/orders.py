"""The demo model's grammar of changes: a verb at the start, and the pieces that it needs in any order."""

from __future__ import annotations

import re
from collections.abc import Callable

from copilot_ws.agent.demo.changes import (
    AddLink,
    AddNode,
    Change,
    ClearAddress,
    DeleteLink,
    DeleteNode,
    Describe,
    End,
    Hostname,
    Ospf,
    PortState,
    Power,
    PowerAction,
    Rename,
    Save,
    SetAddress,
    StaticRoute,
    Templates,
)
from copilot_ws.agent.demo.grammar import PORT, QUOTED, Pieces, part, rule
from copilot_ws.agent.demo.intents import Intent

Found = re.Match[str]

# Fragments of patterns.
_SET = (
    r"(?:(?:re-?)?configure|set(?: ?up)?|assign|give(?! (?:me|us|the)\b)|put|add|change|apply|use|make|create|enable"
    r"|activate|deploy|build)"
)
_REMOVE = r"(?:remove|delete|clear|drop|erase|unset|destroy|no|take away|get rid of)"
_LINK = r"(?:links?|connections?|cables?|wires?)"
_SIDES = re.compile(r"\s+(?:to|with|and|from|-+|<?-+>)\s+|\s*,\s*", re.I)
_ANY_ADDRESS = r"\d+(?:\.\d+){2,}"

_VIA = re.compile(
    r"\b(?:via|through|next[- ]?hop|gateway|using|over)\s+(?:(?:the|next[- ]?hop|gateway|router|is|of)\s+)*"
    r"(?P<via>\S+)",
    re.I,
)
_GATEWAY = re.compile(
    rf"\b(?:(?:and|with|via|the|a|default|its)\s+)*(?:gateway|gw|via)\s+(?:(?:of|is|to|address)\s+)*(?P<ip>{_ANY_ADDRESS})",
    re.I,
)
_AREA = re.compile(r"\b(?:in\s+)?(?:the\s+)?area\s+(?P<area>[\d.]+)", re.I)
_NEW_NAME = re.compile(r"\s(?:to|as|into|=)\s+(?P<name>\S+)$", re.I)
_BARE_HOSTNAME = re.compile(r"\bhost ?name\s+(?!(?:of|on|for)\b)(?P<name>\S+)", re.I)
_NEW_TEXT = re.compile(r"\s(?:to|as|is|=|:)\s+(?P<text>.+)$", re.I)
_OPPOSITE = re.compile(r"\b(?:down|off|disable|shut ?down|shut)\b", re.I)
_FEATURES = re.compile(
    r"\b(?P<what>bgp|eigrp|rip|is-?is|ospfv3|vlans?|trunks?|acls?|access[- ]lists?|nat|dhcp|dns|ipv6|mpls|vrfs?|hsrp"
    r"|vrrp|glbp|stp|spanning[- ]tree|etherchannel|vpn|ipsec|gre|snmp|ntp|ssh|telnet|syslog|aaa|passwords?|users?"
    r"|banners?|vxlan|qos|firewalls?|multicast|pim|clock|ospf)\b",
    re.I,
)


def _templates(_: Found) -> Intent:
    return Templates()


def _hostname(found: Found) -> Intent:
    pieces = Pieces(found[0])
    name = pieces.take_part(_NEW_NAME, "name") or pieces.take_part(_BARE_HOSTNAME, "name")
    return Hostname(pieces.left(_SET, "host ?name"), name.strip("\"'`"))


def _describe(found: Found) -> Intent:
    pieces = Pieces(found[0])
    text = pieces.take_part(QUOTED, "text") or pieces.take_part(_NEW_TEXT, "text")
    port = pieces.take_port()
    return Describe(pieces.left(_SET, "describe", "description"), port, text.strip())


def _ospf(found: Found) -> Intent:
    pieces = Pieces(found[0])
    area = pieces.take_part(_AREA, "area")
    noise = (_SET, "start", "turn", "run", "routing", r"ospf(?:v2)?", "single", "basic", "between")
    return Ospf(pieces.left(*noise), area.strip(".") or "0")


def _route(found: Found) -> Intent:
    pieces = Pieces(found[0])
    default = pieces.take(re.compile(r"\bdefault\b", re.I))
    via = pieces.take_part(_VIA, "via")
    network = "0.0.0.0/0" if default else pieces.take_address()
    via = via or pieces.take_address()
    remove = re.match(_REMOVE, found[0], re.I) is not None
    return StaticRoute(pieces.left(_SET, _REMOVE, "static", "routes?", "all"), network, via.strip(",;"), remove)


def _set_address(found: Found) -> Intent:
    pieces = Pieces(found[0])
    gateway, address = pieces.take_part(_GATEWAY, "ip"), pieces.take_address()
    if not gateway and "gateway" in found[0].lower() and "/" not in address:
        gateway, address = address, ""  # all that is to be set
    port = pieces.take_port()
    return SetAddress(pieces.left(_SET, "and", "gateway", "default", "new"), port, address, gateway)


def _clear_address(found: Found) -> Intent:
    pieces = Pieces(found[0])
    pieces.take_address()
    port = pieces.take_port()
    return ClearAddress(pieces.left(_REMOVE), port)


def _port_state(found: Found) -> Intent:
    pieces = Pieces(found[0])
    port = pieces.take_port()
    up = found[0].lower().startswith("no ") or not _OPPOSITE.search(found[0])
    noise = ("no", r"shut ?down|shut", "enable", "disable", "bring", "turn", "take", "up", "down", "on", "off")
    return PortState(up, pieces.left(*noise), port)


def _save(found: Found) -> Intent:
    noise = ("save", "write", "wr", r"mem(?:ory)?", "copy", r"(?:run|start)\S*", r"config(?:uration)?s?")
    return Save(Pieces(found[0]).left(*noise))


def _power(action: PowerAction) -> Callable[[Found], Intent]:
    return lambda found: Power(action, found["devices"].strip())


def _rename(found: Found) -> Intent:
    return Rename(found["device"].strip(), found["name"].strip("\"'`"))


def _end(text: str) -> End:
    pieces = Pieces(text)
    port = pieces.take_port()
    return End(pieces.left(_LINK, "between"), port)


def _ends(text: str) -> tuple[End, End]:
    one, *rest = _SIDES.split(text.strip(), maxsplit=1)
    return _end(one), _end(rest[0]) if rest else End()


def _add_link(found: Found) -> Intent:
    return AddLink(*_ends(found["ends"]))


def _delete_link(found: Found) -> Intent:
    return DeleteLink(*_ends(found["ends"]))


def _add_node(found: Found) -> Intent:
    return AddNode(found["kind"].strip(" \"'`"), part(found, "name").strip("\"'`"))


def _unsupported(found: Found) -> Intent:
    known = _FEATURES.search(found[0])
    return Change(known["what"] if known else "")


_PORT = f"(?i:{PORT.pattern})".replace("?P<kind>", "").replace("?P<number>", "")
_SWITCH = r"(?:no shut(?: ?down)?|shut(?: ?down)?|enable|disable|bring|turn|take)"

ORDERS = [
    rule(r"(?:what|which|list|show|get|are there)\b.*\btemplates?\b.*", _templates),
    rule(rf"{_SET}\b.*\bhost ?name\b.*|host ?name .+ on .+", _hostname),
    rule(rf"(?:{_SET})\b.*\bdescription\b.*|describe .+ as .+", _describe),
    rule(r"(?:re)?name (?P<device>.+?) (?:to|as|into) (?P<name>\S+)", _rename),
    rule(rf"{_SET} (?:the )?name of (?P<device>.+?) (?:to|as|into) (?P<name>\S+)", _rename),
    rule(rf"(?:{_SET}|start|turn on)\b(?!.*\bospfv3\b).*\bospf(?:v2)?\b.*", _ospf),
    rule(
        rf"(?:{_SET}|{_REMOVE})\b.*\broutes?\b(?!.*\bfrom .+ to ).*|(?:static|default|ip) route\b.*{_ANY_ADDRESS}.*",
        _route,
    ),
    rule(r"(?:link|connect|cable|wire)(?: up)? (?P<ends>.+)", _add_link),
    rule(rf"{_SET} (?:an? |the |new )*{_LINK} (?P<ends>.+)", _add_link),
    rule(rf"(?:{_REMOVE}|cut|unplug) (?:the |all )*{_LINK} (?:between |from |of )?(?P<ends>.+)", _delete_link),
    rule(r"(?:disconnect|unlink|unplug) (?P<ends>.+)", _delete_link),
    rule(
        rf"(?:{_SET}|{_REMOVE}|start|stop|enable|disable)\b.*{_FEATURES.pattern}.*".replace("?P<what>", ""),
        _unsupported,
    ),
    rule(
        rf"{_SET}\b.*(?:(?<![\w./]){_ANY_ADDRESS}|\b(?:ip|ipv4|address|gateway)\b).*|{_SET}\b.*\bloopback\b.*",
        _set_address,
    ),
    rule(rf"{_REMOVE}\b.*(?:{_ANY_ADDRESS}|\b(?:ip|ipv4|address)\b).*", _clear_address),
    rule(rf"{_SWITCH}\b.*(?:{_PORT}|\b(?:interface|port)\b).*", _port_state),
    rule(r"(?:save|wr|write(?: mem(?:ory)?)?|copy run\S* start\S*)(?!.*\berase\b)\b.*", _save),
    rule(r"(?:start|boot|power (?:on|up)|turn on|bring up)(?: up)? (?P<devices>.+)", _power("start")),
    rule(r"(?:turn|power|bring) (?P<devices>.+?) (?:on|up)", _power("start")),
    rule(r"(?:stop|halt|power (?:off|down)|turn off|shut ?down|bring down) (?P<devices>.+)", _power("stop")),
    rule(r"(?:turn|power|bring|shut) (?P<devices>.+?) (?:off|down)", _power("stop")),
    rule(r"(?:suspend|pause|freeze) (?P<devices>.+)", _power("suspend")),
    rule(
        r"(?:add|create|new|insert|place) (?:an? |another |one |new |me |the )*(?P<kind>\S+(?: \S+){0,4}?)"
        r"(?:,? (?:named|called|as|with (?:the )?name) (?P<name>\S+))?",
        _add_node,
    ),
    rule(
        rf"(?:remove|delete|destroy|drop) (?!.*{_PORT})(?P<devices>.+?)"
        r"(?: from (?:the|this|my) (?:lab|network|project|topology))?",
        lambda found: DeleteNode(found["devices"]),
    ),
]

_ON_FIRST = re.compile(
    r"(?:on|for|at|in) (?P<device>[^,:]{1,40}?)[,:]? (?P<order>[a-z].*)|(?P<name>[\w.-]{1,40}): (?P<rest>[a-z].*)", re.I
)


def order(request: str) -> Intent | None:
    """The change that a request asks for; None: it asks for none. "On R1, ..." may come first."""
    found, first = _order(request), _ON_FIRST.fullmatch(request)
    if found is not None or first is None:
        return found
    return _order(f"{first['order'] or first['rest']} on {first['device'] or first['name']}")


def _order(request: str) -> Intent | None:
    for pattern, intent in ORDERS:
        if found := pattern.fullmatch(request):
            return intent(found)
    return None
