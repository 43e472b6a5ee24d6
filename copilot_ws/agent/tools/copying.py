"""Copies of a device's configuration, read on its console right before and right after a call changes it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from copilot_ws.agent.tools.base import Surroundings
from copilot_ws.core.ports import DeviceCopy
from copilot_ws.labs.base import Node
from copilot_ws.labs.console import Console, ConsoleError
from copilot_ws.labs.shown import NotShown, shown_configuration


@dataclass(slots=True)
class Copying:
    """The copies around one call's lines on one device; the console is held meanwhile.

    A device that does not show its configuration may be changed all the same: `warning` then says that there is
    no way back.
    """

    around: Surroundings
    node: Node
    warning: str | None = None
    _copy: DeviceCopy | None = None

    async def before(self, console: Console) -> None:
        """Returns when the copy is committed, or cannot be made. Raises ConsoleError: then nothing can be sent."""
        run_id, call_id, node = self.around.run_id, self.around.call_id, self.node
        copy = DeviceCopy(run_id, call_id, node.node_id, node.name, node.platform)
        try:
            self._copy = replace(copy, before=await shown_configuration(console, node.platform))
        except NotShown as fault:
            self._copy = replace(copy, missing=str(fault))
            self.warning = f"No copy of {node.name}'s configuration was kept before this: {fault}. It cannot be undone."
        await self.around.keep(self._copy)

    async def after(self, console: Console) -> None:
        """What cannot be read again stays unknown."""
        if self._copy is None or self._copy.before is None:
            return
        try:
            text = await shown_configuration(console, self.node.platform)
        except (NotShown, ConsoleError):
            return
        await self.around.keep(replace(self._copy, after=text))
