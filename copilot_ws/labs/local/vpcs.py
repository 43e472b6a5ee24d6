"""The VPCS-like command line of a host."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from copilot_ws.labs.local.keyboard import CTRL_C
from copilot_ws.labs.local.network import Network
from copilot_ws.labs.local.shell import LineLog, Shell, Terminal
from copilot_ws.labs.local.vpcs_ping import PingUsage, ping, trace
from copilot_ws.labs.local.vpcs_state import Host
from copilot_ws.labs.local.vpcs_text import HELP, NOT_OFFERED, VERSION, show, show_arp, show_ip

INTERRUPTS = frozenset((CTRL_C,))
SLEEP_MAX = 3600

Command = Callable[[list[str]], Awaitable[None]]


class VpcsShell(Shell):
    """A host's console session."""

    def __init__(self, terminal: Terminal, line_log: LineLog, host: Host, network: Network) -> None:
        super().__init__(terminal, line_log)
        self._host = host
        self._network = network
        self._commands: dict[str, Command] = {
            "?": self._help,
            "arp": self._arp,
            "clear": self._not_offered,
            "dhcp": self._not_offered,
            "disconnect": self._not_offered,
            "echo": self._echo,
            "help": self._help,
            "history": self._history,
            "ip": self._not_offered,
            "load": self._not_offered,
            "ping": self._ping,
            "quit": self._not_offered,
            "relay": self._not_offered,
            "rlogin": self._not_offered,
            "save": self._not_offered,
            "set": self._not_offered,
            "show": self._show,
            "sleep": self._sleep,
            "trace": self._trace,
            "version": self._version,
        }

    @property
    def prompt(self) -> str:
        return f"\n{self._host.name}> "

    def greet(self) -> None:
        self.terminal.write(f"{VERSION}\nPress '?' to get help.\n")

    async def execute(self, line: str) -> None:
        words = line.split()
        if words[0].startswith(("#", ";")):
            return
        if words[0].startswith("!"):
            self.terminal.write("Commands of the host are never run from here.\n")
            return
        names = self._names(words[0])
        if len(names) == 1:
            await self._commands[names[0]](words[1:])
        elif names:
            self.terminal.write("".join(f"{name}\n" for name in names))
        else:
            self.terminal.write(f'Bad command: "{line.strip()}". Use ? for help.\n')

    def _names(self, word: str) -> list[str]:
        """The commands that `word` abbreviates."""
        if word in self._commands:
            return [word]
        return [name for name in self._commands if name.startswith(word)]

    async def _help(self, words: list[str]) -> None:
        self.terminal.write(HELP)

    async def _version(self, words: list[str]) -> None:
        self.terminal.write(VERSION)

    async def _not_offered(self, words: list[str]) -> None:
        self.terminal.write(NOT_OFFERED)

    async def _echo(self, words: list[str]) -> None:
        self.terminal.write(" ".join(words))

    async def _history(self, words: list[str]) -> None:
        self.terminal.write("".join(f"{line}\n" for line in self.history.lines))

    async def _arp(self, words: list[str]) -> None:
        self.terminal.write(show_arp(self._host, self._network))

    async def _show(self, words: list[str]) -> None:
        topics: dict[str, Command] = {
            "arp": self._arp,
            "history": self._history,
            "ip": self._show_ip,
            "version": self._version,
        }
        if not words:
            self.terminal.write(show(self._host))
            return
        found = [name for name in topics if name.startswith(words[0])]
        if found:
            await topics[found[0]](words[1:])
        else:
            self.terminal.write("Invalid arguments\n")

    async def _show_ip(self, words: list[str]) -> None:
        self.terminal.write(show_ip(self._host))

    async def _ping(self, words: list[str]) -> None:
        try:
            await ping(self.terminal, self._network, self._host, words)
        except PingUsage as usage:
            self.terminal.write(f"{usage}\n")

    async def _trace(self, words: list[str]) -> None:
        try:
            await trace(self.terminal, self._network, self._host, words)
        except PingUsage as usage:
            self.terminal.write(f"{usage}\n")

    async def _sleep(self, words: list[str]) -> None:
        """`sleep N [TEXT]` waits N seconds, `sleep [TEXT]` for a key."""
        seconds = int(words[0]) if words and words[0].isascii() and words[0].isdigit() else None
        if seconds is not None and seconds > SLEEP_MAX:
            self.terminal.write(f"Invalid seconds: 0 to {SLEEP_MAX}\n")
            return
        text = words if seconds is None else words[1:]
        if text:
            self.terminal.write(" ".join(text) + "\n")
        if seconds is not None:
            await self.terminal.pause(seconds)
            return
        if not text:
            self.terminal.write("Press any key to continue\n")
        await self.terminal.key()
