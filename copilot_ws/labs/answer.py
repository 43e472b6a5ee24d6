"""Waiting for the end of an answer: which sign of a prompt counts after how much quiet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from copilot_ws.labs.base import Platform
from copilot_ws.labs.channel import Channel, ConsoleError, Reason
from copilot_ws.labs.prompts import Prompt, Sign, after_prompt, read_end
from copilot_ws.labs.screen import RECENT_LINES, Transcript

SAME_QUIET: Final[dict[Platform, float]] = {"ios": 0.003, "vpcs": 0.04, "linux": 0.03, "generic": 0.03}
"""Seconds of quiet after the exact prompt that make it the end, at least: twice the longest gap between two
packets of this answer, up to SAME_QUIET_MAX. A device that prints a line like its prompt goes on at once."""
SAME_QUIET_MAX: Final = 0.04

_QUIET: Final = {
    Sign.MODE: 0.04,
    Sign.OTHER: 0.25,
    Sign.LOGGED: 0.15,
    Sign.PAGER: 0.0,
    Sign.RETURN: 0.25,
    Sign.LOGIN: 0.25,
    Sign.QUESTION: 0.25,
    Sign.TYPED: 2.0,
}


Reply = Callable[[str], str | None]
"""What to enter at a question that the device asks (its text, stripped); None: it is not answered."""

MAX_REPLIES: Final = 5
_REDRAWN_LINES: Final = 5


def no_reply(_: str) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Wait:
    """What to wait for. Seconds: `quiet` without a byte, `total` in all, `other` after a prompt unlike
    `reference`, `nudge` until a CR asks for a prompt that went under in log messages.

    A nudge could answer a question that comes later, so it is sent only if the command `asks_nothing` or a
    prompt has been seen. Questions are answered by `reply` alone.
    `ceiling` is the number of characters after which nothing more is read.
    """

    platform: Platform
    reference: Prompt | None
    quiet: float
    total: float
    nudge: float
    ceiling: int
    asks_nothing: bool = False
    reply: Reply = no_reply
    other: float = _QUIET[Sign.OTHER]


@dataclass(frozen=True, slots=True)
class End:
    """The prompt that ended an answer; `passed` when it had come before the last lines."""

    prompt: Prompt
    passed: bool


async def until_prompt(channel: Channel, view: Transcript, wait: Wait) -> End:
    """Reads into `view` up to a prompt, paging on. Raises ConsoleError with what came so far."""
    return await _Waiting(channel, view, wait).run()


class _Waiting:
    def __init__(self, channel: Channel, view: Transcript, wait: Wait) -> None:
        self._channel = channel
        self._view = view
        self._wait = wait
        self._clock = asyncio.get_running_loop().time
        self._begun = self._heard = self._clock()
        self._longest_gap = 0.0
        self._nudged = False
        self._replies = 0

    async def run(self) -> End:
        over = self._begun + self._wait.total
        while self._clock() < over:
            sign, prompt = read_end(
                self._view.screen.line, self._view.recent, self._wait.platform, self._wait.reference
            )
            until = min(self._heard + self._patience(sign), over)
            text = await self._read(until)
            if text:
                self._take(text)
            elif prompt and self._clock() < over:
                return End(prompt, passed=self._nudged or sign is Sign.LOGGED)
            elif self._clock() < over:
                await self._act(sign)
        raise self._fault("timeout", f"was not done after {self._wait.total:.0f} s")

    async def _read(self, until: float) -> str:
        try:
            return await self._channel.read(max(0.0, until - self._clock()))
        except ConsoleError as fault:
            fault.partial = self._view.text()
            raise

    def _take(self, text: str) -> None:
        now = self._clock()
        if self._heard > self._begun:
            self._longest_gap = max(self._longest_gap, now - self._heard)
        self._heard = now
        self._view.feed(text)
        if self._view.size > self._wait.ceiling:
            raise self._fault("timeout", "did not stop printing")

    def _patience(self, sign: Sign) -> float:
        if sign is Sign.SAME:
            return min(max(SAME_QUIET[self._wait.platform], 2 * self._longest_gap), SAME_QUIET_MAX)
        if sign is Sign.OTHER:
            return self._wait.other
        if sign is Sign.NONE or (sign is Sign.RETURN and self._nudged):
            return min(self._wait.nudge, self._wait.quiet) if self._may_nudge() else self._wait.quiet
        return _QUIET[sign]

    def _may_nudge(self) -> bool:
        if self._nudged or self._heard == self._begun or self._view.screen.line.strip():
            return False
        reference = self._wait.reference
        return self._wait.asks_nothing or (reference is not None and reference.text in self._view.recent)

    async def _act(self, sign: Sign) -> None:
        if sign is Sign.PAGER:
            self._view.screen.erase()
            await self._channel.send(" ")
        elif sign is Sign.LOGIN:
            raise self._fault("login_required", f"asks {self._last_line()!r}: log in on its console first")
        elif sign is Sign.QUESTION and await self._replied():
            pass
        elif sign is Sign.QUESTION:
            raise self._fault("busy_question", f"asks {self._last_line()!r}: nothing was answered")
        elif self._may_nudge() or (sign is Sign.RETURN and not self._nudged):
            self._nudged = True
            await self._channel.send("\r")
        else:
            raise self._fault("timeout", f"printed nothing for {self._wait.quiet:g} s and shows no prompt")
        self._heard = self._clock()

    async def _replied(self) -> bool:
        text = self._wait.reply(self._last_line()) if self._replies < MAX_REPLIES else None
        if text is not None:
            self._replies += 1
            await self._channel.send(f"{text}\r")
        return text is not None

    def _last_line(self) -> str:
        lines = [*self._view.recent, self._view.screen.line.strip()]
        return next((line for line in reversed(lines) if line), "")[-200:]

    def _fault(self, reason: Reason, what: str) -> ConsoleError:
        return ConsoleError(reason, f"{self._channel.name} {what}.", self._view.text())


def cleaned(answer: Transcript, command: str, typed_at: Prompt, end: End) -> str:
    """What the device answered to `command`: without the echo and without the prompt."""
    lines = answer.lines()
    if lines and command.endswith(lines[0].strip().lstrip("<$")):
        del lines[0]  # The end of the echo, which a line editor may draw once more, scrolled.
    for index, line in enumerate(lines[:_REDRAWN_LINES]):
        # After a log message IOS shows the prompt and the line under way once more.
        if command and line.startswith(typed_at.text) and line[len(typed_at.text) :].strip() == command:
            lines = lines[index + 1 :]
            break
    if end.passed:
        last = answer.screen.line.rstrip()
        lines = _without_prompt([*lines, last] if last != end.prompt.text else lines, end.prompt)
    return "\n".join(lines).strip("\n").rstrip()


def _without_prompt(lines: list[str], prompt: Prompt) -> list[str]:
    """`lines` without the prompt among the last ones, where log messages or a nudge have followed it."""
    start = max(0, len(lines) - RECENT_LINES)
    shown = [(line, after_prompt(line, prompt)) for line in lines[start:]]
    return lines[:start] + [line if log is None else log for line, log in shown if log != ""]
