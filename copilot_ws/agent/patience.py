"""Tries a model call again where its fault may pass: the one retry of all providers."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from copilot_ws.agent.faults import PassingFault

log = logging.getLogger(__name__)

ATTEMPTS = 4
FIRST_PAUSE = 0.5

T = TypeVar("T")
Tell = Callable[[int, float, PassingFault], None]
"""Told of each pause: the number of the attempt that follows it, its seconds, and why."""


class Patience:
    """The time that one model call has until its first token: attempts and pauses together."""

    def __init__(self, seconds: float, tell: Tell | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        self._tell = tell
        self.until = self._loop.time() + seconds

    async def outlast(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """The result of the first attempt that succeeds, of at most `ATTEMPTS`.

        An attempt that must not be made again raises something else than `PassingFault`. Raises the last
        attempt's fault, at once where the pause that it asks for would outlast the time.
        """
        for number in range(ATTEMPTS - 1):
            try:
                return await attempt()
            except PassingFault as fault:
                pause = _pause(number, fault.retry_after)
                if self._loop.time() + pause >= self.until:
                    raise
                log.info("model call failed (%s), again in %.2f s", fault.fault, pause)
                if self._tell is not None:
                    self._tell(number + 2, pause, fault)
            await asyncio.sleep(pause)
        return await attempt()


def _pause(number: int, asked: float | None) -> float:
    """Twice as long each time, unless the provider asks for a time of its own; spread, so that runs do not march."""
    if asked is not None:
        return asked * random.uniform(1, 1.1)
    return FIRST_PAUSE * 2.0**number * random.uniform(0.75, 1.25)
