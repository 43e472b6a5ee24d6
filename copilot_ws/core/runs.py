"""The runs of one project: at most one a session at a time, the others queued behind it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import uuid
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from copilot_ws.core.feed import Feed
from copilot_ws.core.live import LiveRun
from copilot_ws.core.ports import Agent, Counts, Ending, Job, Outcome, RunRow, Runs, Sessions, StopReason
from copilot_ws.labs.base import Caller, Project
from copilot_ws.wire.errors import (
    Conflict,
    CopilotError,
    LlmError,
    NotFound,
    SessionBusy,
    ShuttingDown,
    TooManyRuns,
)
from copilot_ws.wire.models import ChatRequest, Message, Usage
from copilot_ws.wire.tasks import TaskSet
from copilot_ws.wire.times import utcnow

log = logging.getLogger(__name__)

MAX_QUEUED = 20
SAVE_PARTIAL_SECONDS = 1.0
CUT_OFF = "The server stopped while this ran: it did not run to its end."


@dataclass(slots=True)
class Accepted:
    """A message that has been taken: its run, as it was asked for."""

    row: RunRow
    request: ChatRequest
    caller: Caller
    message: Message
    new_session: bool = False
    cancelled: bool = False


@dataclass(slots=True)
class Slot:
    """What a session is doing now. `title` is its title call, if one is under way."""

    live: LiveRun | None = None
    queue: deque[Accepted] = field(default_factory=deque)
    deleting: bool = False
    accepting: bool = False
    title: asyncio.Task[None] | None = None


class RunManager:
    """Accepts messages, drives their runs, stops them, and tidies up what a crash left behind."""

    def __init__(
        self,
        project: Project,
        agent: Agent,
        sessions: Sessions,
        runs: Runs,
        feed_of: Callable[[str], Feed],
        per_user: Counter[str],
        max_per_user: int,
        titles: bool,
    ) -> None:
        self._project = project
        self._agent, self._sessions, self._runs = agent, sessions, runs
        self._feed_of = feed_of
        self._per_user, self._max_per_user = per_user, max_per_user
        self._titles = titles
        self._slots: dict[str, Slot] = {}
        self._tasks = TaskSet()
        self._accepting = asyncio.Lock()
        self._closed = False

    # asking

    def live(self, session_id: str) -> LiveRun | None:
        slot = self._slots.get(session_id)
        return slot.live if slot is not None else None

    def status(self, session_id: str) -> str:
        return "running" if self.live(session_id) is not None else "idle"

    def of_user(self, user_id: str) -> list[dict[str, Any]]:
        """`hello.runs`: what runs and what waits behind it."""
        found = []
        for session_id, slot in self._slots.items():
            if slot.live is not None and slot.live.user_id == user_id:
                found.append(_run_shape(slot.live.run_id, session_id, "running", slot.live.started_at))
            for waiting in slot.queue:
                if waiting.row.user_id == user_id:
                    found.append(_run_shape(waiting.row.run_id, session_id, "queued", waiting.row.created_at))
        return found

    # accepting

    async def send(self, caller: Caller, request: ChatRequest) -> dict[str, str]:
        """`{run_id, session_id, message_id, status: started|queued}`; the message is committed by then.

        Once asked it is carried out, also if the asking connection breaks.
        Raises `Conflict`, `SessionBusy`, `NotFound`, `TooManyRuns`, `ShuttingDown`.
        """
        return await self._tasks.carry(self._send(caller, request), name="accept message")

    async def _send(self, caller: Caller, request: ChatRequest) -> dict[str, str]:
        async with self._accepting:
            if self._closed:
                raise ShuttingDown("The server is stopping, or the project is being closed.")
            if (known := await self._known(caller, request)) is not None:
                return known
            session_id = request.session_id or uuid.uuid4().hex
            await self._sessions.find(caller.user_id, session_id)
            slot = self._slots.setdefault(session_id, Slot())
            if slot.deleting:
                raise NotFound("There is no such session.")
            slot.accepting = True
            try:
                return await self._accept(slot, session_id, caller, request)
            finally:
                slot.accepting = False
                self._forget_idle(session_id)

    async def _known(self, caller: Caller, request: ChatRequest) -> dict[str, str] | None:
        """The answer that a message sent again got the first time."""
        if request.client_message_id is None:
            return None
        row = await self._runs.of_client_message(caller.user_id, request.client_message_id)
        if row is None:
            return None
        if row.request["asked"] != _comparable(request):
            raise Conflict("This client_message_id was used for another message.")
        return _answer(row)

    async def _accept(self, slot: Slot, session_id: str, caller: Caller, request: ChatRequest) -> dict[str, str]:
        busy = slot.live is not None
        if busy and request.on_busy == "reject":
            raise SessionBusy("This session is answering another message. Wait, stop it, or queue yours.")
        if busy and len(slot.queue) >= MAX_QUEUED:
            raise SessionBusy(f"{MAX_QUEUED} messages wait in this session already.")
        if not busy and self._per_user[caller.user_id] >= self._max_per_user:
            message = f"You have {self._max_per_user} runs going on: wait for one of them, or stop it."
            raise TooManyRuns(message, {"retry_after": 5})
        said = self._agent.user_message(request.message, _of_client(request.client_message_id))
        row = RunRow(
            uuid.uuid4().hex,
            session_id,
            caller.user_id,
            request.client_message_id,
            {"asked": _comparable(request), "status": "queued" if busy else "started"},
            said.id,
            "queued" if busy else "running",
            utcnow(),
        )
        new = await self._runs.accept(row, None if busy else said)
        accepted = Accepted(row, request, caller, said, new)
        if not busy:
            self._start(slot, accepted)
        elif request.on_busy == "interrupt":
            slot.queue.appendleft(accepted)
        else:
            slot.queue.append(accepted)
        if slot.live is None:  # it ended while the message was written
            self._next(session_id, slot)
        elif busy and request.on_busy == "interrupt":
            slot.live.stop.set("interrupt")
        return _answer(row)

    # running

    def _start(self, slot: Slot, accepted: Accepted) -> None:
        row = accepted.row

        async def save(messages: Any) -> None:
            await self._runs.put(row.session_id, row.run_id, messages)

        feed = self._feed_of(row.user_id)
        live = LiveRun(row.run_id, row.session_id, row.user_id, feed, accepted.message, save)
        slot.live = live
        self._per_user[row.user_id] += 1
        if accepted.cancelled or self._closed:
            live.stop.set("user")
        self._tasks.spawn(self._drive(slot, accepted, live), name=f"run {row.session_id}")

    async def _drive(self, slot: Slot, accepted: Accepted, live: LiveRun) -> None:
        outcome: Outcome = "failed"
        try:
            outcome = await self._answer(accepted, live)
        except LlmError as fault:
            live.error = {"error": fault.message, "code": fault.fault}
        except CopilotError as fault:
            live.error = {"error": fault.message, "code": fault.code}
        except Exception:
            log.exception("run %s failed", live.run_id)
            live.error = {
                "error": "The run failed by a fault of the server; it is logged.",
                "code": "internal",
            }
        except asyncio.CancelledError:
            outcome = "stopped"
            raise
        finally:
            await self._finish(slot, accepted, live, outcome)

    async def _answer(self, accepted: Accepted, live: LiveRun) -> Outcome:
        row, request = accepted.row, accepted.request
        if row.status == "queued":
            await self._runs.begin(row.run_id, row.session_id, accepted.message)
        session = await self._sessions.get(row.user_id, row.session_id)
        kind = "session_created" if accepted.new_session else "session_updated"
        self._tell_session(live.feed, kind, session, "running")
        limits = {"max_iterations": request.max_iterations}
        started = {"type": "run_started", "message_id": row.message_id, "message": request.message, "limits": limits}
        live.publish({**started, **_of_client(row.client_message_id)})
        if live.stop.reason is not None:
            return "stopped"
        job = Job(
            row.run_id,
            row.session_id,
            accepted.caller,
            self._project,
            accepted.message,
            await self._runs.messages(row.session_id, without_run=row.run_id),
            request.max_iterations,
            request.temperature,
            request.max_tokens,
            live.stop,
        )
        saver = self._tasks.spawn(self._save_partials(live), name="save partial")
        try:
            return await self._agent.run(job, live)
        finally:
            saver.cancel()
            await asyncio.wait([saver])

    async def _save_partials(self, live: LiveRun) -> None:
        """What a person has seen survives a crash but for its last second."""
        saved = None
        while True:
            await asyncio.sleep(SAVE_PARTIAL_SECONDS)
            partial = live.partial()
            if partial is not None and partial.shape != saved:
                await self._runs.put(live.session_id, live.run_id, [partial])
                saved = partial.shape

    async def _finish(self, slot: Slot, accepted: Accepted, live: LiveRun, outcome: Outcome) -> None:
        """Commits the run's end, tells it, and lets the next one start."""
        row = accepted.row
        live.close()
        for message in self._agent.repaired(live.messages, CUT_OFF):
            live.tool_end(message, "stopped", 0)
        usage = live.usage_so_far
        try:
            ending = Ending(outcome, usage.shape(), live.error)
            await self._runs.end(row, live.unsaved(), ending, _counts(usage, live.messages))
            session = await self._sessions.get(row.user_id, row.session_id)
        except Exception:
            log.exception("the end of run %s could not be written", live.run_id)
            live.error = {"error": "The answer could not be stored; the fault is logged.", "code": "internal"}
            outcome, session = "failed", None
        live.outcome = outcome
        if live.error is not None:
            live.publish({"type": "error", **live.error})
        if session is not None:
            self._tell_session(live.feed, "session_updated", session, "idle")
        count = session["message_count"] if session is not None else 0
        live.publish({"type": "done", "outcome": outcome, "usage": usage.shape(), "message_count": count})
        if outcome == "completed" and self._titles and slot.title is None and not (slot.deleting or self._closed):
            slot.title = self._tasks.spawn(self._title(live), name=f"title {row.session_id}")
        self._release(slot, live)

    def _release(self, slot: Slot, live: LiveRun) -> None:
        self._per_user[live.user_id] -= 1
        if self._per_user[live.user_id] <= 0:
            del self._per_user[live.user_id]
        slot.live = None
        live.ended.set()
        self._next(live.session_id, slot)

    def _next(self, session_id: str, slot: Slot) -> None:
        if slot.queue:
            self._start(slot, slot.queue.popleft())
        else:
            self._forget_idle(session_id)

    def _forget_idle(self, session_id: str) -> None:
        slot = self._slots.get(session_id)
        if slot is not None and not (slot.live or slot.queue or slot.deleting or slot.accepting or slot.title):
            del self._slots[session_id]

    def _tell_session(self, feed: Feed, kind: str, session: dict[str, Any], status: str) -> None:
        feed.publish({"type": kind, "session_id": session["session_id"], "session": {**session, "status": status}})

    # titles

    async def _title(self, live: LiveRun) -> None:
        """Names a conversation that nobody has named, after its first answer."""
        try:
            if not await self._sessions.wants_title(live.session_id):
                return
            title = await self._agent.title(live.messages)
            await self._sessions.set_generated_title(
                live.session_id, title.text, _title_counts(live.usage_so_far, title.usage)
            )
            session = await self._sessions.get(live.user_id, live.session_id)
            self._tell_session(live.feed, "session_updated", session, self.status(live.session_id))
        except LlmError as fault:
            log.warning("no title was generated: %s", fault.fault)
        finally:
            if (slot := self._slots.get(live.session_id)) is not None:
                slot.title = None
                self._forget_idle(live.session_id)

    # stopping

    def stop(self, session_id: str, reason: StopReason) -> bool:
        """Stops the session's run and clears what is queued behind it; whether there was one.

        A queued message still enters the conversation: nothing that a person said is lost.
        """
        slot = self._slots.get(session_id)
        if slot is None or slot.live is None:
            return False
        for waiting in slot.queue:
            waiting.cancelled = True
        slot.live.stop.set(reason)
        return True

    async def delete(self, user_id: str, session_id: str) -> None:
        """Ends what the session does, then removes it; no event of it follows `session_deleted`."""
        await self._tasks.carry(self._delete(user_id, session_id), name=f"delete {session_id}")

    async def _delete(self, user_id: str, session_id: str) -> None:
        await self._sessions.get(user_id, session_id)
        slot = self._slots.setdefault(session_id, Slot())
        slot.deleting = True
        try:
            if slot.title is not None:
                slot.title.cancel()
                await asyncio.wait([slot.title])
            while self.stop(session_id, "delete"):
                assert slot.live is not None
                await slot.live.ended.wait()
            async with self._accepting:
                await self._sessions.delete(session_id)
            self._feed_of(user_id).publish({"type": "session_deleted", "session_id": session_id})
        finally:
            slot.deleting = False
            self._slots.pop(session_id, None)

    async def close(self, reason: StopReason, grace: float) -> None:
        """Takes nothing new, lets runs end by themselves for `grace` seconds, then stops them and waits."""
        async with self._accepting:
            self._closed = True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace):
                await self._all_ended()
        for session_id in list(self._slots):
            self.stop(session_id, reason)
        for slot in list(self._slots.values()):
            if slot.title is not None:
                slot.title.cancel()
        await self._all_ended()
        await self._tasks.cancel_all()

    async def _all_ended(self) -> None:
        while live := [slot.live for slot in self._slots.values() if slot.live is not None]:
            await live[0].ended.wait()

    # after a crash

    async def recover(self) -> None:
        """Ends the runs that a crash left open: valid histories, counts as far as they are known."""
        for row in await self._runs.unfinished():
            messages = await self._runs.messages_of_run(row.run_id)
            ends = [_cut_off(message) for message in messages if _is_partial(message)]
            if not messages:
                text = row.request["asked"]["message"]
                ends.append(_with_id(self._agent.user_message(text, _of_client(row.client_message_id)), row.message_id))
            ends += self._agent.repaired(messages, CUT_OFF)
            everything = {message.id: message for message in (*messages, *ends)}.values()
            usage = self._agent.usage_of(list(everything))
            log.warning("run %s was cut off by a stop of the server", row.run_id)
            ending = Ending("failed", usage.shape(), {"error": CUT_OFF, "code": "interrupted"})
            await self._runs.end(row, ends, ending, _counts(usage, list(everything)))


def _run_shape(run_id: str, session_id: str, status: str, started_at: str) -> dict[str, Any]:
    return {"run_id": run_id, "session_id": session_id, "status": status, "started_at": started_at}


def _of_client(client_message_id: str | None) -> dict[str, Any]:
    return {"client_message_id": client_message_id} if client_message_id is not None else {}


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


def _counts(usage: Usage, messages: Sequence[Message]) -> Counts:
    """A run's part of its session's counts: an answer that broke off and a tool that did not run do not count."""
    statuses = [_metadata(message).get("status") for message in messages]
    ran = [m.shape["name"] for m, status in zip(messages, statuses, strict=True) if status in ("success", "error")]
    return Counts(
        sum(not _metadata(message).get("incomplete") for message in messages),
        usage.llm_calls,
        usage.input_tokens,
        usage.output_tokens,
        usage.billed,
        dict(Counter(ran)),
    )


def _metadata(message: Message) -> dict[str, Any]:
    return message.shape.get("metadata") or {}


def _title_counts(turn: Usage, title: Usage) -> Counts:
    """The turn's last model call is now the title's: its input takes the place of the one counted so far."""
    more = title.input_tokens - turn.input_tokens if title.input_tokens else 0
    return Counts(0, 1, more, title.output_tokens, title.billed)


def _is_partial(message: Message) -> bool:
    return bool(_metadata(message).get("partial"))


def _cut_off(message: Message) -> Message:
    return Message({**message.shape, "metadata": {"incomplete": True}}, message.native)


def _with_id(message: Message, message_id: str) -> Message:
    return Message({**message.shape, "id": message_id}, message.native)
