"""What is checked and said when a person asks to take a run back."""

from __future__ import annotations

from collections.abc import Sequence

from copilot_ws.core.ports import DeviceCopy, RunRow
from copilot_ws.wire.errors import Conflict

QUOTED = 80
"""Characters of the run's own message."""


def undo_request(run: RunRow) -> str:
    """The message that stands for the request to take `run` back."""
    words = " ".join(str(run.request["asked"]["message"]).split())
    return f"Undo what this changed: {words if len(words) <= QUOTED else words[:QUOTED].rstrip() + '...'}"


def check_undoable(copies: Sequence[DeviceCopy]) -> None:
    """Raises `Conflict` where it is clear from the copies that there is no way back."""
    if not copies:
        raise Conflict("This run changed the configuration of no device: there is nothing to undo.")
    if all(copy.before is None for copy in copies):
        names = ", ".join(dict.fromkeys(copy.device_name for copy in copies))
        raise Conflict(f"This cannot be undone: no copy of the configuration was kept for {names}.")
