"""One run's part of the audit log: what it starts, what came of it, and which grants it uses."""

from __future__ import annotations

from typing import Any

from copilot_ws.core.ports import AlreadyThere, Audit, AuditRow, ToolStatus
from copilot_ws.wire.times import utcnow


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
