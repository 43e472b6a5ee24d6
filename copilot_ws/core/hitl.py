"""Asking a person: the open prompts of a project, and how their decisions are taken, once each."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from typing import Any, Literal

from copilot_ws.core.live import LiveRun
from copilot_ws.core.ports import (
    Agent,
    AlreadyThere,
    Apply,
    Audit,
    AuditRow,
    Copies,
    Decision,
    DecisionKind,
    Job,
    Pending,
    Prompt,
)
from copilot_ws.core.prompts import OpenPrompt
from copilot_ws.core.stories import stories
from copilot_ws.wire.errors import AlreadyResolved, ConfirmationRequired, InvalidArgument, NotFound
from copilot_ws.wire.tasks import TaskSet
from copilot_ws.wire.times import utcnow

SERVER = "server"
LAST_SECONDS = 5.0


class Desk:
    """Where the prompts of a project lie until they are decided."""

    def __init__(self, agent: Agent, audit: Audit, copies: Copies, timeout: float) -> None:
        self._agent, self._audit, self._copies = agent, audit, copies
        self._timeout = int(timeout) if timeout == int(timeout) else timeout
        self._open: dict[str, OpenPrompt] = {}
        self._deciding = asyncio.Lock()
        self._tasks = TaskSet()

    async def close(self) -> None:
        """Decisions that are being taken are taken to their end."""
        await self._tasks.drain(LAST_SECONDS)

    # a run waits

    async def decisions(self, prompt: Prompt, job: Job, live: LiveRun) -> list[Decision]:
        """Asks, and returns when each call is decided: by people, by the deadline, or because the run is stopped."""
        rows = await self._audit.rows(live.session_id)
        decided = [Decision(**row.data) for row in rows if row.kind == "decided" and row.hitl_session_id == prompt.id]
        asked = next((row for row in rows if row.kind == "asked" and row.hitl_session_id == prompt.id), None)
        timeout = asked.data["timeout"] if asked is not None else self._timeout  # the deadline never moves
        opened = OpenPrompt(prompt, job, live, timeout, decided)
        if asked is None:
            await self._log(opened, [_asked(opened)])
        if opened.remaining:
            self._open[live.session_id] = opened
            live.publish({"type": "hitl_required", **opened.status()})
            live.answered.set()
            try:
                await self._until_decided(opened)
            finally:
                self._open.pop(live.session_id, None)
        live.answered.set()
        return [opened.decisions[call_id] for call_id in opened.calls]

    async def _until_decided(self, opened: OpenPrompt) -> None:
        stop = opened.job.stop
        stop.notify(opened.changed)
        while opened.remaining:
            if stop.reason is not None and stop.reason != "shutdown":
                await self._close(opened, "cancelled", opened.live.user_id)
            elif stop.reason == "shutdown":
                raise Suspended
            elif opened.expires_at is not None and time.time() >= opened.expires_at:
                await self._close(opened, "expired", SERVER)
            else:
                opened.changed.clear()
                await self._sleep(opened)

    async def _sleep(self, opened: OpenPrompt) -> None:
        left = None if opened.expires_at is None else max(0.0, opened.expires_at - time.time())
        try:
            async with asyncio.timeout(left):
                await opened.changed.wait()
        except TimeoutError:
            return

    async def _close(self, opened: OpenPrompt, kind: DecisionKind, by: str) -> None:
        """Decides what is left, unless somebody is deciding it just now."""
        async with self._deciding:
            if opened.remaining:
                with contextlib.suppress(AlreadyResolved):  # then the log knew better, and so does `opened` now
                    await self._take(opened, [Decision(call_id, kind, by, utcnow()) for call_id in opened.remaining])

    # people decide

    def status(self, session_id: str) -> dict[str, Any]:
        opened = self._open.get(session_id)
        if opened is not None:
            return opened.status()
        return {
            "status": "idle",
            "pending_tools": [],
            "hitl_session_id": None,
            "session_id": session_id,
            "timeout": self._timeout,
            "expires_at": None,
        }

    def of_user(self, user_id: str) -> list[dict[str, Any]]:
        """`hello.pending_hitl`."""
        return [opened.status() for opened in self._open.values() if opened.live.user_id == user_id]

    def waits(self, session_id: str) -> bool:
        return session_id in self._open

    async def decide(
        self,
        session_id: str,
        by: str,
        kind: Literal["confirmed", "rejected"],
        call_ids: Sequence[str] | None,
        prompt_id: str | None,
        *,
        reason: str | None = None,
        acknowledged: bool = False,
    ) -> dict[str, Any]:
        """Confirms or rejects these calls (None: all that are left); a HITLDecisionResult.

        Once begun it is carried out, also if the asking connection breaks.
        Raises `AlreadyResolved`, `NotFound`, `ConfirmationRequired`; then nothing of it is applied.
        """
        work = self._decide(session_id, by, kind, call_ids, prompt_id, reason, acknowledged)
        return await self._tasks.carry(work, name="decide")

    async def _decide(
        self,
        session_id: str,
        by: str,
        kind: Literal["confirmed", "rejected"],
        call_ids: Sequence[str] | None,
        prompt_id: str | None,
        reason: str | None,
        acknowledged: bool,
    ) -> dict[str, Any]:
        async with self._deciding:
            opened = await self._current(session_id, prompt_id, call_ids or ())
            wanted = list(dict.fromkeys(call_ids)) if call_ids is not None else opened.remaining
            await self._check(opened, wanted)
            if kind == "confirmed" and not acknowledged:
                _check_danger([opened.calls[call_id] for call_id in wanted])
            decided = [Decision(call_id, kind, by, utcnow(), reason) for call_id in wanted]
            await self._take(opened, decided)
        count = len(decided)
        word = "call" if count == 1 else "calls"
        return {
            "status": kind,
            "confirmed_count": count if kind == "confirmed" else 0,
            "message": f"{count} {word} {kind}.",
            "remaining": opened.remaining,
        }

    async def modify(
        self,
        session_id: str,
        by: str,
        call_id: str,
        arguments: dict[str, Any],
        prompt_id: str | None,
        apply: Apply,
        *,
        acknowledged: bool = False,
    ) -> dict[str, Any]:
        """Replaces a call's arguments; a HITLDecisionResult. Raises as `decide`, and `InvalidArgument`."""
        opened = await self._current(session_id, prompt_id, [call_id])
        await self._check(opened, [call_id])
        pending = opened.calls[call_id]
        judged = await self._agent.judge(opened.job, pending, arguments)
        if judged.danger_level == "high" and not acknowledged:
            raise _confirmation([{"tool_call_id": call_id, "dangerous_commands": judged.dangerous_commands}])
        decision = Decision(
            call_id,
            "modified",
            by,
            utcnow(),
            arguments=judged.arguments,
            apply=apply,
            targets=judged.targets,
            danger_level=judged.danger_level,
        )
        await self._tasks.carry(self._replace(session_id, opened.id, decision), name="decide")
        how = "runs with the new arguments" if apply == "direct" else "goes back to the model with the new arguments"
        return {
            "status": "modified",
            "confirmed_count": 0,
            "message": f"The call {how}.",
            "remaining": opened.remaining,
            "modification_summary": judged.summary,
        }

    async def _replace(self, session_id: str, prompt_id: str, decision: Decision) -> None:
        async with self._deciding:
            opened = await self._current(session_id, prompt_id, [decision.tool_call_id])
            await self._check(opened, [decision.tool_call_id])
            await self._take(opened, [decision])

    async def _current(self, session_id: str, prompt_id: str | None, call_ids: Sequence[str]) -> OpenPrompt:
        opened = self._open.get(session_id)
        if opened is None or (prompt_id is not None and prompt_id != opened.id) or not opened.remaining:
            raise await self._resolved(session_id, prompt_id, call_ids)
        return opened

    async def _check(self, opened: OpenPrompt, call_ids: Sequence[str]) -> None:
        if not call_ids:
            raise InvalidArgument("tool_call_ids: name at least one call", [{"field": "tool_call_ids"}])
        if others := [call_id for call_id in call_ids if call_id not in opened.calls]:
            earlier = {row.tool_call_id for row in await self._decided(opened.live.session_id)}
            if unknown := [call_id for call_id in others if call_id not in earlier]:
                raise NotFound(f"Nobody was asked about {', '.join(unknown)}.", {"tool_call_ids": unknown})
            raise await self._resolved(opened.live.session_id, None, others)
        for call_id in call_ids:
            if call_id in opened.decisions:
                raise _already(opened.decisions[call_id])

    async def _take(self, opened: OpenPrompt, decided: Sequence[Decision]) -> None:
        """The compare and set: only one decision of a call can be in the log, and then everybody is told."""
        rows = [
            AuditRow("decided", opened.live.run_id, opened.id, one.tool_call_id, one.at, one.shape()) for one in decided
        ]
        try:
            await self._log(opened, rows)
        except AlreadyThere:
            await self._read_again(opened)
            ids = [one.tool_call_id for one in decided]
            raise await self._resolved(opened.live.session_id, opened.id, ids) from None
        opened.decisions.update({one.tool_call_id: one for one in decided})
        opened.live.publish(
            {
                "type": "hitl_resolved",
                "hitl_session_id": opened.id,
                "decisions": [_told(one) for one in decided],
                "remaining": opened.remaining,
            }
        )
        opened.changed.set()

    async def _read_again(self, opened: OpenPrompt) -> None:
        """The log is the record: what it holds has been decided, whatever this process missed."""
        for row in await self._audit.rows(opened.live.session_id):
            if row.kind == "decided" and row.hitl_session_id == opened.id and row.tool_call_id is not None:
                opened.decisions[row.tool_call_id] = Decision(**row.data)
        opened.changed.set()

    async def _log(self, opened: OpenPrompt, rows: Sequence[AuditRow]) -> None:
        await self._audit.append(opened.live.session_id, rows)

    async def _decided(self, session_id: str) -> list[AuditRow]:
        return [row for row in await self._audit.rows(session_id) if row.kind == "decided"]

    async def _resolved(self, session_id: str, prompt_id: str | None, call_ids: Sequence[str]) -> AlreadyResolved:
        """Who was faster, and when: about one of these calls, else of this prompt, else the newest."""
        rows = await self._decided(session_id)
        of_prompt = [row for row in rows if prompt_id is None or row.hitl_session_id == prompt_id] or rows
        newest = ([row for row in of_prompt if row.tool_call_id in call_ids] or of_prompt)[-1:]
        if not newest:
            return AlreadyResolved("Nothing waits for a decision in this session.")
        return _already(Decision(**newest[0].data))

    # what was

    async def history(self, session_id: str) -> list[dict[str, Any]]:
        """What was asked, decided, by whom, with which arguments, and what came of it; newest last."""
        return stories(await self._audit.rows(session_id), await self._copies.of_session(session_id))


class Suspended(Exception):
    """The server stops while a person is asked: the prompt stays, and is found again."""


def _asked(opened: OpenPrompt) -> AuditRow:
    calls = [pending.shape() for pending in opened.calls.values()]
    return AuditRow("asked", opened.live.run_id, opened.id, None, utcnow(), {"calls": calls, "timeout": opened.timeout})


def _told(decision: Decision) -> dict[str, Any]:
    told = {"tool_call_id": decision.tool_call_id, "decision": decision.decision, "by": decision.by}
    return {**told, "reason": decision.reason} if decision.reason is not None else told


def _already(decision: Decision) -> AlreadyResolved:
    details = {"tool_call_id": decision.tool_call_id, "decision": decision.decision}
    return AlreadyResolved(
        f"This was {decision.decision} by {decision.by} already.",
        {**details, "by": decision.by, "decided_at": decision.at},
    )


def _check_danger(calls: Sequence[Pending]) -> None:
    dangerous = [call for call in calls if call.danger_level == "high"]
    if dangerous:
        raise _confirmation(
            [{"tool_call_id": c.tool_call_id, "dangerous_commands": c.dangerous_commands} for c in dangerous]
        )


def _confirmation(details: list[dict[str, Any]]) -> ConfirmationRequired:
    return ConfirmationRequired("This is dangerous: confirm it again with acknowledge_dangerous.", details)
