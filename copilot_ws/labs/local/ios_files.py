"""The router's commands for saving, erasing and restarting, with their questions."""

from __future__ import annotations

from dataclasses import dataclass

from copilot_ws.labs.cli.tree import Match
from copilot_ws.labs.local.ios_log import log_line
from copilot_ws.labs.local.render import configuration
from copilot_ws.labs.local.router import Refused, Router, Save
from copilot_ws.labs.local.shell import Reload, Shell

_STARTUP = ("", "startup-config", "nvram:startup-config", "nvram:/startup-config")
_ERASE = "Erasing the nvram filesystem will remove all configuration files! Continue? "
_ERASED = "Initialized the geometry of nvram"
_NOT_SCHEDULED = "% This router restarts at once only: use reload without a time."


@dataclass(frozen=True, slots=True)
class Nvram:
    """Where a router's saved configuration is kept."""

    router: Router
    save: Save

    @property
    def differs(self) -> bool:
        return configuration(self.router) != self.router.saved

    async def write(self) -> None:
        """Raises `Refused`."""
        await self._store(configuration(self.router))
        self.router.saved = self.router.startup

    async def erase(self) -> None:
        """Raises `Refused`."""
        await self._store("")
        self.router.saved = ""

    async def _store(self, text: str) -> None:
        try:
            await self.save(text)
        except OSError:
            raise Refused("%Error opening nvram:/startup-config (No space left on device)") from None
        self.router.startup = text


async def write(shell: Shell, nvram: Nvram, match: Match) -> None:
    """`write memory`, and `write` alone."""
    shell.terminal.write("Building configuration...\n")
    await nvram.write()
    shell.terminal.write("[OK]\n")


async def copy(shell: Shell, nvram: Nvram, match: Match) -> None:
    """`copy running-config startup-config`."""
    name = await shell.ask("Destination filename [startup-config]? ")
    if name.lower() not in _STARTUP:
        raise Refused(f"%Error opening nvram:/{name} (Invalid file name)")
    await write(shell, nvram, match)


async def erase(shell: Shell, nvram: Nvram, match: Match) -> None:
    """`write erase`, `erase startup-config`, `erase nvram:`. What runs stays as it is."""
    if await shell.confirm(_ERASE):
        await nvram.erase()
        shell.terminal.write(f"[OK]\nErase of nvram: complete\n{log_line('SYS-7-NV_BLOCK_INIT', _ERASED)}")


async def delete(shell: Shell, nvram: Nvram, match: Match) -> None:
    """There is one file to delete: the saved configuration."""
    name = match.text("file") or ""
    saved = name.lower() in _STARTUP
    if "force" not in match.values:
        name = await shell.ask(f"Delete filename [{name.removeprefix('flash:')}]? ") or name
        if not await shell.confirm(f"Delete {name}? "):
            return
    if not saved:
        raise Refused(f"%Error deleting {name} (No such file or directory)")
    await nvram.erase()


async def format_filesystem(shell: Shell, nvram: Nvram, match: Match) -> None:
    """`format flash:` finds nothing to lose; the saved configuration is not in flash."""
    name = match.text("filesystem") or ""
    if name.lower() not in ("flash:", "flash0:"):
        raise Refused(f"%Error formatting {name} (Invalid argument)")
    if not await shell.confirm("Format operation may take a while. Continue? "):
        return
    if await shell.confirm(f'Format operation will destroy all data in "{name}".  Continue? '):
        shell.terminal.write(f"\nFormat: All system sectors written. OK...\n\nFormat of {name} complete\n")


async def directory(shell: Shell, nvram: Nvram, match: Match) -> None:
    shell.terminal.write("Directory of flash0:/\n\nNo files in directory\n\n2142715904 bytes total\n")


async def reload(shell: Shell, nvram: Nvram, match: Match) -> None:
    """Raises `Reload` when it was confirmed."""
    if nvram.differs:
        await _offer_to_save(shell, nvram, match)
    if not await shell.confirm("Proceed with reload? "):
        return
    reason = match.text("reason") or "Reload Command"
    shell.terminal.write(f"\n{log_line('SYS-5-RELOAD', f'Reload requested by console. Reload Reason: {reason}.')}")
    raise Reload


async def _offer_to_save(shell: Shell, nvram: Nvram, match: Match) -> None:
    while True:
        answer = (await shell.ask("\nSystem configuration has been modified. Save? [yes/no]: ")).lower()
        if answer and "yes".startswith(answer):
            await write(shell, nvram, match)
            return
        if answer and "no".startswith(answer):
            return
        shell.terminal.write("% Please answer 'yes' or 'no'.\n")


async def reload_later(shell: Shell, nvram: Nvram, match: Match) -> None:
    raise Refused(_NOT_SCHEDULED)


async def reload_cancel(shell: Shell, nvram: Nvram, match: Match) -> None:
    raise Refused("%No reload is scheduled.")
