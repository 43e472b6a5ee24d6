"""The IOS-like command line: exec, enable and configuration mode, help, completion."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

from copilot_ws.labs.cli.ios_config import DO
from copilot_ws.labs.cli.ios_exec import EXEC
from copilot_ws.labs.cli.tree import PRIVILEGED, USER, Fault, Match, parse
from copilot_ws.labs.local import ios_clear, ios_files, render
from copilot_ws.labs.local.editor import LineEditor
from copilot_ws.labs.local.ios_configure import Configurator
from copilot_ws.labs.local.ios_faults import fault_text
from copilot_ws.labs.local.ios_files import Nvram
from copilot_ws.labs.local.ios_help import completed, help_text
from copilot_ws.labs.local.ios_log import log_line
from copilot_ws.labs.local.ios_output import SCREEN_LINES, filtered, page
from copilot_ws.labs.local.ios_ping import ping, traceroute
from copilot_ws.labs.local.ios_regex import BadPattern
from copilot_ws.labs.local.ios_show import SHOW, View
from copilot_ws.labs.local.keyboard import CTRL_C, CTRL_SHIFT_6, CTRL_Z, ENTER, TAB
from copilot_ws.labs.local.network import Network
from copilot_ws.labs.local.router import Refused, Router, Save
from copilot_ws.labs.local.shell import LineLog, Shell, Terminal

INTERRUPTS = frozenset((CTRL_C, CTRL_SHIFT_6))

_GREETING = "\n\n{hostname} con0 is now available\n\n\n\n\n\nPress RETURN to get started.\n\n"
_CONFIGURING = "Enter configuration commands, one per line.  End with CNTL/Z.\n"
_CONFIGURE_FROM = "Configuring from terminal, memory, or network [terminal]? "

Command = Callable[[Match], Awaitable[None]]
FileCommand = Callable[[Shell, Nvram, Match], Awaitable[None]]


class IosShell(Shell):
    """A router's console session."""

    def __init__(self, terminal: Terminal, line_log: LineLog, router: Router, network: Network, save: Save) -> None:
        super().__init__(terminal, line_log)
        self._router = router
        self._network = network
        self._nvram = Nvram(router, save)
        self._booted = time.monotonic()
        self._level = USER
        self._lines = SCREEN_LINES
        self._greeted = False
        self._config: Configurator | None = None
        self._commands: dict[str, Command] = {
            "configure": self._configure_from,
            "configure terminal": self._configure,
            "disable": self._disable,
            "enable": self._enable,
            "exit": self._leave,
            "logout": self._leave,
            "ping": self._ping,
            "terminal length": self._set_length,
            "terminal width": self._set_width,
            "traceroute": self._traceroute,
            "write terminal": self._write_terminal,
        }

    @property
    def prompt(self) -> str:
        """Empty until the first Enter after the greeting, and while a banner is typed."""
        if not self._greeted or self.verbatim:
            return ""
        if self._config is not None:
            return f"{self._router.hostname}({self._config.place.mode})#"
        return f"{self._router.hostname}{'#' if self._level == PRIVILEGED else '>'}"

    def configuration(self) -> str | None:
        return render.configuration(self._router)

    @property
    def verbatim(self) -> bool:
        return self._config is not None and self._config.wants_text

    def greet(self) -> None:
        self._greeted = False
        self._config = None
        self._level = USER
        self._lines = SCREEN_LINES
        self.terminal.write(_GREETING.format(hostname=self._router.hostname))

    async def read_line(self) -> tuple[str, str]:
        line, key = await super().read_line()
        if not self._greeted and self._router.banner:
            self.terminal.write(f"\n{self._router.banner}")
        self._greeted = True
        return line, key

    async def execute(self, line: str) -> None:
        if self._config is not None and self._config.wants_text:
            self._config.add_text(line)
        elif line.lstrip().startswith("!"):
            return
        elif self._config is None:
            await self._execute(line, len(self.prompt), self._run_exec)
        else:
            await self._execute(line, len(self.prompt), self._run_config)
            self._network.settle()

    async def _execute(self, line: str, width: int, run: Callable[[str], Awaitable[None]]) -> None:
        """`width` characters stand before `line` on the screen."""
        try:
            await run(line)
        except Fault as fault:
            self.terminal.write(fault_text(fault, line, width))
        except Refused as refusal:
            self.terminal.write(f"{refusal}\n")

    async def _run_config(self, line: str) -> None:
        config = self._config
        if config is None or config.ignores(line):
            return
        reading = config.read(line)
        if reading.match.command == DO:
            command, column = reading.match.text("command") or "", reading.match.columns["command"]
            await self._execute(command, len(self.prompt) + column, self._run_exec)
            return
        self.terminal.write(config.run(reading))
        if config.ended:
            self._end_configuration()

    async def _run_exec(self, line: str) -> None:
        match = parse(EXEC, line, self._level)
        if (show := SHOW.get(match.command)) is not None:
            view = View(self._router, self._network, self._booted, list(self.history.lines), self._level)
            await self._show(show(view, match), match)
        elif (of_files := _FILES.get(match.command)) is not None:
            await of_files(self, self._nvram, match)
        elif (clear := ios_clear.COMMANDS.get(match.command)) is not None:
            await clear(self, self._router, self._network, match)
        else:
            await self._commands[match.command](match)

    async def _show(self, text: str, match: Match) -> None:
        try:
            await page(self.terminal, await filtered(text, match), self._lines)
        except BadPattern:
            raise Refused("% Failed to compile regular expression.") from None

    def hot_key(self, key: str, editor: LineEditor) -> bool:
        config = self._config
        if key == "?":
            text = help_text(config, self._level, editor.text)
            self.terminal.write(f"?\n{text}{self.prompt}{editor.text}")
        elif key == TAB:
            editor.text = completed(config, self._level, editor.text)
            self.terminal.write(f"\n{self.prompt}{editor.text}")
        else:
            return False
        return True

    def ends_line(self, key: str) -> bool:
        """Ctrl-Z enters the line under way and leaves configuration mode."""
        return key == ENTER or (key == CTRL_Z and self._config is not None and not self.verbatim)

    def entered(self, key: str) -> None:
        if key == CTRL_Z and self._config is not None:
            self._end_configuration()

    def cancel(self) -> None:
        """Ctrl-C leaves configuration mode, as on IOS."""
        if self._config is not None:
            self._end_configuration()

    def _end_configuration(self) -> None:
        self._config = None
        self.terminal.write(log_line("SYS-5-CONFIG_I", "Configured from console by console"))

    async def _configure_from(self, match: Match) -> None:
        if (await self.ask(_CONFIGURE_FROM)).lower() not in ("", "t", "terminal"):
            raise Refused('?Must be "terminal", "memory" or "network"; here only "terminal" is offered')
        await self._configure(match)

    async def _configure(self, match: Match) -> None:
        if self._config is not None:
            raise Refused("% Already in configuration mode")
        self._config = Configurator(self._router)
        self.terminal.write(_CONFIGURING)

    async def _enable(self, match: Match) -> None:
        self._level = PRIVILEGED

    async def _disable(self, match: Match) -> None:
        self._level, self._config = USER, None

    async def _leave(self, match: Match) -> None:
        self.greet()

    async def _set_length(self, match: Match) -> None:
        self._lines = match.number("length", SCREEN_LINES)

    async def _set_width(self, match: Match) -> None:
        """Accepted: lines are never broken here."""

    async def _write_terminal(self, match: Match) -> None:
        await self._run_exec("show running-config")

    async def _ping(self, match: Match) -> None:
        await ping(self.terminal, self._network, self._router, match)

    async def _traceroute(self, match: Match) -> None:
        await traceroute(self.terminal, self._network, self._router, match)


_FILES: dict[str, FileCommand] = {
    "copy running-config startup-config": ios_files.copy,
    "delete": ios_files.delete,
    "dir": ios_files.directory,
    "erase nvram:": ios_files.erase,
    "erase startup-config": ios_files.erase,
    "format": ios_files.format_filesystem,
    "reload": ios_files.reload,
    "reload at": ios_files.reload_later,
    "reload cancel": ios_files.reload_cancel,
    "reload in": ios_files.reload_later,
    "write": ios_files.write,
    "write erase": ios_files.erase,
    "write memory": ios_files.write,
}
