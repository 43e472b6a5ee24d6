"""A device's configuration, as its console shows it."""

from __future__ import annotations

import re
from typing import Final

from copilot_ws.labs.base import Platform
from copilot_ws.labs.console import Console, ConsoleError

CHARACTERS: Final = 256 << 10
"""Of one configuration: a longer one is not read, for half of it would be no copy."""

_ASKED_BY: Final[dict[Platform, tuple[str, ...]]] = {
    "ios": ("show running-config",),
    "generic": ("show running-config",),
    "vpcs": ("show ip", "show ipv6"),
}
_IS_ONE: Final = re.compile(r"^(?:hostname|interface|version|line|router|frr|NAME) ", re.M)
_PASSING: Final = re.compile(
    r"(?:Building configuration|Current configuration|! (?:Last configuration|NVRAM config)|ntp clock-period ).*\n?",
)


class NotShown(Exception):
    """The device does not show its configuration; the text says why, for a person."""


async def shown_configuration(console: Console, platform: Platform) -> str:
    """What the device is configured as now, asked for outside of configuration mode.

    What differs each time it is asked for is left out. Raises `NotShown`, or ConsoleError where the console is of
    no use at all.
    """
    await console.leave_configuration()
    answers = [await _answer(console, command) for command in _ASKED_BY.get(platform, ())]
    text = "\n".join(answer for answer in answers if _IS_ONE.search(answer))
    if not text:
        raise NotShown("it has no command that shows it")
    return _PASSING.sub("", text).strip("\n") + "\n"


async def _answer(console: Console, command: str) -> str:
    try:
        answer = await console.run(command, most=CHARACTERS)
    except ConsoleError as fault:
        if fault.reason not in ("timeout", "busy_question"):
            raise
        raise NotShown(fault.message) from None
    if answer.cut:
        raise NotShown(f"it is longer than {CHARACTERS} characters")
    return answer.text
