"""Ctrl-C and SIGTERM: the first one asks the run to stop, the next one or a short while leaves at once."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any

from copilot_ws.wire.tasks import TaskSet

GRACE_SECONDS = 5.0
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
READER_GONE = 141


class Leaving:
    """Watches for reasons to leave while the current task works; `code` is the exit code once there is one."""

    def __init__(self, grace: float = GRACE_SECONDS) -> None:
        self.code: int | None = None
        self._grace = grace
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._tasks = TaskSet()
        self._stop: Callable[[], Coroutine[Any, Any, None]] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._before: dict[signal.Signals, Any] = {}

    def politely(self, stop: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """From now on the first reason to leave calls `stop`, and the task may end by itself."""
        self._stop = stop

    def leave(self, code: int) -> None:
        """A reason to leave; the first one's `code` stays."""
        first = self.code is None
        if first:
            self.code = code
        if first and self._stop is not None:
            self._tasks.spawn(self._stop(), name="stop the run")
            self._timer = self._loop.call_later(self._grace, self._cancel)
        else:
            self._cancel()

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def __aenter__(self) -> Leaving:
        if threading.current_thread() is threading.main_thread():
            for number, code in CODES.items():
                self._watch(number, code)
        return self

    def _watch(self, number: signal.Signals, code: int) -> None:
        self._before[number] = signal.getsignal(number)
        try:
            self._loop.add_signal_handler(number, self.leave, code)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: self._loop.call_soon_threadsafe(self.leave, code))

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        for number, before in self._before.items():
            with contextlib.suppress(NotImplementedError):
                self._loop.remove_signal_handler(number)
            if before is not None:
                signal.signal(number, before)
        await self._tasks.cancel_all()
