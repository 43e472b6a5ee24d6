"""The VPCS-like command line of a host."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from copilot_ws.labs.local.keyboard import CTRL_C
from copilot_ws.labs.local.network import Network
from copilot_ws.labs.local.router import Save
from copilot_ws.labs.local.shell import LineLog, Shell, Terminal
from copilot_ws.labs.local.vpcs_address import InvalidSettings, read_settings
from copilot_ws.labs.local.vpcs_ping import PingUsage, ping, trace
from copilot_ws.labs.local.vpcs_state import Host
from copilot_ws.labs.local.vpcs_text import HELP, IP_HELP, NOT_OFFERED, VERSION, colons, show, show_arp, show_ip

INTERRUPTS = frozenset((CTRL_C,))
SLEEP_MAX = 3600
DUPLICATE_CHECK = 1.0
"""Seconds that the check for another owner of an address takes."""
DHCP_TRIES = (1, 3, 3)
"""Seconds that each of the requests for an address waits."""
NAME_MAX = 63
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")

_IP_NOT_OFFERED = ("auto", "dns", "domain", "mtu")

Command = Callable[[list[str]], Awaitable[None]]


class VpcsShell(Shell):
    """A host's console session."""

    def __init__(self, terminal: Terminal, line_log: LineLog, host: Host, network: Network, save: Save) -> None:
        super().__init__(terminal, line_log)
        self._host = host
        self._network = network
        self._save = save
        self._commands: dict[str, Command] = {
            "?": self._help,
            "arp": self._arp,
            "clear": self._clear,
            "dhcp": self._dhcp,
            "disconnect": self._not_offered,
            "echo": self._echo,
            "help": self._help,
            "history": self._history,
            "ip": self._ip,
            "load": self._load,
            "ping": self._ping,
            "quit": self._not_offered,
            "relay": self._not_offered,
            "rlogin": self._not_offered,
            "save": self._save_startup,
            "set": self._set,
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

    async def _ip(self, words: list[str]) -> None:
        if not words or words[0] == "?":
            self.terminal.write(IP_HELP)
        elif "dhcp".startswith(words[0]):
            await self._dhcp(words[1:])
        elif words[0] in _IP_NOT_OFFERED or ":" in words[0]:
            self.terminal.write(NOT_OFFERED)
        else:
            await self._set_address(words)

    async def _set_address(self, words: list[str]) -> None:
        """Looks for another owner of the address first: for as long as ARP needs to get no answer."""
        try:
            address, gateway = read_settings(words)
        except InvalidSettings as fault:
            self.terminal.write(f"{fault}\n")
            return
        self.terminal.write("Checking for duplicate address...\n")
        owner = self._network.heard(self._host.stack, self._host.port, address.ip)
        if owner is not None:
            self._host.clear()
            self.terminal.write(f"{address.ip} is being used by MAC {colons(owner)}\nAddress not changed\n")
            return
        await self.terminal.pause(DUPLICATE_CHECK)
        self._host.address(address, gateway)
        behind = f" gateway {gateway}" if gateway else ""
        self.terminal.write(f"{self._host.name} : {address.ip} {address.netmask}{behind}\n")

    async def _dhcp(self, words: list[str]) -> None:
        """There is no DHCP server in this lab: nobody answers."""
        if "-x" in words:
            self._host.clear()
            return
        for seconds in DHCP_TRIES:
            self.terminal.write("D")
            await self.terminal.pause(seconds)
        self.terminal.write("\nCan't find dhcp server\n")

    async def _clear(self, words: list[str]) -> None:
        match words:
            case ["ip"]:
                self._host.clear()
                self.terminal.write("IPv4 address/mask, gateway, DNS, and DHCP cleared\n")
            case ["arp"]:
                self._host.stack.arp.clear()
            case ["hist" | "history"]:
                self.history.lines.clear()
            case [] | ["?"]:
                self.terminal.write("clear ARG: arp, hist, ip\n")
            case _:
                self.terminal.write("Invalid options\n")

    async def _set(self, words: list[str]) -> None:
        match words:
            case ["pcname", name] if len(name) > NAME_MAX:
                self.terminal.write(f"Hostname is too long. (Maximum {NAME_MAX} characters)\n")
            case ["pcname", name] if NAME.fullmatch(name):
                self._host.name = name
            case ["pcname", _]:
                self.terminal.write("Invalid hostname\n")
            case ["pcname"]:
                self.terminal.write("Incomplete command.\n")
            case ["echo" | "dump" | "lport" | "rport" | "rhost", *_]:
                self.terminal.write(NOT_OFFERED)
            case [] | ["?"]:
                self.terminal.write("set pcname NAME\n")
            case _:
                self.terminal.write("Invalid command.\n")

    async def _save_startup(self, words: list[str]) -> None:
        """There is one file to save to, whatever its name."""
        if words and words[0].removesuffix(".vpc") != "startup":
            self.terminal.write("Only startup.vpc is offered here: save\n")
            return
        try:
            await self._save(self._host.saved())
        except OSError as fault:
            self.terminal.write(f"failed: {fault.strerror}\n")
            return
        self._host.startup = self._host.saved()
        self.terminal.write("Saving startup configuration to startup.vpc\n.  done\n")

    async def _load(self, words: list[str]) -> None:
        if words and words[0].removesuffix(".vpc") != "startup":
            self.terminal.write(f'Can\'t open "{words[0]}"\n')
            return
        self.terminal.write("\nExecuting the startup file\n")
        for line in self._host.startup.splitlines():
            if line.strip():
                await self.execute(line)

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
