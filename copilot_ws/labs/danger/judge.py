"""The two questions that are asked about lines: do they only read, and what do they do while configuring?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

from copilot_ws.labs.base import Platform
from copilot_ws.labs.danger import ios, linux, vpcs
from copilot_ws.labs.danger.banner import Banner, banner_at
from copilot_ws.labs.danger.plain import holds_keystrokes, lines_of, readings
from copilot_ws.labs.danger.verdict import (
    CONFIGURES,
    KEYSTROKES,
    READS,
    TOO_LONG,
    UNKNOWN,
    Rule,
    Verdict,
    verdict,
    worst,
)

LONGEST: Final = 2000
"""Characters of a line that are judged; no device takes as many."""


def judge_reading(platform: Platform, line: str) -> Verdict:
    """What `line` does at an exec prompt; only what certainly just reads is `reading`."""
    rules = [_bounded(part, _AT_PROMPT[platform]) for part in lines_of([line])]
    return verdict(line, worst(rules, READS))


def judge_configuration(platform: Platform, lines: Sequence[str], linked: Collection[str] = ()) -> list[Verdict]:
    """What each of `lines` does, sent in this order; strings of several lines are taken apart first.

    On "ios" and "generic" the first one is sent in global configuration mode, elsewhere at the shell's prompt.
    `linked` are the interfaces, named in any form, whose loss cuts a link.
    """
    sent = lines_of(lines)
    if platform == "vpcs":
        rules = [_bounded(line, vpcs.judge) for line in sent]
    elif platform == "linux":
        rules = list(_shell(sent))
    else:
        rules = list(_configuration(platform, sent, linked))
    return [verdict(line, rule) for line, rule in zip(sent, rules, strict=True)]


def _bounded(line: str, judge: Callable[[str], Rule]) -> Rule:
    if len(line) > LONGEST:
        return TOO_LONG
    return worst((judge(line), KEYSTROKES)) if holds_keystrokes(line) else judge(line)


def _ios(line: str) -> Rule:
    return ios.judge_exec(ios.IOS, line)


def _generic(line: str) -> Rule:
    """An unknown device may as well have the shell of a Linux host, or run lines that start with `!`."""
    escapes = any(text.startswith("!") for text in readings(line))
    return worst((ios.judge_exec(ios.GENERIC, line), _foreign(line), UNKNOWN if escapes else READS))


def _linux(line: str) -> Rule:
    return linux.judge(line, _shown_by_vtysh)


def _shown_by_vtysh(line: str) -> Rule:
    """For what `vtysh -c` is given: an exec command, or one of several that begin with `configure`."""
    dialect = ios.GENERIC
    at_exec = ios.judge_exec(dialect, line)
    if at_exec.level == "reading":
        return at_exec
    return worst((at_exec, ios.Configuring(dialect, ()).judge(line)))


def _foreign(line: str) -> Rule:
    """The rule of a Linux shell if it is a bad one; `shutdown` alone is a router's word."""
    rules = [linux.harm(text) for text in readings(line) if text.split() != ["shutdown"]]
    return worst((rule for rule in rules if rule is not None), READS)


_AT_PROMPT: Final[dict[Platform, Callable[[str], Rule]]] = {
    "ios": _ios,
    "vpcs": vpcs.judge,
    "linux": _linux,
    "generic": _generic,
}


def _shell(lines: Sequence[str]) -> Iterator[Rule]:
    """A shell that has started `vtysh` takes a router's lines from then on."""
    router = ios.Configuring(ios.GENERIC, ())
    inside = False
    for line in lines:
        rule = _bounded(line, _linux)
        yield worst((rule, _bounded(line, router.judge))) if inside else rule
        inside = inside or linux.opens_router(line)


def _configuration(platform: Platform, lines: Sequence[str], linked: Collection[str]) -> Iterator[Rule]:
    state = ios.Configuring(ios.IOS if platform == "ios" else ios.GENERIC, linked)
    banner: Banner | None = None
    for number, line in enumerate(lines):
        if banner is not None and number <= banner.end:
            yield _in_banner(state, banner, number)
            continue
        rule = _bounded(line, state.judge)
        if platform == "generic":
            rule = worst((rule, _bounded(line, _foreign)))
        banner = banner_at(lines, number) if platform == "ios" and not state.left else None
        if banner is not None and banner.end == number:
            rule = worst((rule, _in_banner(state, banner, number)))
        yield rule


def _in_banner(state: ios.Configuring, banner: Banner, number: int) -> Rule:
    """Text of a banner is no command; what stands behind its end may be one."""
    behind = banner.rest.strip() if number == banner.end else ""
    return worst((CONFIGURES, _bounded(behind, state.judge) if behind else CONFIGURES))
