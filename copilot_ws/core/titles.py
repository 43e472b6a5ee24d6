"""Names conversations: after the first answer, outside of the run, and never over a person's title."""

from __future__ import annotations

import logging

from copilot_ws.core.live import LiveRun
from copilot_ws.core.ports import Agent, Counts, Sessions
from copilot_ws.wire.errors import LlmError
from copilot_ws.wire.models import Usage

log = logging.getLogger(__name__)


async def name_session(agent: Agent, sessions: Sessions, live: LiveRun) -> bool:
    """Whether the session has a generated title now. A model that fails leaves it for the next answer."""
    if not await sessions.wants_title(live.session_id):
        return False
    try:
        title = await agent.title(live.user_id, live.messages)
    except LlmError as fault:
        log.warning("no title was generated: %s", fault.fault)
        return False
    await sessions.set_generated_title(live.session_id, title.text, _counts(live.usage_so_far, title.usage))
    return True


def _counts(turn: Usage, title: Usage) -> Counts:
    """The turn's last model call is now the title's: its input takes the place of the one counted so far."""
    more = title.input_tokens - turn.input_tokens if title.input_tokens else 0
    return Counts(0, 1, more, title.output_tokens, title.billed)
