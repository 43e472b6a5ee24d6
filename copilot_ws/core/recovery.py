"""What a crash left behind: prompts are asked again, the rest gets a valid end. Nothing is executed twice."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from copilot_ws.core.drive import CUT_OFF, Accepted, counts, of_run
from copilot_ws.core.journal import RunJournal
from copilot_ws.core.parts import Parts
from copilot_ws.core.ports import AuditRow, Counts, Ending, RunRow, Standing
from copilot_ws.wire.limits import Controls
from copilot_ws.wire.models import ChatRequest, Message, Usage
from copilot_ws.wire.times import utcnow

log = logging.getLogger(__name__)

UNREADABLE = {"error": "The server stopped while this ran, and what it left could not be read.", "code": "internal"}


class Recovery:
    def __init__(self, parts: Parts) -> None:
        self._agent, self._runs, self._audit, self._copies = parts.agent, parts.runs, parts.audit, parts.copies

    async def leftovers(self) -> list[tuple[Accepted, list[Message]]]:
        """The runs that go on, with their messages so far; the others are ended here."""
        found: list[tuple[Accepted, list[Message]]] = []
        for row in await self._runs.unfinished():
            try:
                await self._leftover(row, found)
            except Exception:  # one row that cannot be read must not keep the others from their users
                log.exception("run %s could not be taken up", row.run_id)
                await self._runs.end(row, [], Ending("failed", Usage().shape(), UNREADABLE), Counts())
        _interrupt([accepted for accepted, _ in found])
        return found

    async def _leftover(self, row: RunRow, found: list[tuple[Accepted, list[Message]]]) -> None:
        messages = await self._runs.messages_of_run(row.run_id)
        standing = await self._standing(row)
        log_rows = await self._audit.rows(row.session_id)
        goes_on = standing is not None and messages and _goes_on(standing, log_rows)
        behind = any(accepted.row.session_id == row.session_id for accepted, _ in found)
        if goes_on or (behind and row.status == "queued"):
            again = self._again(row, messages, standing if goes_on else None)
            again.cancelled = _was_stopped(row, log_rows)
            found.append((again, messages))
        else:
            await self._end(row, messages, standing)

    async def _standing(self, row: RunRow) -> Standing | None:
        """Where the run's own checkpoint stands; the thread's newest may belong to the run before."""
        standing = await self._agent.standing(row.session_id)
        return standing if standing is not None and standing.run_id == row.run_id else None

    def _again(self, row: RunRow, messages: Sequence[Message], standing: Standing | None) -> Accepted:
        more = {"client_message_id": row.client_message_id, "on_busy": row.request.get("on_busy", "reject")}
        request = ChatRequest.model_validate({**row.request["asked"], **more})
        said = messages[0] if messages else self._said(row)
        limits = request.limits()
        limits.change(Controls.model_validate(row.limits, strict=False))
        return Accepted(row, request, said, limits, standing=standing)

    def _said(self, row: RunRow) -> Message:
        more = {"undoes": row.undoes} if row.undoes is not None else {}
        metadata = {**of_run(row.run_id, row.client_message_id), **more}
        made = self._agent.user_message(row.request["asked"]["message"], metadata)
        return Message({**made.shape, "id": row.message_id}, made.native)

    async def _end(self, row: RunRow, messages: Sequence[Message], standing: Standing | None) -> None:
        log.warning("run %s was cut off by a stop of the server", row.run_id)
        ends = [_cut_off(message) for message in messages if message.metadata.get("partial")]
        if not messages:
            ends.append(self._said(row))
        said = list({message.id: message for message in (*messages, *ends)}.values())
        results: list[Message] = []
        if standing is not None and standing.acting:
            answered = {message.shape.get("tool_call_id") for message in said}
            open_calls = [call for call in standing.calls if call[0] not in answered]
            journal = RunJournal(self._audit, row.session_id, row.run_id)
            results += await journal.results(self._agent, open_calls)
        results += self._agent.repaired([*said, *results], CUT_OFF)
        order = [call_id for message in said for call_id in message.call_ids]
        results.sort(key=lambda message: order.index(message.shape["tool_call_id"]))
        everything = [*said, *results]
        usage = self._agent.usage_of(everything)
        undoable = await self._copies.changed(row.run_id)
        ending = Ending("failed", usage.shape(), {"error": CUT_OFF, "code": "interrupted"}, undoable)
        await self._runs.end(row, [*ends, *results], ending, counts(usage, everything))


def _goes_on(standing: Standing, log_rows: Sequence[AuditRow]) -> bool:
    """A prompt waits on, or is asked now; a batch that people had decided and that had not started runs now."""
    if standing.prompt is not None or standing.deciding:
        return True
    started = {row.tool_call_id for row in log_rows if row.kind == "started" and row.run_id == standing.run_id}
    return standing.acting and standing.decided and not any(call_id in started for call_id, _ in standing.calls)


def stopped_row(run_id: str, by: str) -> AuditRow:
    """That a person has stopped a run: it does not go on after a crash."""
    return AuditRow("stopped", run_id, None, None, utcnow(), {"by": by})


def _interrupt(found: Sequence[Accepted]) -> None:
    """A message that waits and was to interrupt does so now, before what it interrupts asks anybody again."""
    waiting = [accepted for accepted in found if accepted.standing is None]
    interrupted = {accepted.row.session_id for accepted in waiting if accepted.request.on_busy == "interrupt"}
    for accepted in found:
        if accepted.standing is not None and accepted.row.session_id in interrupted:
            accepted.cancelled = True


def _was_stopped(row: RunRow, log_rows: Sequence[AuditRow]) -> bool:
    """Then what people had confirmed before does not run either. A stop decides what a prompt still asks."""
    of_run = [entry for entry in log_rows if entry.run_id == row.run_id]
    return any(entry.kind == "stopped" or entry.data.get("decision") == "cancelled" for entry in of_run)


def _cut_off(message: Message) -> Message:
    kept = {key: value for key, value in message.metadata.items() if key != "partial"}
    return Message({**message.shape, "metadata": {**kept, "incomplete": True}}, message.native)
