"""One device: it boots from its saved configuration, and lives until its power is cut."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from copilot_ws.labs.base import NodeStatus
from copilot_ws.labs.local import ios, ios_boot, vpcs, vpcs_state
from copilot_ws.labs.local.console import Console
from copilot_ws.labs.local.keyboard import Keyboard
from copilot_ws.labs.local.network import Network
from copilot_ws.labs.local.platforms import KINDS, EmbeddedPlatform
from copilot_ws.labs.local.records import NodeRecord, write_whole
from copilot_ws.labs.local.router import Save
from copilot_ws.labs.local.shell import LineLog, Reload, Shell, Terminal
from copilot_ws.labs.local.stack import Stack
from copilot_ws.wire.tasks import TaskSet

RELOAD_SECONDS = 3.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Booted:
    stack: Stack
    shell: Shell
    unknown: list[str]


@dataclass(frozen=True, slots=True)
class _Slot:
    """What a device is given to boot in."""

    node: NodeRecord
    terminal: Terminal
    lines: LineLog
    network: Network
    save: Save


@dataclass(frozen=True, slots=True)
class _Memory:
    """What is lost with the power, and kept while the device is suspended. Its console is another each time."""

    stack: Stack
    shell: Shell
    keyboard: Keyboard
    lines: LineLog


def _boot_ios(slot: _Slot, startup: str) -> _Booted:
    state, unknown = ios_boot.power_on_state(slot.node.node_id, slot.node.number, startup)
    shell = ios.IosShell(slot.terminal, slot.lines, state, slot.network, slot.save)
    return _Booted(state.stack, shell, unknown)


def _boot_vpcs(slot: _Slot, startup: str) -> _Booted:
    node = slot.node
    host, unknown = vpcs_state.power_on_state(node.node_id, node.name, node.number, startup)
    shell = vpcs.VpcsShell(slot.terminal, slot.lines, host, slot.network, slot.save)
    return _Booted(host.stack, shell, unknown)


_BOOT: dict[EmbeddedPlatform, Callable[[_Slot, str], _Booted]] = {"ios": _boot_ios, "vpcs": _boot_vpcs}
_INTERRUPTS: dict[EmbeddedPlatform, frozenset[str]] = {"ios": ios.INTERRUPTS, "vpcs": vpcs.INTERRUPTS}


def startup_file(folder: Path, node: NodeRecord) -> Path:
    """Where a node's saved configuration is kept in its project's `folder`."""
    return folder / "devices" / f"{node.name}{KINDS[node.platform].startup_suffix}"


async def save_startup(folder: Path, node: NodeRecord, text: str) -> None:
    """Raises OSError."""
    await asyncio.to_thread(write_whole, startup_file(folder, node), text)


def read_startup(folder: Path, node: NodeRecord) -> str:
    """Empty if nothing was saved. Raises OSError."""
    try:
        return startup_file(folder, node).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""


async def copy_startup(folder: Path, old: NodeRecord, new: NodeRecord) -> None:
    """Saves a node's configuration under its new name, which also replaces the old one in it. Raises OSError."""
    text = await asyncio.to_thread(read_startup, folder, old)
    own_name = re.compile(rf"^(hostname|set pcname) {re.escape(old.name)}$", re.M)
    await save_startup(folder, new, own_name.sub(rf"\1 {new.name}", text))


async def remove_startup(folder: Path, node: NodeRecord, unless: NodeRecord | None = None) -> None:
    """`unless`: whose configuration stays, should a file system take both names for one. A failure is logged."""
    keep = startup_file(folder, unless) if unless is not None else None
    await asyncio.to_thread(_unlink, startup_file(folder, node), keep)


def _unlink(path: Path, keep: Path | None) -> None:
    try:
        if keep is None or not path.samefile(keep):
            path.unlink()
    except FileNotFoundError:
        return
    except OSError:
        log.exception("a saved configuration cannot be removed")


def factory_startup(node: NodeRecord) -> str:
    """What a new node boots from: it knows its name, and nothing else."""
    return _FACTORY[node.platform](node)


def _factory_ios(node: NodeRecord) -> str:
    router, _ = ios_boot.power_on_state(node.node_id, node.number, f"hostname {node.name}\n")
    return router.saved


def _factory_vpcs(node: NodeRecord) -> str:
    return f"set pcname {node.name}\n"


_FACTORY: dict[EmbeddedPlatform, Callable[[NodeRecord], str]] = {"ios": _factory_ios, "vpcs": _factory_vpcs}


class Device:
    """A node of an open project. `port`: where its console listens, or last did."""

    def __init__(
        self, node: NodeRecord, folder: Path, network: Network, reload_seconds: float = RELOAD_SECONDS
    ) -> None:
        self.node = node
        self.port: int | None = None
        self.status: NodeStatus = "stopped"
        self._folder = folder
        self._network = network
        self._reload_seconds = reload_seconds
        self._tasks = TaskSet()
        self._switch = asyncio.Lock()
        """Held while the device starts or stops: by its owner, or by itself when it reloads."""
        self._files = asyncio.Lock()
        """Held while the saved configuration is read, written or moved."""
        self._memory: _Memory | None = None
        self._console: Console | None = None

    async def power_on(self) -> None:
        """Boots from the saved configuration, or goes on where it was suspended. Raises OSError; it is then off."""
        async with self._switch:
            if self.status == "started":
                return
            await self._wake()
            self.status = "started"

    async def power_off(self) -> None:
        """What was not saved is forgotten; the console refuses connections."""
        async with self._switch:
            await self._sleep()
            self._memory = None
            self.status = "stopped"

    async def suspend(self) -> None:
        """Keeps what runs, but stands still: no console, and no neighbour sees it. It must be started."""
        async with self._switch:
            await self._sleep()
            self.status = "suspended"

    def configuration(self) -> str | None:
        """The running configuration, None while it is off or of a platform that shows none."""
        return self._memory.shell.configuration() if self._memory is not None else None

    async def rename(self, node: NodeRecord, commit: Callable[[], Awaitable[None]]) -> None:
        """Takes the record of its new name, once `commit` has stored it; its files go by that from then on.

        Raises OSError, or what `commit` raises; the device then keeps its name.
        """
        async with self._files:
            old = self.node
            await copy_startup(self._folder, old, node)
            await commit()
            self.node = node
            if self._memory is not None:
                self._memory.lines.path = self._log_file()
            await remove_startup(self._folder, old, unless=node)

    async def _wake(self) -> None:
        memory = self._memory or await self._boot()
        console = Console(self.node.name, memory.keyboard)
        self.port = await console.open(self.port)
        memory.shell.terminal.console = console
        self._memory, self._console = memory, console
        self._network.attach(memory.stack)
        self._tasks.spawn(self._live(memory.shell), name=f"device:{self.node.name}")

    async def _sleep(self) -> None:
        self._network.detach(self.node.node_id)
        await self._tasks.cancel_all()
        await self._close_console()

    async def _close_console(self) -> None:
        console, self._console = self._console, None
        if console is not None:
            await console.close()

    async def _boot(self) -> _Memory:
        async with self._files:
            startup = await asyncio.to_thread(read_startup, self._folder, self.node)
        platform = self.node.platform
        keyboard, lines = Keyboard(_INTERRUPTS[platform]), LineLog(self._log_file())
        terminal = Terminal(Console(self.node.name, keyboard), keyboard)
        booted = _BOOT[platform](_Slot(self.node, terminal, lines, self._network, self._save), startup)
        if booted.unknown:
            log.warning("%s does not understand its saved lines %r", self.node.name, booted.unknown)
        return _Memory(booted.stack, booted.shell, keyboard, lines)

    async def _live(self, shell: Shell) -> None:
        try:
            await shell.run()
        except Reload:
            await self._reload()

    async def _reload(self) -> None:
        """Holds the switch whenever it acts, so that no cancellation finds it halfway."""
        async with self._switch:
            self._network.detach(self.node.node_id)
            self._memory = None
            await self._close_console()
        await asyncio.sleep(self._reload_seconds)
        async with self._switch:
            try:
                await self._wake()
            except OSError:
                log.exception("%s does not start again", self.node.name)
                self.status = "stopped"

    async def _save(self, text: str) -> None:
        async with self._files:
            await save_startup(self._folder, self.node, text)

    def _log_file(self) -> Path:
        return self._folder / "consoles" / f"{self.node.name}.log"
