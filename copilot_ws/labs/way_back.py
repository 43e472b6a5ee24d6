"""The lines that bring a device back to an earlier configuration, in an order in which it takes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Interface
from typing import Final

from hier_config import HConfig, HConfigChild

from copilot_ws.labs.base import Platform
from copilot_ws.labs.forecast import Driver, load
from copilot_ws.labs.sections import opens
from copilot_ws.labs.typed import LINES, Path, Step, sendable, written
from copilot_ws.labs.way_back_vpcs import host_lines_back

_Tree = HConfig | HConfigChild

_REMOVABLE: Final = re.compile(r"interface (?:[A-Za-z-]+\S*\.\d+|(?:Loopback|Tunnel|Vlan|Port-channel|Dialer|BVI)\d+)$")
_SHORT: Final = {
    "": re.compile(r"(banner \S+) "),
    "interface": re.compile(r"(description) "),
    "line": re.compile(r"(password|exec-timeout|transport input|privilege level|login)(?: |$)"),
}
"""By section: what is taken back without its value; devices refuse some of them with it."""

_ROUTE: Final = re.compile(r"(ip route (?:vrf \S+ )?[\d.]+ [\d.]+(?: [A-Z]\S*)?(?: \d+\.[\d.]+)?)(?: .*)?")
"""Of a static route, what IOS needs to find it: not its distance, name or tag."""

_NUMBERED_LIST: Final = re.compile(r"(access-list \S+) (.+)")
_LIST: Final = re.compile(r"(?:ipv?6? )?access-list ")
_PASSIVE: Final = re.compile(r"(?:no )?passive-interface ")
_TURNED: Final = re.compile(r"(?:no )?ip ospf passive\b")
_VRF: Final = re.compile(r"(?:no )?(?:ip )?vrf forwarding")
_ADDRESS: Final = re.compile(r"ip(?:v6)? address ")


@dataclass(frozen=True, slots=True)
class WayBack:
    """Lines for configuration mode (for VPCS: for its prompt), and what no line can be sent for."""

    lines: list[str]
    left_out: list[str]


def way_back(platform: Platform, present: str, before: str) -> WayBack:
    """What makes the configuration `present` that of `before`, both as the device shows them; no lines: it is so.

    The difference is hier_config's; the order is: first what is taken back, inside of sections and then as a
    whole, the last first; then what is set, in the order in which the device shows it.
    """
    if platform == "vpcs":
        return WayBack(host_lines_back(present, before), [])
    driver = _Driver(many_addresses=platform == "generic")
    now, then = _tree(driver, present), _tree(driver, before)
    _keep_sections(platform, now, then)
    lists = _lists_apart(now, then)
    delta = now.config_to_get_to(then)
    _toggle_passive(delta, now, then)
    if platform == "ios":
        _clear_addresses(delta, now, then)
    removed = [*_taken_back(delta, ()), *(((), f"no {name}") for name, old, _ in lists if old)]
    _set_again(delta, then, removed)
    restored = [*_set(delta, ()), *(step for name, _, new in lists for step in _list(name, new))]
    steps = [*written(removed), *written(restored)]
    return WayBack(*sendable(steps if platform == "ios" else list(_turned_twice(steps, now, then))))


class _Driver(Driver):
    def negate_with(self, config: HConfigChild) -> str | None:
        section = "" if isinstance(config.parent, HConfig) else config.parent.text.split(" ", 1)[0]
        found = _SHORT[section].match(config.text) if section in _SHORT else None
        if not self._many_addresses and config.text.startswith("ip route "):
            found = _ROUTE.fullmatch(config.text)
        return f"no {found[1]}" if found else super().negate_with(config)


# reading


def _tree(driver: Driver, text: str) -> HConfig:
    """The configuration, with a section for each terminal line and for each numbered list."""
    tree = HConfig(driver)
    load(tree, text)
    for child in tuple(tree.children):
        if found := LINES.match(child.text):
            child.delete()
            for number in range(int(found[2]), int(found[3] or found[2]) + 1):
                section = tree.add_child(f"{found[1]} {number}", return_if_present=True)
                for line in child.children:
                    section.add_child(line.text, return_if_present=True)
        elif found := _NUMBERED_LIST.match(child.text):
            child.delete()
            tree.add_child(found[1], return_if_present=True).add_child(found[2], return_if_present=True)
    return tree


def _keep_sections(platform: Platform, now: HConfig, then: HConfig) -> None:
    """Interfaces, and FRR's address families, that cannot be removed are emptied: then they are not shown."""
    for child in now.children:
        removable = platform == "ios" and _REMOVABLE.match(child.text)
        if child.text.startswith("interface ") and not removable:
            then.add_child(child.text, return_if_present=True)
        target = then.get_child(equals=child.text)
        for family in child.children:
            if platform == "generic" and target is not None and family.text.startswith("address-family "):
                target.add_child(family.text, return_if_present=True)


_Lists = list[tuple[str, list[str], list[str]]]


def _lists_apart(now: HConfig, then: HConfig) -> _Lists:
    """(name, lines now, lines then) of access lists that differ: in them the order counts, so they are made anew."""
    names = dict.fromkeys(c.text for tree in (now, then) for c in tree.children if _LIST.match(f"{c.text} "))
    found: _Lists = []
    for name in names:
        old, new = ([line.text for line in section.children] if section else [] for section in _both(name, now, then))
        if old != new:
            found.append((name, old, new))
            for section in _both(name, now, then):
                if section:
                    section.delete()
    return found


def _both(name: str, now: HConfig, then: HConfig) -> tuple[HConfigChild | None, HConfigChild | None]:
    return now.get_child(equals=name), then.get_child(equals=name)


# what hier_config does not know of devices


def _toggle_passive(delta: HConfig, now: HConfig, then: HConfig) -> None:
    """`passive-interface default` and its `no` forget what was said of single interfaces."""
    for section in now.children:
        target, change = then.get_child(equals=section.text), delta.get_child(equals=section.text)
        was, will = (tree and tree.get_child(equals="passive-interface default") for tree in (section, target))
        if target is None or change is None or bool(was) == bool(will):
            continue
        for child in tuple(change.children):
            if _PASSIVE.match(child.text):
                child.delete()
        wanted = [child.text for child in target.children if _PASSIVE.match(child.text)]
        for text in wanted if will else ["no passive-interface default", *wanted]:
            change.add_child(text, return_if_present=True).new_in_config = True


def _clear_addresses(delta: HConfig, now: HConfig, then: HConfig) -> None:
    """An address that overlaps one which another interface gets is taken off first."""
    wanted = [(section.text, address) for section, address, _ in _addresses(then)]
    for section, address, line in _addresses(now):
        target, change = then.get_child(equals=section.text), delta.get_child(equals=section.text)
        stays = target is not None and target.get_child(equals=line) is not None
        if change is None or stays:
            continue
        if any(name != section.text and address.network.overlaps(other.network) for name, other in wanted):
            change.add_child("no ip address", return_if_present=True)


def _addresses(tree: HConfig) -> Iterator[tuple[HConfigChild, IPv4Interface, str]]:
    for section in tree.children:
        for child in section.children:
            words = child.text.split()
            if words[:2] == ["ip", "address"] and len(words) == 4:
                try:
                    yield section, IPv4Interface(f"{words[2]}/{words[3]}"), child.text
                except ValueError:
                    continue


def _set_again(delta: HConfig, then: HConfig, removed: Sequence[Step]) -> None:
    """A `no` takes longer lines of its kind along, another VRF the addresses: what is to stay is set again."""
    for path, line in removed:
        lost = f"{(line or '').removeprefix('no ')} "
        _add(delta, path, (text for text in _texts(then, path) if text.startswith(lost)))
    for section in tuple(delta.children):
        if any(_VRF.match(child.text) for child in section.children):
            _add(delta, (section.text,), filter(_ADDRESS.match, _texts(then, (section.text,))))


def _turned_twice(lines: Sequence[str], now: HConfig, then: HConfig) -> Iterator[str]:
    """On FRR the opposite of `ip ospf passive` only takes it back; sent once more it is set itself (seen with 8.4)."""
    section = ""
    for line in lines:
        section = line if line.startswith("interface ") else section
        yield line
        turned = _TURNED.match(line) and _opposite(line) in _texts(now, (section,))
        if turned and line in _texts(then, (section,)):
            yield line


def _opposite(line: str) -> str:
    return line.removeprefix("no ") if line.startswith("no ") else f"no {line}"


def _texts(tree: HConfig, path: Path) -> list[str]:
    place: _Tree | None = tree
    for text in path:
        place = place.get_child(equals=text) if place is not None else None
    return [child.text for child in place.children] if place is not None else []


def _add(delta: HConfig, path: Path, texts: Iterable[str]) -> None:
    for text in texts:
        delta.add_children_deep((*path, text)).new_in_config = True


# order


def _is_taken_back(child: HConfigChild) -> bool:
    if child.text == "no shutdown":
        return False
    return child.text == "no ip address" or not (child.new_in_config or child.children)


def _taken_back(delta: _Tree, path: Path) -> Iterator[Step]:
    for child in delta.children:
        if child.children and not child.new_in_config:
            yield from _taken_back(child, (*path, child.text))
    texts = list(dict.fromkeys(child.text for child in delta.children if _is_taken_back(child)))
    for text in sorted(reversed(texts), key=_last_first):
        if not _goes_with_another(text, texts):
            yield path, text


def _last_first(text: str) -> int:
    """Secondary addresses go before the first, the more exact of two routes before the other."""
    return -len(text.split()) if text.startswith("no ip route ") or text.endswith(" secondary") else 0


def _goes_with_another(text: str, texts: Sequence[str]) -> bool:
    """`no line vty 5` removes those behind it too."""
    number = _vty(text)
    return number is not None and any(other < number for other in map(_vty, texts) if other is not None)


def _vty(text: str) -> int | None:
    found = re.match(r"no line vty (\d+)$", text)
    return int(found[1]) if found else None


def _set(delta: _Tree, path: Path) -> Iterator[Step]:
    for child in sorted(delta.children, key=_late):
        if child.children:
            yield from _set(child, (*path, child.text))
        elif path and not child.new_in_config and child.text != "no shutdown":
            continue
        elif not _is_taken_back(child) or _within_new(child):
            yield ((*path, child.text), None) if opens(child.text, path[-1] if path else "") else (path, child.text)


def _within_new(child: HConfigChild) -> bool:
    return isinstance(child.parent, HConfigChild) and child.parent.new_in_config


def _late(child: HConfigChild) -> int:
    """An interface comes up, and gets further addresses, when the rest of it is there."""
    return 2 if child.text == "no shutdown" else int(child.text.endswith(" secondary"))


def _list(name: str, lines: Sequence[str]) -> Iterator[Step]:
    for line in lines:
        yield ((), f"{name} {line}") if name.startswith("access-list ") else ((name,), line)
