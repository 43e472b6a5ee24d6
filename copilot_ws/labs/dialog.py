"""A held console: one command in, its answer out, and a prompt left behind."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from copilot_ws.labs.answer import End, Reply, Wait, no_reply, until_prompt
from copilot_ws.labs.base import Node, Platform
from copilot_ws.labs.channel import Channel, ConsoleError
from copilot_ws.labs.prompts import Prompt, after_prompt, echoed
from copilot_ws.labs.screen import RECENT_LINES, Tail, Transcript
from copilot_ws.wire.tasks import TaskSet

_INTERRUPT: Final[dict[Platform, str]] = {
    "ios": "\x1e\x03",
    "vpcs": "\x03",
    "linux": "\x03",
    "generic": "\x03",
}
_KILL_LINE: Final[dict[Platform, str]] = {"ios": "\x15", "vpcs": "\x03", "linux": "\x15", "generic": "\x15"}
"""Takes back what was typed and not entered. VPCS ignores Ctrl-U; its Ctrl-C gives a new prompt."""

_SYNC_QUIET: Final[dict[Platform, float]] = {"ios": 0.02, "vpcs": 0.3, "linux": 0.05, "generic": 0.05}
"""VPCS loses what comes between a CR and its prompt. Elsewhere the echo guards against a stale prompt."""

_SYNC_STEP = 2.0
_RECOVER_STEP = 0.4
_ECHO_GAP = 1.0
_KILL_QUIET = 0.3
_KILL_READS = 64
_COMMAND_MAX: Final[dict[Platform, int]] = {"ios": 2000, "vpcs": 200, "linux": 2000, "generic": 2000}
"""Bytes of a command. A word of 300 characters ends a VPCS process (seen with 0.5b2)."""
_REDRAWN_LINES = 5
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ASKS_NOTHING = re.compile(r"(?:do +)?sh", re.I)


@dataclass(frozen=True, slots=True)
class ConsoleLimits:
    """Seconds, but for `output` (characters kept of one answer) and `ceiling` (characters read of one)."""

    connect: float = 5.0
    sync: float = 10.0
    echo: float = 5.0
    quiet: float = 15.0
    total: float = 180.0
    nudge: float = 3.0
    recover: float = 1.5
    output: int = 65536
    ceiling: int = 8 << 20


@dataclass(frozen=True, slots=True)
class CommandResult:
    """An answer without echo, prompt, pager marks and control characters; `cut` characters were dropped."""

    text: str
    cut: int = 0


class Console:
    """A console at a prompt. What goes wrong on it raises ConsoleError."""

    def __init__(self, node: Node, channel: Channel, tail: Tail, limits: ConsoleLimits, tasks: TaskSet) -> None:
        self._name = node.name
        self._platform = node.platform
        self._channel = channel
        self._tail = tail
        self._limits = limits
        self._tasks = tasks
        self._prompt: Prompt | None = None

    @property
    def prompt(self) -> str:
        """The prompt that the device shows now, without trailing blanks; "" if it shows none."""
        return self._prompt.text if self._prompt else ""

    async def start(self) -> None:
        """Finds a prompt outside configuration mode. IOS is enabled and its paging switched off."""
        await self._sync()
        await self.leave_configuration()
        if self._platform == "ios":
            if self.prompt.endswith(">"):
                await self.run("enable")
            await self.run("terminal length 0")

    async def stop(self) -> None:
        """Leaves configuration mode. What goes wrong here is the next holder's to find."""
        with suppress(ConsoleError, TimeoutError):
            async with asyncio.timeout(self._limits.recover):
                await self.leave_configuration()

    async def run(
        self,
        command: str,
        timeout: float | None = None,  # noqa: ASYNC109
        reply: Reply = no_reply,
        most: int | None = None,
    ) -> CommandResult:
        """Enters one line and returns what the device answers until it shows a prompt again.

        `timeout` replaces the limit on the seconds without output, `most` that on the characters kept. `reply`
        answers what the device asks; what it does not answer is a ConsoleError. The line is entered only after
        the device has echoed all of it. A command that is no single line is a ValueError, and nothing is sent.
        After an error or a cancellation the device has been interrupted, and is at a prompt if it can be.
        """
        command = self._checked(command)
        try:
            if self._prompt is None:
                await self._sync()
            quiet = self._limits.quiet if timeout is None else timeout
            return await self._run(command, quiet, reply, most or self._limits.output)
        except ConsoleError as fault:
            if fault.reason != "closed":
                await self.interrupt()
            raise
        except BaseException:
            await self.interrupt()
            raise

    async def interrupt(self) -> None:
        """Stops what the device does; returns at a prompt, or after `ConsoleLimits.recover` seconds.

        A cancellation does not cut this short, it comes after.
        """
        await finish(self._tasks, self._try_to_recover(), f"interrupt {self._name}")

    def _checked(self, command: str) -> str:
        command = command.strip()
        if _CONTROL.search(command):
            raise ValueError("a command is one line without control characters")
        if len(command.encode()) > _COMMAND_MAX[self._platform]:
            raise ValueError(f"a command has at most {_COMMAND_MAX[self._platform]} bytes here")
        if self._platform == "vpcs" and command.startswith("!"):
            raise ConsoleError("refused", f"{self._name} would run {command!r} on the lab's host: not sent.")
        return command

    async def _run(self, command: str, quiet: float, reply: Reply, most: int) -> CommandResult:
        assert self._prompt is not None
        typed_at = self._prompt
        if self._platform == "ios" and command.endswith("?"):
            return await self._help(command, typed_at, quiet)
        await self._type(command, typed_at)
        await self._channel.send("\r")
        asks_nothing = bool(_ASKS_NOTHING.match(command))
        answer, end = await self._answer(typed_at, quiet, most, asks_nothing=asks_nothing, reply=reply)
        self._prompt = end.prompt
        return CommandResult(_clean(answer, command, typed_at, end), answer.cut)

    async def _help(self, command: str, typed_at: Prompt, quiet: float) -> CommandResult:
        """IOS answers `?` without a CR, and then shows the line again without it."""
        await self._channel.send(command)
        shown = Prompt(f"{typed_at.text}{command[:-1]}".rstrip(), typed_at.host)
        answer, end = await self._answer(shown, quiet, self._limits.output, asks_nothing=True)
        await self._take_back(typed_at)
        return CommandResult(_clean(answer, command, typed_at, end), answer.cut)

    async def _answer(
        self, reference: Prompt, quiet: float, most: int, *, asks_nothing: bool, reply: Reply = no_reply
    ) -> tuple[Transcript, End]:
        answer = Transcript(most)
        wait = Wait(
            platform=self._platform,
            reference=reference,
            quiet=quiet,
            total=max(self._limits.total, quiet),
            nudge=self._limits.nudge,
            ceiling=self._limits.ceiling,
            asks_nothing=asks_nothing,
            reply=reply,
        )
        return answer, await until_prompt(self._channel, answer, wait)

    async def _type(self, command: str, prompt: Prompt) -> None:
        """Types `command` and sees its echo; what gets lost on the way is taken back and typed once more."""
        if not command or await self._typed(command, prompt):
            return
        if await self._take_back(prompt) and await self._typed(command, prompt):
            return
        raise ConsoleError("no_prompt", f"{self._name} did not take {command!r}: it was not entered. Try again.")

    async def _typed(self, command: str, prompt: Prompt) -> bool:
        await self._channel.send(command)
        received = ""
        while text := await self._channel.read(_ECHO_GAP if received else self._limits.echo):
            received += text
            if echoed(command, self._tail.line, received, prompt):
                return True
            if len(received) > self._limits.output:
                break
        return False

    async def _take_back(self, prompt: Prompt) -> bool:
        """Empties the line being typed; whether the device shows that."""
        await self._channel.send(_KILL_LINE[self._platform])
        for _ in range(_KILL_READS):
            if not await self._channel.read(_KILL_QUIET) or self._tail.line.rstrip() == prompt.text:
                break
        return self._tail.line.rstrip() == prompt.text

    async def leave_configuration(self) -> None:
        """Returns at an exec prompt. Where there is no configuration mode, or it is left already, nothing is sent."""
        if self._prompt and self._prompt.configuring:
            await self.run("end")

    async def _sync(self) -> None:
        enter = _KILL_LINE[self._platform] + "\r"
        await self._find_prompt((enter, enter, _INTERRUPT[self._platform]), _SYNC_STEP, self._limits.sync)

    async def _try_to_recover(self) -> None:
        self._prompt = None
        interrupt = _INTERRUPT[self._platform]
        with suppress(ConsoleError, TimeoutError):
            async with asyncio.timeout(self._limits.recover):
                await self._find_prompt(
                    (interrupt, _KILL_LINE[self._platform] + "\r"), _RECOVER_STEP, self._limits.recover
                )

    async def _find_prompt(self, plan: tuple[str, ...], step: float, within: float) -> None:
        """Sends the keys of `plan` in turn, `step` quiet seconds apart, until a prompt comes.

        A question is never answered with a CR: it is interrupted, and raised if it stays.
        """
        clock, interrupt = asyncio.get_running_loop().time, _INTERRUPT[self._platform]
        until, view, question = clock() + within, Transcript(self._limits.output), False
        for keys in itertools.cycle(plan):
            if clock() >= until:
                break
            keys = interrupt if question else keys
            await self._channel.send(keys)
            wait = Wait(
                platform=self._platform,
                reference=None,
                quiet=step,
                total=until - clock(),
                nudge=step,
                ceiling=self._limits.ceiling,
                other=_SYNC_QUIET[self._platform],
            )
            try:
                self._prompt = (await until_prompt(self._channel, view, wait)).prompt
                return
            except ConsoleError as fault:
                question = fault.reason == "busy_question"
                if fault.reason in ("closed", "login_required") or (question and keys == interrupt):
                    raise
        raise ConsoleError(
            "no_prompt",
            f"{self._name} shows no prompt: it is starting or busy. Try again in a while.",
            view.text(),
        )


def _clean(answer: Transcript, command: str, typed_at: Prompt, end: End) -> str:
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


async def finish(tasks: TaskSet, work: Coroutine[Any, Any, None], name: str) -> None:
    """Awaits `work` to its end also when the caller is cancelled, and lets the cancellation go on then."""
    task, cancelled = tasks.spawn(work, name=name), False
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError
