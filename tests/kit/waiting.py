"""Waiting for what will happen, always with an end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")
PATIENCE = 10.0


async def soon(work: Awaitable[T], wanted: str, seconds: float = PATIENCE) -> T:
    """The result of `work`, which has to come within `seconds`."""
    try:
        async with asyncio.timeout(seconds):
            return await work
    except TimeoutError:
        raise AssertionError(f"not within {seconds} s: {wanted}") from None


async def eventually(probe: Callable[[], T | Awaitable[T]], wanted: str, seconds: float = PATIENCE) -> T:
    """The first true answer of `probe`: for states of the outside world that nothing announces."""
    async with asyncio.timeout(seconds) as limit:
        while True:
            found = probe()
            if isinstance(found, Awaitable):
                found = await found
            if found:
                return found
            if asyncio.get_running_loop().time() + 0.02 > (limit.when() or 0):
                raise AssertionError(f"not within {seconds} s: {wanted}")
            await asyncio.sleep(0.01)
