"""What the core of one project is made of."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from copilot_ws.core.ports import Agent, Audit, Copies, Runs, Sessions


@dataclass(frozen=True, slots=True)
class Parts:
    """`owned`: no other server has this database open, so runs that have not ended are leftovers.

    `close` frees what the parts hold.
    """

    agent: Agent
    sessions: Sessions
    runs: Runs
    audit: Audit
    copies: Copies
    owned: bool
    close: Callable[[], Awaitable[None]]
