"""Which section of an IOS-like configuration a line belongs to, spelled as the device would show it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from copilot_ws.labs.danger.interfaces import full_name, same_interface
from copilot_ws.labs.danger.ios_config import CONFIG
from copilot_ws.labs.danger.words import Vocabulary, names, vocabulary

_NEGATIONS: Final = ("no", "default")
_DIGIT: Final = re.compile(r"[A-Za-z-]+ ?\d[\d/.:]*")

SECTIONS: Final[Vocabulary] = vocabulary(
    (
        "interface|router|line|route-map|class-map|policy-map|vlan|control-plane|archive|track|object-group",
        "ip access-list|sla|vrf",
        "ip dhcp pool",
        "ipv6 access-list|router",
        "vrf definition",
        "crypto isakmp policy",
        "crypto ipsec transform-set|profile",
        "crypto map",
        "key chain",
        "event manager applet",
        "flow record|exporter|monitor",
        "aaa group",
        "radius|tacacs server",
    )
)
"""Commands that begin a section."""

_INTERFACE: Final = vocabulary(
    (
        *names(
            """
            arp bandwidth bfd carrier-delay cdp channel-group delay description duplex encapsulation keepalive
            lldp load-interval mac-address media-type mtu negotiation peer power ppp service-policy shutdown
            speed standby storm-control switchport tunnel xconnect zone-member
            """
        ),
        *(
            f"ip {word}"
            for word in names(
                """
                access-group address arp authentication bandwidth-percent directed-broadcast flow hello-interval
                helper-address hold-time igmp inspect mtu ospf pim policy proxy-arp redirects rip split-horizon
                summary-address tcp unnumbered unreachables verify virtual-reassembly
                """
            )
        ),
        "ip nat inside|outside",
        "ip vrf forwarding",
        "vrf forwarding",
        "ipv6 address|enable|nd|ospf|mtu|traffic-filter|eigrp|rip",
        "logging event",
        "ntp broadcast|disable|multicast",
        "snmp trap",
        "spanning-tree portfast|cost|bpduguard|bpdufilter|guard|link-type|port-priority",
    )
)
_ROUTER: Final = vocabulary(
    names(
        """
        address-family aggregate-address area auto-cost auto-summary bfd bgp default-information default-metric
        distance distribute-list eigrp ispf log-adjacency-changes max-metric maximum-paths metric neighbor network
        nsf offset-list passive-interface redistribute router-id summary-address synchronization timers variance
        version
        """
    )
)
_LINE: Final = vocabulary(
    names(
        """
        access-class databits escape-character exec exec-timeout history length location logging login motd-banner
        password privilege session-timeout speed stopbits transport width
        """
    )
)
_OTHERS: Final = {
    "route-map": vocabulary(names("match set description continue")),
    "class-map": vocabulary(names("match description")),
    "policy-map": vocabulary(names("class description")),
    "vlan": vocabulary(names("name state mtu")),
    "vrf": vocabulary(names("rd route-target address-family description")),
}
_MODES: Final[dict[str, Vocabulary]] = {"interface": _INTERFACE, "router": _ROUTER, "line": _LINE, **_OTHERS}
_NESTED: Final = {"router": ("address-family",), "vrf": ("address-family",), "policy-map": ("class",), "key": ("key",)}


@dataclass(frozen=True, slots=True)
class Interfaces:
    """The names of those that exist. `shortened`: the device takes short forms of them; for Linux `eth0` is a name."""

    names: Collection[str]
    shortened: bool = True

    def meant(self, name: str) -> str:
        """The interface that `name` stands for, as the device shows it."""
        if not self.shortened:
            return name
        found = [known for known in self.names if same_interface(name, known)]
        return found[0] if len(found) == 1 else full_name(name)


def in_full(line: str, section: str, interfaces: Interfaces) -> tuple[str, bool]:
    """The line as the device would show it, and whether it stays in `section` ("": global configuration)."""
    words = line.split()
    signs = 0
    while signs < len(words) and words[signs].lower() in _NEGATIONS:
        signs += 1
    prefix, rest = [word.lower() for word in words[:signs]], words[signs:]
    spelled, stays = _in_section(rest, section)
    if not stays:
        spelled, _ = CONFIG.spell(SECTIONS.spell(rest)[0])
    return " ".join((*prefix, *_named(spelled, interfaces))), stays


def _in_section(words: list[str], section: str) -> tuple[list[str], bool]:
    """The words in full, and whether `section` takes them before global configuration does."""
    if not section or not words:
        return words, bool(section)
    mode = _MODES.get(section.split(" ", 1)[0])
    if mode is None:
        return CONFIG.spell(words)[0], not SECTIONS.spell(words)[1]
    spelled, whole = mode.spell(words)
    first = words[0].lower()
    of_global = first in CONFIG.words and first not in mode.words
    nat_rule = spelled[:2] == ["ip", "nat"] and len(spelled) > 3
    return spelled, whole and not of_global and not nat_rule


def opens(text: str, section: str) -> bool:
    """Whether the line, in full, begins a section: at the top, or within `section`."""
    words = text.split()
    if section:
        return words[0] in _NESTED.get(section.split(" ", 1)[0], ())
    return SECTIONS.spell(words)[1]


def _named(words: list[str], interfaces: Interfaces) -> list[str]:
    """`words` with the names of interfaces, and of lines, as the device shows them."""
    first = words[0] if words else ""
    if first == "interface" and len(words) > 1:
        return [first, interfaces.meant(" ".join(words[1:]))]
    if first == "line" and len(words) > 1 and "console".startswith(words[1].lower()):
        return [first, "con", *words[2:]]
    if first == "passive-interface" or words[:2] == ["ip", "route"]:
        return [interfaces.meant(word) if _DIGIT.fullmatch(word) else word for word in words]
    return words
