"""What a run of the graph holds: its state, which a checkpoint keeps, and its context, which none may keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage, RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages

from copilot_ws.agent.act import Actor
from copilot_ws.agent.history import to_langchain
from copilot_ws.agent.limits import Limiter, Spent, nothing_spent
from copilot_ws.agent.plan import Grant, Planned, Planner, Question
from copilot_ws.core.ports import Job, Outcome, Sink
from copilot_ws.labs.base import Lab
from copilot_ws.wire.errors import TokenExpired


class State(TypedDict):
    """What a checkpoint holds: the run in progress. The conversation before it is in the database.

    `messages` are this run's alone, so a checkpoint does not grow with the conversation. `calls`, `question`
    and `decisions` belong to the last answer; `grants` are left from earlier ones.
    """

    run_id: str
    messages: Annotated[list[AnyMessage], add_messages]
    spent: Spent
    outcome: Outcome
    summed_up: bool
    calls: list[Planned]
    question: Question | None
    decisions: list[dict[str, Any]]
    grants: list[Grant]


@dataclass(frozen=True, slots=True)
class RunContext:
    """What the nodes need and no checkpoint may hold: secrets, connections, the stop signal."""

    job: Job
    sink: Sink
    lab: Lab
    planner: Planner
    actor: Actor
    limiter: Limiter

    def check_token(self) -> None:
        """Nothing more is done for a user whose tokens have all expired. Raises `TokenExpired`."""
        if self.job.callers.newest(self.job.user_id) is None:
            raise TokenExpired("Your token has expired: log in again, and send your message again.")

    def cut_short(self, *, last: bool) -> dict[str, Any]:
        """What was being said is cut off: the run was stopped, or its time is up."""
        if self.job.stop.reason is not None:
            return {"outcome": "stopped", "spent": self.limiter.state()}
        self.limiter.ends(self.limiter.time())
        return {"outcome": "limited", "summed_up": last, "spent": self.limiter.state()}


def first_input(job: Job) -> State:
    """The state that a run starts with, whatever the thread's last checkpoint holds."""
    messages: list[Any] = [RemoveMessage(id=REMOVE_ALL_MESSAGES), to_langchain(job.message)]
    return {
        "run_id": job.run_id,
        "messages": messages,
        "spent": nothing_spent(),
        "outcome": "completed",
        "summed_up": False,
        "calls": [],
        "question": None,
        "decisions": [],
        "grants": [],
    }
