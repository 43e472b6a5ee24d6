"""The IOS-like command line: exec and enable, help, completion, paging."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

from copilot_ws.labs.cli.ios_exec import EXEC
from copilot_ws.labs.cli.tree import (
    PRIVILEGED,
    USER,
    Ambiguous,
    Fault,
    Invalid,
    Match,
    complete,
    help_rows,
    parse,
)
from copilot_ws.labs.local.editor import LineEditor
from copilot_ws.labs.local.ios_output import filtered
from copilot_ws.labs.local.ios_ping import ping, traceroute
from copilot_ws.labs.local.ios_regex import BadPattern
from copilot_ws.labs.local.ios_show import SHOW, View
from copilot_ws.labs.local.keyboard import CTRL_C, CTRL_SHIFT_6, ENTER, TAB
from copilot_ws.labs.local.network import Network
from copilot_ws.labs.local.router import Refused, Router
from copilot_ws.labs.local.shell import LineLog, Shell, Terminal

INTERRUPTS = frozenset((CTRL_C, CTRL_SHIFT_6))
SCREEN_LINES = 24

MORE = " --More-- "
MORE_ERASED = "\b" * 9 + " " * 8 + "\b" * 9

_GREETING = "\n\n{hostname} con0 is now available\n\n\n\n\n\nPress RETURN to get started.\n\n"


class IosShell(Shell):
    """A router's console session."""

    def __init__(self, terminal: Terminal, line_log: LineLog, router: Router, network: Network) -> None:
        super().__init__(terminal, line_log)
        self._router = router
        self._network = network
        self._booted = time.monotonic()
        self._level = USER
        self._lines = SCREEN_LINES
        self._greeted = False
        self._commands: dict[str, Callable[[Match], Awaitable[None]]] = {
            "disable": self._disable,
            "enable": self._enable,
            "exit": self._leave,
            "logout": self._leave,
            "ping": self._ping,
            "terminal length": self._set_length,
            "terminal width": self._set_width,
            "traceroute": self._traceroute,
        }

    @property
    def prompt(self) -> str:
        """Empty until the first Enter after the greeting."""
        sign = "#" if self._level == PRIVILEGED else ">"
        return f"{self._router.hostname}{sign}" if self._greeted else ""

    def greet(self) -> None:
        self._greeted = False
        self._level = USER
        self._lines = SCREEN_LINES
        self.terminal.write(_GREETING.format(hostname=self._router.hostname))

    async def read_line(self) -> str:
        line = await super().read_line()
        self._greeted = True
        return line

    async def execute(self, line: str) -> None:
        if line.lstrip().startswith("!"):
            return
        try:
            match = parse(EXEC, line, self._level)
            await self._run(match)
        except Fault as fault:
            self.terminal.write(fault_text(fault, line, len(self.prompt)))
        except Refused as refusal:
            self.terminal.write(f"{refusal}\n")

    def hot_key(self, key: str, editor: LineEditor) -> bool:
        if key == "?":
            self.terminal.write(f"?\n{self._help(editor.text)}{self.prompt}{editor.text}")
        elif key == TAB:
            editor.text = complete(EXEC, editor.text, self._level)
            self.terminal.write(f"\n{self.prompt}{editor.text}")
        else:
            return False
        return True

    async def _run(self, match: Match) -> None:
        show = SHOW.get(match.command)
        if show is None:
            await self._commands[match.command](match)
            return
        view = View(self._router, self._network, self._booted, list(self.history.lines))
        try:
            await self._page(await filtered(show(view, match), match))
        except BadPattern:
            raise Refused("% Failed to compile regular expression.") from None

    def _help(self, line: str) -> str:
        try:
            rows = help_rows(EXEC, line, self._level)
        except Ambiguous:
            return f'% Ambiguous command:  "{line}"\n'
        except Fault:
            return "% Unrecognized command\n"
        if not rows:
            return "% Unrecognized command\n"
        if line and not line[-1].isspace():
            return "  ".join(word for word, _ in rows) + "\n\n"
        width = max(len(word) for word, _ in rows)
        return "".join(f"  {word:<{width}}  {text}".rstrip() + "\n" for word, text in rows) + "\n"

    async def _page(self, text: str) -> None:
        """Shows `text` a screen at a time: blank for a screen, Enter for a line, any other key ends it."""
        room = self._lines - 1
        for line in text.splitlines():
            if self._lines and room <= 0:
                room = await self._more()
                if not room:
                    return
            self.terminal.write(f"{line}\n")
            room -= 1

    async def _more(self) -> int:
        """How many more lines may be shown."""
        self.terminal.write(MORE)
        key = await self.terminal.key()
        self.terminal.write(MORE_ERASED)
        return {" ": self._lines - 1 or 1, ENTER: 1}.get(key, 0)

    async def _enable(self, match: Match) -> None:
        self._level = PRIVILEGED

    async def _disable(self, match: Match) -> None:
        self._level = USER

    async def _leave(self, match: Match) -> None:
        self.greet()

    async def _set_length(self, match: Match) -> None:
        self._lines = match.number("length", SCREEN_LINES)

    async def _set_width(self, match: Match) -> None:
        """Accepted: lines are never broken here."""

    async def _ping(self, match: Match) -> None:
        await ping(self.terminal, self._network, self._router.stack, match)

    async def _traceroute(self, match: Match) -> None:
        await traceroute(self.terminal, self._network, self._router.stack, match)


def fault_text(fault: Fault, line: str, prompt_width: int) -> str:
    """What IOS answers; the caret stands under the offending column of the echoed line."""
    if isinstance(fault, Invalid):
        caret = " " * (prompt_width + fault.column) + "^"
        return f"{caret}\n% Invalid input detected at '^' marker.\n\n"
    if isinstance(fault, Ambiguous):
        return f'% Ambiguous command:  "{line}"\n'
    return "% Incomplete command.\n\n"
