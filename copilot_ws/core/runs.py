"""The runs of one project: at most one a session at a time, the others queued behind it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from typing import Any

from copilot_ws.core.callers import Callers
from copilot_ws.core.drive import Accepted, Driver
from copilot_ws.core.feed import Feed
from copilot_ws.core.hitl import Desk, Suspended
from copilot_ws.core.live import LiveRun
from copilot_ws.core.parts import Parts
from copilot_ws.core.ports import StopReason
from copilot_ws.core.quota import Quota
from copilot_ws.core.reception import Reception
from copilot_ws.core.recovery import Recovery, stopped_row
from copilot_ws.core.slots import Slot, Slots
from copilot_ws.core.titles import name_session
from copilot_ws.labs.base import Caller, Project
from copilot_ws.wire.errors import Conflict
from copilot_ws.wire.limits import Controls
from copilot_ws.wire.models import ChatRequest, Message
from copilot_ws.wire.tasks import TaskSet

log = logging.getLogger(__name__)

LAST_SECONDS = 8.0


class RunManager:
    """Lets the runs of accepted messages be driven one after the other, and stops them."""

    def __init__(
        self,
        project: Project,
        parts: Parts,
        desk: Desk,
        feed_of: Callable[[str], Feed],
        callers: Callers,
        quota: Quota,
        titles: bool,
    ) -> None:
        self._agent, self._sessions, self._runs, self._audit = parts.agent, parts.sessions, parts.runs, parts.audit
        self._desk, self._feed_of, self._quota, self._titles = desk, feed_of, quota, titles
        self._slots = Slots()
        self._reception = Reception(parts, desk, self._slots, quota, self._start)
        self._driver = Driver(project, parts, desk, callers, quota)
        self._recovery = Recovery(parts)
        self._tasks = TaskSet()

    # asking

    def live(self, session_id: str) -> LiveRun | None:
        slot = self._slots.get(session_id)
        return slot.live if slot is not None else None

    def watch(self, session_id: str) -> contextlib.AbstractContextManager[Slot]:
        """The session's slot, to see whether it changes while something is read."""
        return self._slots.use(session_id)

    def status(self, session_id: str) -> str:
        if self.live(session_id) is None:
            return "idle"
        return "waiting" if self._desk.waits(session_id) else "running"

    def of_user(self, user_id: str) -> list[dict[str, Any]]:
        """`hello.runs`: what runs and what waits behind it."""
        found = []
        for session_id, slot in self._slots.items():
            live = slot.live
            if live is not None and live.user_id == user_id:
                found.append(_run_shape(live.run_id, session_id, self.status(session_id), live.started_at))
            for waiting in slot.queue:
                if waiting.row.user_id == user_id:
                    found.append(_run_shape(waiting.row.run_id, session_id, "queued", waiting.row.created_at))
        return found

    async def answered(self, session_id: str, run_id: str) -> None:
        """Returns when the run has ended, or waits for a person."""
        slot = self._slots.get(session_id)
        if slot is None:
            return
        if slot.live is not None and slot.live.run_id == run_id:
            await slot.live.answered.wait()
        for waiting in slot.queue:
            if waiting.row.run_id == run_id:
                await waiting.answered.wait()
                return

    # accepting

    async def send(self, caller: Caller, request: ChatRequest) -> dict[str, str]:
        """`{run_id, session_id, message_id, status: started|queued}`; the message is committed by then.

        Once asked it is carried out, also if the asking connection breaks. Raises `Conflict`, `SessionBusy`,
        `HitlPending`, `NotFound`, `InvalidArgument`, `TooManyRuns`, `ShuttingDown`.
        """
        return await self._tasks.carry(self._reception.send(caller, request), name="accept message")

    async def undo(self, caller: Caller, run_id: str) -> dict[str, str]:
        """Starts a run in the session of run `run_id` that asks to take back what that one changed; as `send`.

        Raises as `send`, and `Conflict` if there is nothing to take back or no copy to go back to.
        """
        return await self._tasks.carry(self._reception.undo(caller, run_id), name="accept undo")

    # running

    def _start(self, slot: Slot, accepted: Accepted, messages: Sequence[Message] = ()) -> None:
        row = accepted.row

        async def save(unsaved: Sequence[Message]) -> None:
            await self._runs.put(row.session_id, row.run_id, unsaved)

        live = LiveRun(row.run_id, row.session_id, row.user_id, self._feed_of(row.user_id), save, accepted.answered)
        live.limits = accepted.limits
        live.take_up(messages or [accepted.message], self._agent.usage_of(messages))
        self._quota.take(row.user_id)
        slot.live = live
        slot.revision += 1
        if accepted.cancelled or self._reception.closed:
            live.stop.set("user")
        self._tasks.spawn(self._drive(slot, accepted, live), name=f"run {row.session_id}")

    async def _drive(self, slot: Slot, accepted: Accepted, live: LiveRun) -> None:
        try:
            await self._driver.drive(accepted, live)
            self._driver.tell_end(live)
            if live.outcome == "completed" and self._titles and slot.title is None and not self._reception.closed:
                slot.title = self._tasks.spawn(self._title(slot, live), name=f"title {live.session_id}")
        except Suspended:
            log.info("run %s waits for a person and will be found again", live.run_id)
            slot.queue.clear()  # what waits behind it stands in the database, and waits on
        finally:
            self._quota.give_back(live.user_id)
            slot.live = None
            slot.revision += 1
            live.ended.set()
            live.answered.set()
            self._next(live.session_id, slot)

    def _next(self, session_id: str, slot: Slot) -> None:
        if slot.queue:
            self._start(slot, slot.queue.popleft())
        else:
            self._slots.forget_idle(session_id)

    async def _title(self, slot: Slot, live: LiveRun) -> None:
        try:
            if await name_session(self._agent, self._sessions, live):
                session = await self._sessions.get(live.user_id, live.session_id)
                live.tell_session("session_updated", session, self.status(live.session_id))
        finally:
            slot.title = None
            self._slots.forget_idle(live.session_id)

    async def set_limits(self, session_id: str, controls: Controls) -> dict[str, Any]:
        """Raises or lowers the limits of the session's run; what is in force then. Raises `Conflict`."""
        live = self.live(session_id)
        if live is None:
            raise Conflict("Nothing runs in this session: limits belong to a run.")
        live.limits.change(controls)
        await self._runs.set_limits(live.run_id, live.limits.shape())
        return live.limits.shape()

    # stopping

    async def stop(self, user_id: str, session_id: str) -> bool:
        """Stops the session's run and clears what is queued behind it; whether there was one.

        A queued message still enters the conversation: nothing that a person said is lost. A message that is being
        accepted is waited for. Raises `NotFound`.
        """
        return await self._tasks.carry(self._asked_to_stop(user_id, session_id), name=f"stop {session_id}")

    async def _asked_to_stop(self, user_id: str, session_id: str) -> bool:
        """What runs is told at once, a message that is being accepted as soon as it is; a crash undoes neither."""
        live = self.live(session_id)
        if live is not None and live.user_id == user_id:
            self._stop(session_id, "user")
        async with self._slots.hold(session_id):
            await self._sessions.get(user_id, session_id)
            live = self.live(session_id) or live
            if live is None:
                return False
            self._stop(session_id, "user")
            await self._audit.append(session_id, [stopped_row(live.run_id, user_id)])
            return True

    def _stop(self, session_id: str, reason: StopReason) -> None:
        slot = self._slots.get(session_id)
        if slot is None or slot.live is None:
            return
        for waiting in slot.queue:
            waiting.cancelled = True
        slot.live.stop.set(reason)

    async def delete(self, user_id: str, session_id: str) -> None:
        """Ends what the session does, then removes it; no event of it follows `session_deleted`."""
        await self._tasks.carry(self._delete(user_id, session_id), name=f"delete {session_id}")

    async def _delete(self, user_id: str, session_id: str) -> None:
        async with self._slots.hold(session_id) as slot:
            await self._sessions.get(user_id, session_id)
            while (live := slot.live) is not None:
                self._stop(session_id, "delete")
                await self._audit.append(session_id, [stopped_row(live.run_id, user_id)])
                await live.ended.wait()
            if slot.title is not None:  # also of a run that has only just completed
                slot.title.cancel()
                await asyncio.wait([slot.title])
            await self._sessions.delete(session_id, user_id)
            self._feed_of(user_id).publish({"type": "session_deleted", "session_id": session_id})

    async def close(self, reason: StopReason, grace: float) -> None:
        """Takes nothing new, lets runs end by themselves for `grace` seconds, then stops them and waits.

        A run that waits for a person does not end by itself: it is stopped, or kept for the next start, at once.
        What has not ended some seconds after it was stopped is cut off: the next start finds it.
        """
        self._reception.closed = True
        for session_id, _ in self._slots.items():
            if self._desk.waits(session_id):
                self._stop(session_id, reason)
        if not await self._ended_within(grace):
            for session_id, _ in self._slots.items():
                self._stop(session_id, reason)
            if not await self._ended_within(LAST_SECONDS):
                log.error("a run did not stop in time and was cut off")
        for _, slot in self._slots.items():
            if slot.title is not None:
                slot.title.cancel()
        await self._tasks.cancel_all()

    async def _ended_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                while busy := [(name, slot) for name, slot in self._slots.items() if slot.live or slot.accepting]:
                    session_id, slot = busy[0]
                    if slot.live is not None:
                        await slot.live.ended.wait()
                    else:
                        async with self._slots.hold(session_id):
                            pass
        except TimeoutError:
            return False
        return True

    # after a crash

    async def recover(self) -> None:
        """Goes on with the runs that a crash or a stop of the server left open, or ends them.

        Returns when every prompt that was open is open again.
        """
        for accepted, messages in await self._recovery.leftovers():
            with self._slots.use(accepted.row.session_id) as slot:
                if slot.live is not None:
                    slot.enqueue(accepted)
                    continue
                self._start(slot, accepted, messages)
                if accepted.standing is not None and accepted.standing.prompt is not None:
                    await accepted.answered.wait()


def _run_shape(run_id: str, session_id: str, status: str, started_at: str) -> dict[str, Any]:
    return {"run_id": run_id, "session_id": session_id, "status": status, "started_at": started_at}
