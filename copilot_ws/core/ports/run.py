"""What the core gives to a run while it goes: how to stop, what to say, where to keep what it does."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Literal, Protocol, TypeVar

from copilot_ws.labs.base import Caller
from copilot_ws.wire.models import Message

T = TypeVar("T")

Outcome = Literal["completed", "stopped", "failed", "limited"]

StopReason = Literal["user", "interrupt", "delete", "project_closed", "shutdown"]

ToolStatus = Literal["success", "error", "rejected", "replaced", "expired", "limited", "stopped", "unknown"]


class Stopped(Exception):
    """The run was told to stop while this work went on; the work has been cancelled."""


class Stop:
    """The one signal that ends a run early. Whatever waits in a run waits through `run`."""

    def __init__(self) -> None:
        self.reason: StopReason | None = None
        self._running: set[asyncio.Task[Any]] = set()
        self._told: asyncio.Event | None = None

    def notify(self, event: asyncio.Event) -> None:
        """Sets `event` when the run is stopped, for one who waits for several things."""
        self._told = event

    def set(self, reason: StopReason) -> None:
        """Tells the run to stop; the first reason stays."""
        if self.reason is None:
            self.reason = reason
            for task in self._running:
                task.cancel()
            if self._told is not None:
                self._told.set()

    def interrupt(self) -> None:
        """Cancels what goes on now, which raises `Stopped`; what begins later may run."""
        for task in self._running:
            task.cancel()

    async def run(self, work: Coroutine[Any, Any, T], *, name: str) -> T:
        """The result of `work`, which is cancelled when the run is stopped: raises `Stopped`."""
        if self.reason is not None:
            work.close()
            raise Stopped
        try:
            async with asyncio.TaskGroup() as group:
                task = group.create_task(work, name=name)
                self._running.add(task)
                task.add_done_callback(self._running.discard)
        except ExceptionGroup as faults:
            raise faults.exceptions[0] from None
        if task.cancelled():
            raise Stopped
        return task.result()


class Tokens(Protocol):
    """The users' tokens that are valid now."""

    def newest(self, user_id: str) -> Caller | None:
        """None: the user has none."""


class Journal(Protocol):
    """The record of what changes a device, in the database before and after it happens."""

    async def started(self, call_id: str, tool: str, arguments: dict[str, Any]) -> bool:
        """Whether this call may start: False if it has started before. True is committed by then."""

    async def ended(self, call_id: str, status: ToolStatus, result: str) -> None: ...

    async def granted(self, hitl_session_id: str, call_id: str, used_by: str) -> None:
        """A call that a person changed has come back from the model as call `used_by`, and runs."""


class Sink(Protocol):
    """What a run says while it goes. Nothing here waits for a client."""

    def content(self, message_id: str, text: str) -> None: ...

    def reasoning(self, message_id: str, text: str) -> None: ...

    def tool_call(self, message_id: str, call_id: str, name: str, arguments: str, complete: bool) -> None: ...

    def message(self, message: Message) -> None:
        """A whole assistant message; it stands in history from now on."""

    def tool_start(self, call_id: str, name: str) -> None: ...

    def tool_progress(self, call_id: str, name: str, device: str | None, done: int, total: int, text: str) -> None: ...

    def tool_end(self, message: Message, status: ToolStatus, duration_ms: int) -> None:
        """A call's one result; its tool message stands in history from now on.

        Arguments that a person changed stand in the message's metadata as `executed_args`.
        """

    def usage(self, model: str, input_tokens: int, output_tokens: int, cost_usd: float | None, cut: bool) -> None:
        """One model call; a cost of None is unknown. `cut`: a limit of length ended its answer."""

    def llm_retry(self, attempt: int, of: int, delay_seconds: float, code: str, text: str) -> None:
        """A model call failed before its first token, and is made again after a pause."""

    def limit_reached(self, limit: str, value: float, text: str) -> None: ...

    async def save(self) -> None:
        """Returns once what was said so far is in the database."""
