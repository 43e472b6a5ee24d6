"""Asking a person: the open prompts of a project, and how their decisions are taken, once each."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from copilot_ws.core.ledger import Ledger, already
from copilot_ws.core.live import LiveRun
from copilot_ws.core.ports import Agent, Apply, Decision, DecisionKind, Job, Judged, Pending, Prompt
from copilot_ws.core.prompts import OpenPrompt
from copilot_ws.wire.errors import AlreadyResolved, ConfirmationRequired, InvalidArgument, NotFound
from copilot_ws.wire.tasks import TaskSet
from copilot_ws.wire.times import utcnow

SERVER = "server"
LAST_SECONDS = 5.0


class Suspended(Exception):
    """The server stops while a person is asked: the prompt stays, and is found again."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person says of these calls (None: of all that are left) of this prompt (None: of whichever is open)."""

    kind: Literal["confirmed", "rejected"]
    by: str
    call_ids: Sequence[str] | None
    prompt_id: str | None
    reason: str | None = None
    acknowledged: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """A person's own arguments for a call, and how they are to be applied."""

    by: str
    call_id: str
    arguments: dict[str, Any]
    prompt_id: str | None
    apply: Apply
    acknowledged: bool = False


class Desk:
    """Where the prompts of a project lie until they are decided."""

    def __init__(self, agent: Agent, ledger: Ledger, timeout: float) -> None:
        self._agent, self._ledger = agent, ledger
        self._timeout = int(timeout) if timeout == int(timeout) else timeout
        self._open: dict[str, OpenPrompt] = {}
        self._deciding = asyncio.Lock()
        self._tasks = TaskSet()

    async def close(self) -> None:
        """Decisions that are being taken are taken to their end."""
        await self._tasks.drain(LAST_SECONDS)

    # what waits

    def status(self, session_id: str) -> dict[str, Any]:
        """A HITLStatus."""
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

    # a run waits

    async def decisions(self, prompt: Prompt, job: Job, live: LiveRun) -> list[Decision]:
        """Asks, and returns when each call is decided: by people, by the deadline, or because the run is stopped.

        Raises `Suspended`.
        """
        opened = await self._ledger.opened(prompt, job, live, self._timeout)
        if opened.remaining:
            self._open[live.session_id] = opened
            if job.stop.reason in (None, "shutdown"):  # what was stopped before it could ask asks nobody
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
            if stop.reason == "shutdown":
                raise Suspended
            if stop.reason is not None:
                await self._close(opened, "cancelled", opened.live.user_id)
            elif opened.expires_at is not None and time.time() >= opened.expires_at:
                await self._close(opened, "expired", SERVER)
            else:
                opened.changed.clear()
                await self._sleep(opened)

    async def _sleep(self, opened: OpenPrompt) -> None:
        left = None if opened.expires_at is None else max(0.0, opened.expires_at - time.time())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(left):
                await opened.changed.wait()

    async def _close(self, opened: OpenPrompt, kind: DecisionKind, by: str) -> None:
        """Decides what is left, unless somebody is deciding it just now."""
        async with self._deciding:
            if opened.remaining:
                with contextlib.suppress(AlreadyResolved):  # then the log knew better, and so does `opened` now
                    await self._take(opened, [Decision(call_id, kind, by, utcnow()) for call_id in opened.remaining])

    # people decide

    async def decide(self, session_id: str, verdict: Verdict) -> dict[str, Any]:
        """Confirms or rejects; a HITLDecisionResult.

        Once begun it is carried out, also if the asking connection breaks.
        Raises `AlreadyResolved`, `NotFound`, `ConfirmationRequired`; then nothing of it is applied.
        """
        return await self._tasks.carry(self._decide(session_id, verdict), name="decide")

    async def _decide(self, session_id: str, said: Verdict) -> dict[str, Any]:
        async with self._deciding:
            opened = await self._current(session_id, said.prompt_id, said.call_ids or ())
            wanted = list(dict.fromkeys(said.call_ids)) if said.call_ids is not None else opened.remaining
            await self._check(opened, wanted)
            if said.kind == "confirmed" and not said.acknowledged:
                _check_danger([opened.calls[call_id] for call_id in wanted])
            decided = [Decision(call_id, said.kind, said.by, utcnow(), said.reason) for call_id in wanted]
            await self._take(opened, decided)
        count = len(decided)
        return {
            "status": said.kind,
            "confirmed_count": count if said.kind == "confirmed" else 0,
            "message": f"{count} {'call' if count == 1 else 'calls'} {said.kind}.",
            "remaining": opened.remaining,
        }

    async def modify(self, session_id: str, change: Change) -> dict[str, Any]:
        """Replaces a call's arguments; a HITLDecisionResult. Raises as `decide`, and `InvalidArgument`."""
        opened = await self._current(session_id, change.prompt_id, [change.call_id])
        await self._check(opened, [change.call_id])
        judged = await self._agent.judge(opened.job, opened.calls[change.call_id], change.arguments)
        if judged.danger_level == "high" and not change.acknowledged:
            raise _confirmation([(change.call_id, judged.dangerous_commands)])
        replaced = self._replace(session_id, opened.id, _modified(change, judged))
        await self._tasks.carry(replaced, name="decide")
        direct = change.apply == "direct"
        how = "runs with the new arguments" if direct else "goes back to the model with the new arguments"
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
            raise await self._ledger.resolved(session_id, prompt_id, call_ids)
        return opened

    async def _check(self, opened: OpenPrompt, call_ids: Sequence[str]) -> None:
        if not call_ids:
            raise InvalidArgument("tool_call_ids: name at least one call", [{"field": "tool_call_ids"}])
        if others := [call_id for call_id in call_ids if call_id not in opened.calls]:
            earlier = await self._ledger.decided_calls(opened.live.session_id)
            if unknown := [call_id for call_id in others if call_id not in earlier]:
                raise NotFound(f"Nobody was asked about {', '.join(unknown)}.", {"tool_call_ids": unknown})
            raise await self._ledger.resolved(opened.live.session_id, None, others)
        for call_id in call_ids:
            if call_id in opened.decisions:
                raise already(opened.decisions[call_id])

    async def _take(self, opened: OpenPrompt, decided: Sequence[Decision]) -> None:
        """Once a decision is in the log, everybody is told."""
        await self._ledger.take(opened, decided)
        told = [_told(one) for one in decided]
        resolved = {"hitl_session_id": opened.id, "decisions": told, "remaining": opened.remaining}
        opened.live.publish({"type": "hitl_resolved", **resolved})


def _modified(change: Change, judged: Judged) -> Decision:
    return Decision(
        change.call_id,
        "modified",
        change.by,
        utcnow(),
        arguments=judged.arguments,
        apply=change.apply,
        targets=judged.targets,
        danger_level=judged.danger_level,
    )


def _told(decision: Decision) -> dict[str, Any]:
    told = {"tool_call_id": decision.tool_call_id, "decision": decision.decision, "by": decision.by}
    return {**told, "reason": decision.reason} if decision.reason is not None else told


def _check_danger(calls: Sequence[Pending]) -> None:
    dangerous = [(call.tool_call_id, call.dangerous_commands) for call in calls if call.danger_level == "high"]
    if dangerous:
        raise _confirmation(dangerous)


def _confirmation(dangerous: Sequence[tuple[str, list[dict[str, str]]]]) -> ConfirmationRequired:
    details = [{"tool_call_id": call_id, "dangerous_commands": commands} for call_id, commands in dangerous]
    return ConfirmationRequired("This is dangerous: confirm it again with acknowledge_dangerous.", details)
