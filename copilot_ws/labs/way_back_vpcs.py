"""The lines that give a VPCS host its earlier settings back; there is no configuration mode and no `no`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

Settings = dict[str, str]

_FIELD: Final = re.compile(r"([A-Z][A-Z0-9/ -]{0,40}?):? {0,40}: ?(.*)")
_UNSET: Final = ("", "0", "0.0.0.0", "0.0.0.0/0")
_USUAL_MTU: Final = "1500"


def settings(shown: str) -> Settings:
    """What `show ip` and `show ipv6` tell, by their own names; what is not set is left out."""
    found = (_FIELD.fullmatch(line.strip()) for line in shown.splitlines())
    return {field[1].strip(): text for field in found if field and (text := field[2].strip()) not in _UNSET}


def host_lines_back(present: str, before: str) -> list[str]:
    """Lines for the host's prompt; none if nothing differs."""
    now, then = settings(present), settings(before)
    return [*_name(now, then), *_ipv4(now, then), *_ipv6(now, then)]


def _name(now: Settings, then: Settings) -> Iterator[str]:
    wanted = re.sub(r"\[\d+\]$", "", then.get("NAME", ""))
    if wanted and now.get("NAME") != then["NAME"]:
        yield f"set pcname {wanted}"


def _ipv4(now: Settings, then: Settings) -> Iterator[str]:
    """`clear ip` takes back all of it; what can be replaced is not cleared first."""
    if any(name in now and name not in then for name in ("IP/MASK", "DNS", "DOMAIN NAME", "DHCP SERVER")):
        yield "clear ip"
        now = {}
    if "DHCP SERVER" in then:
        if "DHCP SERVER" not in now:
            yield "ip dhcp"
        return
    if "IP/MASK" in then and any(now.get(name) != then.get(name) for name in ("IP/MASK", "GATEWAY")):
        yield f"ip {then['IP/MASK']} {then.get('GATEWAY', '')}".rstrip()
        now = {"MTU": _USUAL_MTU, **now}
    for name, word in (("DNS", "dns"), ("DOMAIN NAME", "domain"), ("MTU", "mtu")):
        if name in then and now.get(name) != then[name]:
            yield f"ip {word} {' '.join(then[name].split())}"


def _ipv6(now: Settings, then: Settings) -> Iterator[str]:
    wanted = then.get("GLOBAL SCOPE")
    if now.get("GLOBAL SCOPE") != wanted:
        yield f"ip {wanted}" if wanted else "clear ipv6"
