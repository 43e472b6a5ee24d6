"""A held console: one command in, its answer out, and a prompt left behind."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from copilot_ws.labs.answer import End, Reply, Wait, cleaned, no_reply, until_prompt
from copilot_ws.labs.base import Node
from copilot_ws.labs.channel import Channel, ConsoleError
from copilot_ws.labs.keys import COMMAND_MAX, INTERRUPT, KILL_LINE, SYNC_QUIET, ConsoleLimits
from copilot_ws.labs.prompts import Prompt, echoed, foreign, moved, parse, typed_behind
from copilot_ws.labs.screen import Tail, Transcript
from copilot_ws.wire.tasks import TaskSet

_SYNC_STEP = 2.0
_RECOVER_STEP = 0.4
_ECHO_GAP = 1.0
_ECHO_GAPS = 3
_ECHO_KEPT = 32 << 10
_KILL_QUIET = 0.3
_KILL_READS = 64
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ASKS_NOTHING = re.compile(r"(?:do +)?sh", re.I)


@dataclass(frozen=True, slots=True)
class CommandResult:
    """An answer without echo, prompt, pager marks and control characters; `cut` characters were dropped."""

    text: str
    cut: int = 0


class Console:
    """A console at a prompt. What goes wrong on it raises ConsoleError."""

    def __init__(
        self,
        node: Node,
        channel: Channel,
        tail: Tail,
        limits: ConsoleLimits,
        tasks: TaskSet,
        somebody: Callable[[], None],
    ) -> None:
        """`somebody` is told each time that another one's typing is waited for."""
        self._name = node.name
        self._platform = node.platform
        self._channel = channel
        self._tail = tail
        self._limits = limits
        self._tasks, self._somebody = tasks, somebody
        self._prompt: Prompt | None = None
        self._since = Transcript(0)

    @property
    def prompt(self) -> str:
        """The prompt that the device shows now, without trailing blanks; "" if it shows none."""
        return self._prompt.text if self._prompt else ""

    async def start(self) -> None:
        """Finds a prompt outside configuration mode. Routers are enabled; IOS's paging is switched off."""
        await self._sync()
        await self.leave_configuration()
        if self._platform in ("ios", "generic") and self.prompt.endswith(">"):
            await self.run("enable")
        if self._platform == "ios":
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

        While somebody else types on the console nothing is entered: it is tried again when they are done. If they
        are not, or have left it in another mode, that is a ConsoleError `shared`, and nothing was interrupted.
        """
        command, quiet = self._checked(command), self._limits.quiet if timeout is None else timeout
        for _ in range(self._limits.shared_tries):
            try:
                return await self._try(command, quiet, reply, most or self._limits.output)
            except ConsoleError as fault:
                if fault.reason != "shared" or self._displaced:
                    raise
            self._somebody()
            await self._regain()
        return await self._try(command, quiet, reply, most or self._limits.output)

    async def _try(self, command: str, quiet: float, reply: Reply, most: int) -> CommandResult:
        try:
            if self._prompt is None:
                await self._sync()
            return await self._run(command, quiet, reply, most)
        except ConsoleError as fault:
            if fault.reason not in ("closed", "shared"):
                await self.interrupt()
            raise
        except BaseException:
            await self.interrupt()
            raise

    async def interrupt(self) -> None:
        """Stops what the device does; returns at a prompt, or after `ConsoleLimits.recover` seconds.

        A cancellation does not cut this short, it comes after.
        """
        await self._tasks.finish(self._try_to_recover(), name=f"interrupt {self._name}")

    def _checked(self, command: str) -> str:
        command = command.strip()
        if _CONTROL.search(command):
            raise ValueError("a command is one line without control characters")
        if len(command.encode()) > COMMAND_MAX[self._platform]:
            raise ValueError(f"a command has at most {COMMAND_MAX[self._platform]} bytes here")
        if self._platform == "vpcs" and command.startswith("!"):
            raise ConsoleError("refused", f"{self._name} would run {command!r} on the lab's host: not sent.")
        return command

    async def _run(self, command: str, quiet: float, reply: Reply, most: int) -> CommandResult:
        assert self._prompt is not None
        typed_at = self._prompt
        await self._see_others(typed_at)
        if self._platform == "ios" and command.endswith("?"):
            return await self._help(command, typed_at, quiet)
        await self._type(command, typed_at)
        await self._channel.send("\r")
        asks_nothing = bool(_ASKS_NOTHING.match(command))
        answer, end = await self._answer(typed_at, quiet, most, asks_nothing=asks_nothing, reply=reply)
        self._stand_at(end.prompt)
        return CommandResult(cleaned(answer, command, typed_at, end), answer.cut)

    def _stand_at(self, prompt: Prompt) -> None:
        """From here on, what another one enters is seen."""
        self._prompt, self._since = prompt, Transcript(0)
        self._since.feed(self._tail.line)

    @property
    def _displaced(self) -> bool:
        """Whether somebody has entered a line in configuration mode: another section shows the same prompt."""
        prompt = self._prompt
        return bool(prompt and prompt.configuring and any(typed_behind(line, prompt) for line in self._since.recent))

    async def _help(self, command: str, typed_at: Prompt, quiet: float) -> CommandResult:
        """IOS answers `?` without a CR, and then shows the line again without it."""
        await self._channel.send(command)
        shown = Prompt(f"{typed_at.text}{command[:-1]}".rstrip(), typed_at.host)
        answer, end = await self._answer(shown, quiet, self._limits.output, asks_nothing=True)
        await self._take_back(typed_at)
        return CommandResult(cleaned(answer, command, typed_at, end), answer.cut)

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
        clock, received = asyncio.get_running_loop().time, ""
        until = clock() + _ECHO_GAPS * self._limits.echo
        await self._channel.send(command)
        while text := await self._channel.read(_ECHO_GAP if received else self._limits.echo):
            received = (received + text)[-_ECHO_KEPT:]
            self._since.feed(text)
            others = any(foreign(command, line, prompt) for line in self._since.recent)
            elsewhere = others or moved(self._tail.line, prompt)
            if not elsewhere and echoed(command, self._tail.line, received, prompt):
                return True
            if elsewhere or foreign(command, self._tail.line, prompt):
                await self._take_back(prompt)
                raise self._shared()
            if clock() >= until:
                break
        return False

    async def _see_others(self, prompt: Prompt) -> None:
        """Raises ConsoleError `shared` if a person has used the console since it showed `prompt`."""
        await self._read_up()
        line = self._tail.line
        now = parse(line, self._platform)
        elsewhere = now is not None and now.host == prompt.host and now.text != prompt.text
        if elsewhere or self._displaced or typed_behind(line, prompt):
            raise self._shared()

    async def _read_up(self) -> None:
        """Reads what the device has printed since its last answer."""
        clock = asyncio.get_running_loop().time
        until = clock() + self._limits.echo
        while text := await self._channel.read(0):
            self._since.feed(text)
            if clock() >= until:
                words = f"{self._name} prints on and on (is debugging on?): this line was not entered."
                raise ConsoleError("timeout", words)

    def _shared(self) -> ConsoleError:
        return ConsoleError("shared", f"Somebody else uses the console of {self._name}: this line was not entered.")

    async def _regain(self) -> None:
        """Waits until nobody has typed for a while, and finds the prompt that it was at; if it cannot: `shared`."""
        clock, before = asyncio.get_running_loop().time, self._prompt
        until = clock() + self._limits.shared
        while text := await self._channel.read(self._limits.shared_quiet):
            self._since.feed(text)
            if clock() >= until or self._displaced:
                raise self._shared()
        await self._sync()
        if before is not None and self.prompt != before.text:
            raise self._shared()

    async def _take_back(self, prompt: Prompt) -> bool:
        """Empties the line being typed; whether the device shows that."""
        await self._channel.send(KILL_LINE[self._platform])
        for _ in range(_KILL_READS):
            if not await self._channel.read(_KILL_QUIET) or self._tail.line.rstrip() == prompt.text:
                break
        return self._tail.line.rstrip() == prompt.text

    async def leave_configuration(self) -> None:
        """Returns at an exec prompt. Where there is no configuration mode, or it is left already, nothing is sent."""
        if self._prompt and self._prompt.configuring:
            self._stand_at(self._prompt)  # `end` is right in whatever section somebody has entered
            await self.run("end")

    async def _sync(self) -> None:
        enter = KILL_LINE[self._platform] + "\r"
        await self._find_prompt((enter, enter, INTERRUPT[self._platform]), _SYNC_STEP, self._limits.sync)

    async def _try_to_recover(self) -> None:
        self._prompt = None
        interrupt = INTERRUPT[self._platform]
        with suppress(ConsoleError, TimeoutError):
            async with asyncio.timeout(self._limits.recover):
                await self._find_prompt(
                    (interrupt, KILL_LINE[self._platform] + "\r"), _RECOVER_STEP, self._limits.recover
                )

    async def _find_prompt(self, plan: tuple[str, ...], step: float, within: float) -> None:
        """Sends the keys of `plan` in turn, `step` quiet seconds apart, until a prompt comes.

        A question is never answered with a CR: it is interrupted, and raised if it stays.
        """
        clock, interrupt = asyncio.get_running_loop().time, INTERRUPT[self._platform]
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
                other=SYNC_QUIET[self._platform],
            )
            try:
                self._stand_at((await until_prompt(self._channel, view, wait)).prompt)
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
