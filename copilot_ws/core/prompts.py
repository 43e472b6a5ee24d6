"""A prompt while it waits for people."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from copilot_ws.core.live import LiveRun
from copilot_ws.core.ports import Decision, Job, Prompt


class OpenPrompt:
    """A prompt that waits: what is asked, what has been decided so far, and when it expires."""

    def __init__(self, prompt: Prompt, job: Job, live: LiveRun, timeout: float, decided: Sequence[Decision]) -> None:
        self.id = prompt.id
        self.job, self.live = job, live
        self.timeout = timeout
        self.expires_at = prompt.asked_at + timeout if timeout else None
        self.calls = {pending.tool_call_id: pending for pending in prompt.pending}
        self.decisions = {decision.tool_call_id: decision for decision in decided}
        self.changed = asyncio.Event()

    def take(self, decided: Sequence[Decision]) -> None:
        """These stand in the log."""
        self.decisions.update({one.tool_call_id: one for one in decided})
        self.changed.set()

    @property
    def remaining(self) -> list[str]:
        return [call_id for call_id in self.calls if call_id not in self.decisions]

    def status(self) -> dict[str, Any]:
        """A HITLStatus."""
        expires = None
        if self.expires_at is not None:
            expires = datetime.fromtimestamp(self.expires_at, UTC).isoformat(timespec="milliseconds")
        return {
            "status": "waiting",
            "pending_tools": [self.calls[call_id].shape() for call_id in self.remaining],
            "hitl_session_id": self.id,
            "session_id": self.live.session_id,
            "timeout": self.timeout,
            "expires_at": expires,
        }
