"""The runs of one project: at most one a session at a time, the others queued behind it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from copilot_ws.core.callers import Callers
from copilot_ws.core.drive import Accepted, Driver, of_run
from copilot_ws.core.feed import Feed
from copilot_ws.core.hitl import Desk, Suspended
from copilot_ws.core.live import LiveRun
from copilot_ws.core.ports import Agent, AlreadyThere, Audit, Copies, RunRow, Runs, Sessions, StopReason
from copilot_ws.core.recovery import Recovery, stopped_row
from copilot_ws.core.slots import Slot, Slots
from copilot_ws.core.titles import name_session
from copilot_ws.core.undoing import check_undoable, undo_request
from copilot_ws.labs.base import Caller, Project
from copilot_ws.wire.errors import Conflict, HitlPending, SessionBusy, ShuttingDown, TooManyRuns
from copilot_ws.wire.limits import Controls
from copilot_ws.wire.models import ChatRequest, Message
from copilot_ws.wire.tasks import TaskSet
from copilot_ws.wire.times import utcnow

log = logging.getLogger(__name__)

MAX_QUEUED = 20
LAST_SECONDS = 8.0


class RunManager:
    """Accepts messages, lets their runs be driven one after the other, and stops them.

    `per_user` counts a user's runs on the whole server, but for those that wait for a person.
    """

    def __init__(
        self,
        project: Project,
        agent: Agent,
        sessions: Sessions,
        runs: Runs,
        audit: Audit,
        copies: Copies,
        desk: Desk,
        feed_of: Callable[[str], Feed],
        callers: Callers,
        per_user: Counter[str],
        max_per_user: int,
        titles: bool,
    ) -> None:
        self._agent, self._sessions, self._runs = agent, sessions, runs
        self._audit, self._copies, self._desk = audit, copies, desk
        self._feed_of = feed_of
        self._per_user, self._max_per_user = per_user, max_per_user
        self._titles = titles
        self._driver = Driver(project, agent, sessions, runs, audit, copies, desk, callers, per_user)
        self._recovery = Recovery(agent, runs, audit, copies)
        self._slots = Slots()
        self._tasks = TaskSet()
        self._closed = False

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
        return await self._tasks.carry(self._send(caller, request), name="accept message")

    async def _send(self, caller: Caller, request: ChatRequest) -> dict[str, str]:
        session_id = request.session_id or uuid.uuid4().hex
        async with self._slots.hold(session_id) as slot:
            if self._closed:
                raise ShuttingDown("The server is stopping, or the project is being closed.")
            if (known := await self._known(caller, request)) is not None:
                return known
            await self._sessions.find(caller.user_id, session_id)
            try:
                return await self._accept(slot, session_id, caller, request)
            except AlreadyThere:
                pass  # the same client_message_id was accepted at the same time, in another session
        if (known := await self._known(caller, request)) is None:
            raise Conflict("This message was sent twice at the same time.")
        return known

    async def _known(self, caller: Caller, request: ChatRequest) -> dict[str, str] | None:
        """The answer that a message sent again got the first time."""
        if request.client_message_id is None:
            return None
        row = await self._runs.of_client_message(caller.user_id, request.client_message_id)
        if row is None:
            return None
        if _comparable(ChatRequest.model_validate(row.request["asked"])) != _comparable(request):
            raise Conflict("This client_message_id was used for another message.")
        return _answer(row)

    async def undo(self, caller: Caller, run_id: str) -> dict[str, str]:
        """Starts a run in the session of run `run_id` that asks to take back what that one changed; as `send`.

        Raises as `send`, and `Conflict` if there is nothing to take back or no copy to go back to.
        """
        return await self._tasks.carry(self._undo(caller, run_id), name="accept undo")

    async def _undo(self, caller: Caller, run_id: str) -> dict[str, str]:
        undone = await self._runs.find(caller.user_id, run_id)
        session_id, text = undone.session_id, undo_request(undone)
        request = ChatRequest.model_validate({"message": text, "session_id": session_id})
        async with self._slots.hold(session_id) as slot:
            if self._closed:
                raise ShuttingDown("The server is stopping, or the project is being closed.")
            await self._sessions.get(caller.user_id, session_id)
            self._check_free(slot, session_id, caller, request)
            check_undoable(await self._copies.of_run(run_id))
            return await self._accept(slot, session_id, caller, request, {"undoes": run_id})

    async def _accept(
        self, slot: Slot, session_id: str, caller: Caller, request: ChatRequest, more: dict[str, Any] | None = None
    ) -> dict[str, str]:
        self._check_free(slot, session_id, caller, request)
        queued = slot.live is not None
        run_id, limits, more = uuid.uuid4().hex, request.limits(), more or {}
        said = self._agent.user_message(request.message, {**of_run(run_id, request.client_message_id), **more})
        row = RunRow(
            run_id,
            session_id,
            caller.user_id,
            request.client_message_id,
            {
                "asked": _comparable(request),
                "status": "queued" if queued else "started",
                "on_busy": request.on_busy,
                **more,
            },
            said.id,
            "queued" if queued else "running",
            utcnow(),
            limits.shape(),
        )
        accepted = Accepted(row, request, said, limits)
        slot.accepting = row.run_id
        self._count_up(row.user_id)
        try:
            accepted.new_session = await self._runs.accept(row, None if queued else said, request.replaces_message_id)
        except BaseException:
            self._count_down(row.user_id)
            raise
        finally:
            slot.accepting = None
            slot.revision += 1
        if slot.live is None:
            self._start(slot, accepted)
        else:
            self._count_down(row.user_id)
            self._queue(slot, accepted)
        return _answer(row)

    def _check_free(self, slot: Slot, session_id: str, caller: Caller, request: ChatRequest) -> None:
        if slot.live is None:
            if self._per_user[caller.user_id] >= self._max_per_user:
                message = f"You have {self._max_per_user} runs going on: wait for one of them, or stop it."
                raise TooManyRuns(message, {"retry_after": 5})
            return
        only_if_idle = request.replaces_message_id is not None
        if self._desk.waits(session_id) and (only_if_idle or request.on_busy != "interrupt"):
            raise HitlPending("This session waits for your decision. Decide, stop it, or interrupt it.")
        if only_if_idle or request.on_busy == "reject":
            raise SessionBusy("This session is answering another message. Wait, stop it, or queue yours.")
        if len(slot.queue) >= MAX_QUEUED:
            raise SessionBusy(f"{MAX_QUEUED} messages wait in this session already.")

    @staticmethod
    def _queue(slot: Slot, accepted: Accepted) -> None:
        """An interrupting message goes before those that wait, and takes the place of earlier interruptions."""
        if accepted.request.on_busy != "interrupt":
            slot.queue.append(accepted)
            return
        earlier = [waiting for waiting in slot.queue if waiting.request.on_busy == "interrupt"]
        for waiting in earlier:
            waiting.cancelled = True
        slot.queue.insert(len(earlier), accepted)
        assert slot.live is not None
        slot.live.stop.set("interrupt")

    # running

    def _start(self, slot: Slot, accepted: Accepted, messages: Sequence[Message] = ()) -> None:
        row = accepted.row

        async def save(unsaved: Sequence[Message]) -> None:
            await self._runs.put(row.session_id, row.run_id, unsaved)

        live = LiveRun(row.run_id, row.session_id, row.user_id, self._feed_of(row.user_id), save, accepted.answered)
        live.limits = accepted.limits
        live.take_up(messages or [accepted.message], self._agent.usage_of(messages))
        slot.live = live
        slot.revision += 1
        if accepted.cancelled or self._closed:
            live.stop.set("user")
        self._tasks.spawn(self._drive(slot, accepted, live), name=f"run {row.session_id}")

    async def _drive(self, slot: Slot, accepted: Accepted, live: LiveRun) -> None:
        try:
            await self._driver.drive(accepted, live)
            self._driver.tell_end(live)
            if live.outcome == "completed" and self._titles and slot.title is None and not self._closed:
                slot.title = self._tasks.spawn(self._title(slot, live), name=f"title {live.session_id}")
        except Suspended:
            log.info("run %s waits for a person and will be found again", live.run_id)
            slot.queue.clear()  # what waits behind it stands in the database, and waits on
        finally:
            self._count_down(live.user_id)
            slot.live = None
            slot.revision += 1
            live.ended.set()
            live.answered.set()
            self._next(live.session_id, slot)

    def _next(self, session_id: str, slot: Slot) -> None:
        if slot.queue:
            accepted = slot.queue.popleft()
            self._count_up(accepted.row.user_id)
            self._start(slot, accepted)
        else:
            self._slots.forget_idle(session_id)

    def _count_up(self, user_id: str) -> None:
        self._per_user[user_id] += 1

    def _count_down(self, user_id: str) -> None:
        self._per_user[user_id] -= 1
        if self._per_user[user_id] <= 0:
            del self._per_user[user_id]

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
            while slot.live is not None:
                self._stop(session_id, "delete")
                await self._audit.append(session_id, [stopped_row(slot.live.run_id, user_id)])
                if slot.live is not None:
                    await slot.live.ended.wait()
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
        self._closed = True
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
                    self._queue(slot, accepted)
                    continue
                self._count_up(accepted.row.user_id)
                self._start(slot, accepted, messages)
                if accepted.standing is not None and accepted.standing.prompt is not None:
                    await accepted.answered.wait()


def _run_shape(run_id: str, session_id: str, status: str, started_at: str) -> dict[str, Any]:
    return {"run_id": run_id, "session_id": session_id, "status": status, "started_at": started_at}


def _comparable(request: ChatRequest) -> dict[str, Any]:
    """What makes two sendings of one client_message_id the same message."""
    return request.model_dump(exclude={"client_message_id", "stream", "on_busy"})


def _answer(row: RunRow) -> dict[str, str]:
    return {
        "run_id": row.run_id,
        "session_id": row.session_id,
        "message_id": row.message_id,
        "status": row.request["status"],
    }
