"""Takes messages: each is checked, committed once, and started or queued behind its session's run."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from copilot_ws.core.drive import Accepted, of_run
from copilot_ws.core.hitl import Desk
from copilot_ws.core.parts import Parts
from copilot_ws.core.ports import AlreadyThere, RunRow
from copilot_ws.core.quota import Quota
from copilot_ws.core.slots import Slot, Slots
from copilot_ws.core.undoing import check_undoable, undo_request
from copilot_ws.labs.base import Caller
from copilot_ws.wire.errors import Conflict, HitlPending, SessionBusy, ShuttingDown
from copilot_ws.wire.models import ChatRequest
from copilot_ws.wire.times import utcnow

MAX_QUEUED = 20


class Reception:
    """`start` begins the run of a message in a session that is free. What is `closed` takes nothing new."""

    def __init__(
        self, parts: Parts, desk: Desk, slots: Slots, quota: Quota, start: Callable[[Slot, Accepted], None]
    ) -> None:
        self.closed = False
        self._agent, self._sessions, self._runs, self._copies = parts.agent, parts.sessions, parts.runs, parts.copies
        self._desk, self._slots, self._quota = desk, slots, quota
        self._start = start

    async def send(self, caller: Caller, request: ChatRequest) -> dict[str, str]:
        """See `RunManager.send`."""
        session_id = request.session_id or uuid.uuid4().hex
        async with self._slots.hold(session_id) as slot:
            self._check_open()
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

    async def undo(self, caller: Caller, run_id: str) -> dict[str, str]:
        """See `RunManager.undo`."""
        undone = await self._runs.find(caller.user_id, run_id)
        session_id, text = undone.session_id, undo_request(undone)
        request = ChatRequest.model_validate({"message": text, "session_id": session_id})
        async with self._slots.hold(session_id) as slot:
            self._check_open()
            await self._sessions.get(caller.user_id, session_id)
            self._check_free(slot, session_id, caller, request)
            check_undoable(await self._copies.of_run(run_id))
            return await self._accept(slot, session_id, caller, request, {"undoes": run_id})

    def _check_open(self) -> None:
        if self.closed:
            raise ShuttingDown("The server is stopping, or the project is being closed.")

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

    def _check_free(self, slot: Slot, session_id: str, caller: Caller, request: ChatRequest) -> None:
        if slot.live is None:
            self._quota.check(caller.user_id)
            return
        only_if_idle = request.replaces_message_id is not None
        if self._desk.waits(session_id) and (only_if_idle or request.on_busy != "interrupt"):
            raise HitlPending("This session waits for your decision. Decide, stop it, or interrupt it.")
        if only_if_idle or request.on_busy == "reject":
            raise SessionBusy("This session is answering another message. Wait, stop it, or queue yours.")
        if len(slot.queue) >= MAX_QUEUED:
            raise SessionBusy(f"{MAX_QUEUED} messages wait in this session already.")

    async def _accept(
        self, slot: Slot, session_id: str, caller: Caller, request: ChatRequest, more: dict[str, Any] | None = None
    ) -> dict[str, str]:
        self._check_free(slot, session_id, caller, request)
        accepted = self._accepted(caller.user_id, session_id, request, queued=slot.live is not None, more=more or {})
        await self._commit(slot, accepted)
        if slot.live is None:
            self._start(slot, accepted)
        else:
            slot.enqueue(accepted)
        return _answer(accepted.row)

    def _accepted(
        self, user_id: str, session_id: str, request: ChatRequest, *, queued: bool, more: dict[str, Any]
    ) -> Accepted:
        run_id, limits = uuid.uuid4().hex, request.limits()
        said = self._agent.user_message(request.message, {**of_run(run_id, request.client_message_id), **more})
        asked = {
            "asked": _comparable(request),
            "status": "queued" if queued else "started",
            "on_busy": request.on_busy,
            **more,
        }
        row = RunRow(
            run_id,
            session_id,
            user_id,
            request.client_message_id,
            asked,
            said.id,
            "queued" if queued else "running",
            utcnow(),
            limits.shape(),
        )
        return Accepted(row, request, said, limits)

    async def _commit(self, slot: Slot, accepted: Accepted) -> None:
        """While it is committed it has a place among its user's runs already, so that others cannot take it."""
        row = accepted.row
        said = accepted.message if row.status == "running" else None
        slot.accepting = row.run_id
        self._quota.take(row.user_id)
        try:
            accepted.new_session = await self._runs.accept(row, said, accepted.request.replaces_message_id)
        finally:
            self._quota.give_back(row.user_id)
            slot.accepting = None
            slot.revision += 1


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
