"""Models that are ready for use: one per configuration, for a client holds connections and is slow to make."""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import dataclass

from langchain_core.language_models import BaseChatModel

from copilot_ws.agent.models import ModelConfig, close, make
from copilot_ws.wire.errors import LlmError


@dataclass(slots=True)
class _Ready:
    model: BaseChatModel
    users: int = 0


class Models:
    """Keeps the `most` models that were used last. One in use is never closed, however many there are."""

    def __init__(self, most: int = 32) -> None:
        self._most = most
        self._ready: OrderedDict[ModelConfig, _Ready] = OrderedDict()
        self._making = asyncio.Lock()

    @contextlib.asynccontextmanager
    async def lease(self, config: ModelConfig) -> AsyncIterator[BaseChatModel]:
        """The model of a configuration, for as long as it is used.

        Raises `LlmError` (`llm_not_configured`) with what to do.
        """
        ready = await self._find(config)
        ready.users += 1
        try:
            yield ready.model
        finally:
            ready.users -= 1
            await self._shrink()

    async def _find(self, config: ModelConfig) -> _Ready:
        if config not in self._ready:
            async with self._making:
                if config not in self._ready:  # it may have been made while this waited
                    made = await asyncio.to_thread(make, config)  # it imports, and reads certificates
                    self._ready[config] = _Ready(made)
        self._ready.move_to_end(config)
        return self._ready[config]

    async def _shrink(self) -> None:
        idle = [config for config, ready in self._ready.items() if not ready.users]
        surplus = [self._ready.pop(config) for config in idle[: max(0, len(self._ready) - self._most)]]
        for ready in surplus:
            await close(ready.model)

    def warm(self, config: ModelConfig) -> None:
        """Makes the server's own model before the first message; what is wrong with it is told then."""
        with contextlib.suppress(LlmError):
            self._ready[config] = _Ready(make(config))

    async def close(self) -> None:
        """Closes the connections that the models hold open."""
        while self._ready:
            _, ready = self._ready.popitem()
            await close(ready.model)
