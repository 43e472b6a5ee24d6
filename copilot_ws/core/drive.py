"""Drives one run from its first event to its last: the agent, the pauses for a person, the commit of its end."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from copilot_ws.core.callers import Callers
from copilot_ws.core.hitl import Desk, Suspended
from copilot_ws.core.journal import RunJournal
from copilot_ws.core.live import LiveRun, audit
from copilot_ws.core.parts import Parts
from copilot_ws.core.ports import Counts, Ending, Job, Outcome, Prompt, RunRow, Standing
from copilot_ws.core.quota import Quota
from copilot_ws.labs.base import Project
from copilot_ws.wire.errors import CopilotError, LimitReached, LlmError
from copilot_ws.wire.limits import RunLimits
from copilot_ws.wire.models import ChatRequest, Message, Usage
from copilot_ws.wire.tasks import TaskSet

log = logging.getLogger(__name__)

SAVE_PARTIAL_SECONDS = 1.0
CUT_OFF = "The server stopped while this ran: it did not run to its end."
FAILED = {"error": "The run failed by a fault of the server; it is logged.", "code": "internal"}
NOT_STORED = {"error": "The answer could not be stored; the fault is logged.", "code": "internal"}


@dataclass(slots=True)
class Accepted:
    """A message that has been taken. `cancelled`: it was stopped before it began.

    `standing` is where its run stood when a crash cut it off. `answered` is set once the run waits for a
    person, or has ended.
    """

    row: RunRow
    request: ChatRequest
    message: Message
    limits: RunLimits
    new_session: bool = False
    cancelled: bool = False
    standing: Standing | None = None
    answered: asyncio.Event = field(default_factory=asyncio.Event)


class Driver:
    """Drives the runs of one project."""

    def __init__(self, project: Project, parts: Parts, desk: Desk, callers: Callers, quota: Quota) -> None:
        self._project = project
        self._agent, self._sessions, self._runs = parts.agent, parts.sessions, parts.runs
        self._audit, self._copies = parts.audit, parts.copies
        self._desk, self._callers, self._quota = desk, callers, quota
        self._savers = TaskSet()

    async def drive(self, accepted: Accepted, live: LiveRun) -> None:
        """Returns when the run has ended and its end is committed, but not yet told: `tell_end` does that.

        Raises `Suspended` when the server stops while a person is asked.
        """
        outcome: Outcome = "failed"
        try:
            outcome = await self._answer(accepted, live)
        except Suspended:
            await live.save()
            raise
        except LlmError as fault:
            live.error = {"error": fault.message, "code": fault.fault}
        except LimitReached as fault:
            outcome, live.error = "limited", {"error": fault.message, "code": fault.code}
        except CopilotError as fault:
            live.error = {"error": fault.message, "code": fault.code}
        except Exception:
            log.exception("run %s failed", live.run_id)
            live.error = FAILED
        await self._commit(accepted.row, live, outcome)

    async def _answer(self, accepted: Accepted, live: LiveRun) -> Outcome:
        row = accepted.row
        standing = accepted.standing
        job = await self._job(accepted, live)
        if standing is None:
            await self._begin(accepted, live, job)
        if live.stop.reason is not None and standing is None:
            return "stopped"
        saver = self._savers.spawn(self._save_partials(live), name=f"save partial {row.session_id}")
        try:
            result = await self._first(job, live, standing)
            while isinstance(result, Prompt):
                result = await self._ask(result, job, live)
            return result
        finally:
            saver.cancel()
            await asyncio.wait([saver])

    async def _begin(self, accepted: Accepted, live: LiveRun, job: Job) -> None:
        row, request = accepted.row, accepted.request
        if row.status == "queued":
            await self._runs.begin(row.run_id, row.session_id, accepted.message)
        session = await self._sessions.get(row.user_id, row.session_id)
        live.tell_session("session_created" if accepted.new_session else "session_updated", session, "running")
        limits = accepted.limits.shape()
        started = {"type": "run_started", "message_id": row.message_id, "message": request.message, "limits": limits}
        if accepted.limits.estimate_cost_before_execution and live.stop.reason is None:
            started["estimate"] = await self._agent.estimate(job)
        if request.replaces_message_id is not None:
            started["replaces_message_id"] = request.replaces_message_id
        live.publish({**started, **of_client(row.client_message_id)})
        asked = {"temperature": request.temperature, "max_tokens": request.max_tokens, **limits}
        audit.info("run %s session %s user %s: %s", row.run_id, row.session_id, row.user_id, asked)

    async def _job(self, accepted: Accepted, live: LiveRun) -> Job:
        row, request = accepted.row, accepted.request
        return Job(
            row.run_id,
            row.session_id,
            row.user_id,
            self._callers,
            self._project,
            accepted.message,
            await self._runs.messages(row.session_id, without_run=row.run_id),
            accepted.limits,
            RunJournal(self._audit, row.session_id, row.run_id),
            self._copies,
            request.temperature,
            request.max_tokens,
            live.stop,
            {m.shape["tool_call_id"]: m for m in live.messages if m.role == "tool"},
            row.undoes,
        )

    async def _first(self, job: Job, live: LiveRun, standing: Standing | None) -> Outcome | Prompt:
        if standing is None:
            return await self._agent.run(job, live)
        if standing.prompt is not None:
            return standing.prompt
        return await self._agent.resume(job, live, None)

    async def _ask(self, prompt: Prompt, job: Job, live: LiveRun) -> Outcome | Prompt:
        """Waits for people; a run that waits takes no place among its user's."""
        self._quota.give_back(live.user_id)
        try:
            decisions = await self._desk.decisions(prompt, job, live)
        finally:
            self._quota.take(live.user_id)
        live.answered.clear()
        return await self._agent.resume(job, live, decisions)

    async def _save_partials(self, live: LiveRun) -> None:
        """What a person has seen survives a crash but for its last second."""
        saved: Message | None = None
        while True:
            await asyncio.sleep(SAVE_PARTIAL_SECONDS)
            try:
                saved = await self._save_partial(live, saved)
            except Exception:  # a disk that is full or busy now may not be later
                log.exception("what run %s has said could not be kept yet", live.run_id)

    async def _save_partial(self, live: LiveRun, saved: Message | None) -> Message | None:
        """The message that is still streaming, as it has been saved."""
        await live.save()
        partial = live.partial()
        if partial is not None and partial != saved:
            await self._runs.put(live.session_id, live.run_id, [partial])
        return partial

    async def _commit(self, row: RunRow, live: LiveRun, outcome: Outcome) -> None:
        """History first, then counts, both before the run's `done` is sent."""
        live.close()
        await self._answer_open_calls(row, live)
        usage, live.outcome = live.usage_so_far, outcome
        live.duration_ms = round((time.monotonic() - live.begun) * 1000)
        try:
            live.undoable = await self._copies.changed(row.run_id)
            ending = Ending(outcome, usage.shape(), live.error, live.undoable, live.duration_ms)
            await self._runs.end(row, live.messages, ending, counts(usage, live.messages))
            live.session = await self._sessions.get(row.user_id, row.session_id)
        except Exception:
            log.exception("the end of run %s could not be written", live.run_id)
            live.error, live.outcome = NOT_STORED, "failed"

    async def _answer_open_calls(self, row: RunRow, live: LiveRun) -> None:
        """A fault may have kept results from being told: those that changed something stand in the journal."""
        missing = self._agent.repaired(live.messages, "Not run: the run had ended.")
        if not missing:
            return
        journal = RunJournal(self._audit, row.session_id, row.run_id)
        try:
            known = await journal.results(self._agent, [(m.shape["tool_call_id"], m.shape["name"]) for m in missing])
        except Exception:
            log.exception("the journal of run %s could not be read", live.run_id)
            known = []
        for message in known:
            live.tool_end(message, message.shape["metadata"]["status"], 0)
        for message in self._agent.repaired(live.messages, "Not run: the run had ended."):
            live.tool_end(message, "stopped", 0)

    def tell_end(self, live: LiveRun) -> None:
        """The run's last events; the session takes the next message from here on."""
        if live.error is not None:
            live.publish({"type": "error", **live.error})
        if live.session is not None:
            live.tell_session("session_updated", live.session, "idle")
        usage = live.usage_so_far.shape()
        count = live.session["message_count"] if live.session is not None else 0
        done = {"type": "done", "outcome": live.outcome, "usage": usage, "message_count": count}
        done["duration_ms"] = live.duration_ms
        live.publish({**done, "undoable": True} if live.undoable else done)


def of_run(run_id: str, client_message_id: str | None) -> dict[str, Any]:
    """The metadata of a user's message."""
    return {"run_id": run_id, **of_client(client_message_id)}


def of_client(client_message_id: str | None) -> dict[str, Any]:
    return {"client_message_id": client_message_id} if client_message_id is not None else {}


def counts(usage: Usage, messages: Sequence[Message]) -> Counts:
    """A run's part of its session's counts: an answer that broke off and a tool that did not run do not count."""
    ran = [m.shape["name"] for m in messages if m.metadata.get("status") in ("success", "error")]
    return Counts(
        sum(message.counts for message in messages),
        usage.llm_calls,
        usage.input_tokens,
        usage.output_tokens,
        usage.billed,
        dict(Counter(ran)),
    )
