"""One run's part of the audit log: what it starts, what came of it, and which grants it uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from copilot_ws.core.ports import Agent, AlreadyThere, Audit, AuditRow, ToolStatus
from copilot_ws.wire.models import Message
from copilot_ws.wire.times import utcnow

UNKNOWN = '{"error":"Unknown: this had started when it was cut off. It may have been applied: check the device."}'


class RunJournal:
    """See `core.ports.Journal`."""

    def __init__(self, audit: Audit, session_id: str, run_id: str) -> None:
        self._audit, self._session_id, self._run_id = audit, session_id, run_id

    async def started(self, call_id: str, tool: str, arguments: dict[str, Any]) -> bool:
        try:
            await self._write("started", None, call_id, {"tool_name": tool, "args": arguments})
        except AlreadyThere:
            return False
        return True

    async def ended(self, call_id: str, status: ToolStatus, result: str) -> None:
        await self._write("ended", None, call_id, {"status": status, "result": result})

    async def granted(self, hitl_session_id: str, call_id: str, used_by: str) -> None:
        await self._write("granted", hitl_session_id, call_id, {"used_by": used_by})

    async def _write(self, kind: str, prompt_id: str | None, call_id: str, data: dict[str, Any]) -> None:
        row = AuditRow(kind, self._run_id, prompt_id, call_id, utcnow(), data)
        await self._audit.append(self._session_id, [row])

    async def results(self, agent: Agent, calls: Sequence[tuple[str, str]]) -> list[Message]:
        """What the log knows of calls (id, name) without a result; `unknown` for one that had only started."""
        rows = [row for row in await self._audit.rows(self._session_id) if row.run_id == self._run_id]
        started = {row.tool_call_id for row in rows if row.kind == "started"}
        ended = {row.tool_call_id: row.data for row in rows if row.kind == "ended"}
        changed = {
            row.tool_call_id: row.data["arguments"]
            for row in rows
            if row.kind == "decided" and row.data["apply"] == "direct"
        }
        found = []
        for call_id, name in calls:
            if call_id in ended:
                data = ended[call_id]
                found.append(agent.tool_result(call_id, name, data["result"], data["status"], changed.get(call_id)))
            elif call_id in started:
                await self.ended(call_id, "unknown", UNKNOWN)
                found.append(agent.tool_result(call_id, name, UNKNOWN, "unknown", changed.get(call_id)))
        return found
