"""The audit log as prompts use it: what was asked, which decision of a call is the one that counts, who was faster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from copilot_ws.core.live import LiveRun
from copilot_ws.core.ports import AlreadyThere, Audit, AuditRow, Copies, Decision, Job, Prompt
from copilot_ws.core.prompts import OpenPrompt
from copilot_ws.core.stories import stories
from copilot_ws.wire.errors import AlreadyResolved
from copilot_ws.wire.times import utcnow


class Ledger:
    def __init__(self, audit: Audit, copies: Copies) -> None:
        self._audit, self._copies = audit, copies

    async def opened(self, prompt: Prompt, job: Job, live: LiveRun, seconds: float) -> OpenPrompt:
        """The prompt with what was decided before; `asked`, with its deadline, which never moves, is logged once."""
        rows = [row for row in await self._audit.rows(live.session_id) if row.hitl_session_id == prompt.id]
        decided = [Decision(**row.data) for row in rows if row.kind == "decided"]
        asked = next((row for row in rows if row.kind == "asked"), None)
        opened = OpenPrompt(prompt, job, live, seconds if asked is None else asked.data["timeout"], decided)
        if asked is None:
            calls = [pending.shape() for pending in prompt.pending]
            data = {"calls": calls, "timeout": opened.timeout}
            await self._audit.append(live.session_id, [AuditRow("asked", live.run_id, prompt.id, None, utcnow(), data)])
        return opened

    async def take(self, opened: OpenPrompt, decided: Sequence[Decision]) -> None:
        """The compare and set: only one decision of a call can be in the log. Raises `AlreadyResolved`."""
        live = opened.live
        rows = [AuditRow("decided", live.run_id, opened.id, one.tool_call_id, one.at, one.shape()) for one in decided]
        try:
            await self._audit.append(live.session_id, rows)
        except AlreadyThere:
            opened.take(await self._of_prompt(live.session_id, opened.id))  # whatever this process missed
            ids = [one.tool_call_id for one in decided]
            raise await self.resolved(live.session_id, opened.id, ids) from None
        opened.take(decided)

    async def decided_calls(self, session_id: str) -> set[str]:
        """The calls of all prompts about which there is a decision."""
        return {decision.tool_call_id for _, decision in await self._decisions(session_id)}

    async def resolved(self, session_id: str, prompt_id: str | None, call_ids: Sequence[str]) -> AlreadyResolved:
        """Who was faster, and when: about one of these calls, else of this prompt, else the newest."""
        every = await self._decisions(session_id)
        of_prompt = [found for found in every if prompt_id is None or found[0] == prompt_id] or every
        newest = ([found for found in of_prompt if found[1].tool_call_id in call_ids] or of_prompt)[-1:]
        if not newest:
            return AlreadyResolved("Nothing waits for a decision in this session.")
        return already(newest[0][1])

    async def history(self, session_id: str) -> list[dict[str, Any]]:
        """What was asked, decided, by whom, with which arguments, and what came of it; newest last."""
        return stories(await self._audit.rows(session_id), await self._copies.of_session(session_id))

    async def _of_prompt(self, session_id: str, prompt_id: str) -> list[Decision]:
        return [decision for found, decision in await self._decisions(session_id) if found == prompt_id]

    async def _decisions(self, session_id: str) -> list[tuple[str | None, Decision]]:
        """(prompt id, decision), oldest first."""
        rows = await self._audit.rows(session_id)
        return [(row.hitl_session_id, Decision(**row.data)) for row in rows if row.kind == "decided"]


def already(decision: Decision) -> AlreadyResolved:
    details = {"tool_call_id": decision.tool_call_id, "decision": decision.decision}
    return AlreadyResolved(
        f"This was {decision.decision} by {decision.by} already.",
        {**details, "by": decision.by, "decided_at": decision.at},
    )
