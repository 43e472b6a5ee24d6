"""What each session is doing now: its run, what waits behind it, and who may change that."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field

from copilot_ws.core.drive import Accepted
from copilot_ws.core.live import LiveRun


@dataclass(slots=True)
class Slot:
    """One session. Whoever accepts a message, stops or deletes the session holds `lock`.

    `accepting` is a run whose message is being committed; `revision` grows with each change that a reader of the
    history must not miss.
    """

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    live: LiveRun | None = None
    queue: deque[Accepted] = field(default_factory=deque)
    title: asyncio.Task[None] | None = None
    accepting: str | None = None
    revision: int = 0
    users: int = 0

    def enqueue(self, accepted: Accepted) -> None:
        """Behind the run that goes on.

        An interrupting message goes before those that wait, and takes the place of earlier interruptions.
        """
        assert self.live is not None
        if accepted.request.on_busy != "interrupt":
            self.queue.append(accepted)
            return
        earlier = [waiting for waiting in self.queue if waiting.request.on_busy == "interrupt"]
        for waiting in earlier:
            waiting.cancelled = True
        self.queue.insert(len(earlier), accepted)
        self.live.stop.set("interrupt")

    @property
    def idle(self) -> bool:
        return not (self.live or self.queue or self.title or self.users)


class Slots:
    """The sessions that do something, or are looked at; the others take no memory."""

    def __init__(self) -> None:
        self._slots: dict[str, Slot] = {}

    def get(self, session_id: str) -> Slot | None:
        return self._slots.get(session_id)

    def items(self) -> list[tuple[str, Slot]]:
        return list(self._slots.items())

    @contextlib.contextmanager
    def use(self, session_id: str) -> Iterator[Slot]:
        """The session's slot, kept for as long as it is used."""
        slot = self._slots.setdefault(session_id, Slot())
        slot.users += 1
        try:
            yield slot
        finally:
            slot.users -= 1
            self.forget_idle(session_id)

    @contextlib.asynccontextmanager
    async def hold(self, session_id: str) -> AsyncIterator[Slot]:
        """The session's slot, for one at a time."""
        with self.use(session_id) as slot:
            async with slot.lock:
                yield slot

    def forget_idle(self, session_id: str) -> None:
        slot = self._slots.get(session_id)
        if slot is not None and slot.idle:
            del self._slots[session_id]
