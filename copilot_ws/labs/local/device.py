"""One device: it boots from its saved configuration, and lives until its power is cut."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from copilot_ws.labs.local import ios, router, vpcs, vpcs_state
from copilot_ws.labs.local.console import Console
from copilot_ws.labs.local.keyboard import Keyboard
from copilot_ws.labs.local.network import Network, Stack
from copilot_ws.labs.local.platforms import KINDS, EmbeddedPlatform
from copilot_ws.labs.local.records import NodeRecord, write_whole
from copilot_ws.labs.local.shell import LineLog, Shell, Terminal
from copilot_ws.wire.tasks import TaskSet

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


def _boot_ios(slot: _Slot, startup: str) -> _Booted:
    state, unknown = router.power_on_state(slot.node.node_id, slot.node.number, startup)
    return _Booted(state.stack, ios.IosShell(slot.terminal, slot.lines, state, slot.network), unknown)


def _boot_vpcs(slot: _Slot, startup: str) -> _Booted:
    node = slot.node
    host, unknown = vpcs_state.power_on_state(node.node_id, node.name, node.number, startup)
    return _Booted(host.stack, vpcs.VpcsShell(slot.terminal, slot.lines, host, slot.network), unknown)


_BOOT: dict[EmbeddedPlatform, Callable[[_Slot, str], _Booted]] = {"ios": _boot_ios, "vpcs": _boot_vpcs}
_INTERRUPTS: dict[EmbeddedPlatform, frozenset[str]] = {"ios": ios.INTERRUPTS, "vpcs": vpcs.INTERRUPTS}


def startup_file(folder: Path, node: NodeRecord) -> Path:
    """Where a node's saved configuration is kept in its project's `folder`."""
    return folder / "devices" / f"{node.name}{KINDS[node.platform].startup_suffix}"


async def save_startup(folder: Path, node: NodeRecord, text: str) -> None:
    """Raises OSError."""
    await asyncio.to_thread(write_whole, startup_file(folder, node), text)


class Device:
    """A node of an open project. `port`: where its console listens, or last did."""

    def __init__(self, node: NodeRecord, folder: Path, network: Network) -> None:
        self.node = node
        self.port: int | None = None
        self._folder = folder
        self._network = network
        self._tasks = TaskSet()
        self._console: Console | None = None

    @property
    def powered(self) -> bool:
        return self._console is not None

    async def power_on(self) -> None:
        """Boots from the saved configuration. Raises OSError; the device is then off."""
        if self._console is not None:
            return
        startup = await asyncio.to_thread(self._read_startup)
        platform = self.node.platform
        keyboard = Keyboard(_INTERRUPTS[platform])
        console = Console(self.node.name, keyboard)
        lines = LineLog(self._folder / "consoles" / f"{self.node.name}.log")
        booted = _BOOT[platform](_Slot(self.node, Terminal(console, keyboard), lines, self._network), startup)
        if booted.unknown:
            log.warning("%s does not understand its saved lines %r", self.node.name, booted.unknown)
        self.port = await console.open(self.port)
        self._console = console
        self._network.attach(booted.stack)
        self._tasks.spawn(booted.shell.run(), name=f"device:{self.node.name}")

    async def power_off(self) -> None:
        """What was not saved is forgotten; the console refuses connections."""
        self._network.detach(self.node.node_id)
        await self._tasks.cancel_all()
        if self._console is not None:
            await self._console.close()
            self._console = None

    def _read_startup(self) -> str:
        try:
            return startup_file(self._folder, self.node).read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return ""
