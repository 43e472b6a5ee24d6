"""The owner of detached tasks: the only place that starts one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

log = logging.getLogger(__name__)

T = TypeVar("T")


class TaskSet:
    """Tasks that live as long as their owner, who cancels and awaits them all.

    A task that fails is logged: its owner does not await it one by one.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def spawn(self, work: Coroutine[Any, Any, T], *, name: str) -> asyncio.Task[T]:
        """Starts `work` as a task of this set."""
        task = self._start(work, name)
        task.add_done_callback(_log_failure)
        return task

    async def carry(self, work: Coroutine[Any, Any, T], *, name: str) -> T:
        """The result of `work`, which goes to its end even if the caller is cancelled meanwhile."""
        task = self._start(work, name)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.add_done_callback(_log_failure)  # nobody else learns of it now
            raise

    async def finish(self, work: Coroutine[Any, Any, None], *, name: str) -> None:
        """Awaits `work` to its end also when the caller is cancelled, and lets the cancellation go on then."""
        task, cancelled = self.spawn(work, name=name), False
        while not task.done():
            try:
                await asyncio.wait((task,))
            except asyncio.CancelledError:
                cancelled = True
        if cancelled:
            raise asyncio.CancelledError

    def _start(self, work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        task = asyncio.create_task(work, name=name)  # noqa: TID251 the one place
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def cancel_all(self) -> None:
        """Cancels every task and waits until all have ended."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def drain(self, seconds: float) -> None:
        """Waits up to `seconds` for the tasks to end by themselves, then cancels the rest."""
        if self._tasks:
            await asyncio.wait(list(self._tasks), timeout=seconds)
        await self.cancel_all()


def _log_failure(task: asyncio.Task[Any]) -> None:
    if not task.cancelled() and (fault := task.exception()) is not None:
        log.error("task %s failed", task.get_name(), exc_info=fault)
