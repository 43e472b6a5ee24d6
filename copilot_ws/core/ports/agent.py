"""What the core needs of an agent, and the job that it gives to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from copilot_ws.core.ports.asking import Decision, Judged, Pending, Prompt
from copilot_ws.core.ports.run import Journal, Outcome, Sink, Stop, Tokens, ToolStatus
from copilot_ws.core.ports.store import Copies
from copilot_ws.labs.base import Caller, Project
from copilot_ws.wire.limits import RunLimits
from copilot_ws.wire.models import Message, Usage


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the checkpoint of a run that a crash cut off stands.

    `prompt`: it waits for a person. `deciding`: it was about to ask. `acting`: its calls were to run, or
    some of them have; `decided` then says whether a person had decided about them.
    """

    run_id: str
    prompt: Prompt | None = None
    deciding: bool = False
    acting: bool = False
    decided: bool = False
    calls: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Job:
    """One run: `history` is the conversation before `message`, the user's.

    `results` are those that calls had got before a crash: such a call does not run again. `undoes` is the run
    whose changes this one takes back; no model is asked then.
    """

    run_id: str
    session_id: str
    user_id: str
    callers: Tokens
    project: Project
    message: Message
    history: list[Message]
    limits: RunLimits
    journal: Journal
    copies: Copies
    temperature: float | None = None
    max_tokens: int | None = None
    stop: Stop = field(default_factory=Stop)
    results: dict[str, Message] = field(default_factory=dict)
    undoes: str | None = None

    @property
    def caller(self) -> Caller:
        """On whose behalf the lab is asked: the user with the newest token, or with none."""
        return self.callers.newest(self.user_id) or Caller(self.user_id)


@dataclass(frozen=True, slots=True)
class Title:
    """A generated title (empty: the model gave none) and what its model call cost."""

    text: str
    usage: Usage


class Agent(Protocol):
    """Answers one message after the other. One agent serves one project."""

    def user_message(self, text: str, metadata: dict[str, Any]) -> Message:
        """A person's text as a message, with its id."""

    async def run(self, job: Job, sink: Sink) -> Outcome | Prompt:
        """Runs until it ends or has to ask a person.

        Raises `LlmError` when the model failed; what was said before then stays.
        """

    async def resume(self, job: Job, sink: Sink, decisions: Sequence[Decision] | None) -> Outcome | Prompt:
        """Goes on where the run's checkpoint stands, with what was decided (None: nothing was asked yet)."""

    async def standing(self, session_id: str) -> Standing | None:
        """Where the thread's newest checkpoint stands; None: it has none."""

    async def judge(self, job: Job, pending: Pending, arguments: dict[str, Any]) -> Judged:
        """Arguments with which a person wants to replace a call's. Raises `InvalidArgument`."""

    async def estimate(self, job: Job) -> dict[str, Any]:
        """`{input_tokens, cost_usd}` of the run's first model call, roughly; cost "unknown" without a price."""

    async def title(self, user_id: str, messages: Sequence[Message]) -> Title:
        """A short title for the user's conversation. Raises `LlmError`."""

    def repaired(self, messages: Sequence[Message], reason: str) -> list[Message]:
        """The tool messages that the end of this conversation lacks: one per unanswered call."""

    def tool_result(
        self, call_id: str, name: str, text: str, status: ToolStatus, executed: dict[str, Any] | None
    ) -> Message:
        """A tool message that a crash kept from being written; `executed`: the arguments of a person."""

    def usage_of(self, messages: Sequence[Message]) -> Usage:
        """What the model calls behind these messages cost, as far as the messages tell."""

    async def older_messages(self, session_id: str) -> list[Message]:
        """The conversation of a thread whose checkpoints hold it, as older versions kept it."""

    async def close(self) -> None: ...
