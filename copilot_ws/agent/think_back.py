"""The first step of a run that takes another one back, in the place of a model call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime

from copilot_ws.agent.state import RunContext, State
from copilot_ws.agent.undo import Undoer
from copilot_ws.core.ports import Stopped


@dataclass(frozen=True, slots=True)
class UndoContext(RunContext):
    undoer: Undoer


async def think_back(state: State, runtime: Runtime[UndoContext]) -> dict[str, Any]:
    """One answer of the `Undoer`. Nothing of it counts as a model call. Raises `TokenExpired`."""
    context, limiter = runtime.context, runtime.context.limiter
    limiter.take_up(state["spent"])
    context.check_token()
    try:
        answer = await context.job.stop.run(context.undoer.answer(state["messages"]), name="undo")
    except Stopped:
        return context.cut_short(last=True)
    return {"messages": [answer], "spent": limiter.state(), "outcome": state["outcome"], "summed_up": True}
