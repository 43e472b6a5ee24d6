"""What the core needs of an agent and gives to it; neither side imports the other."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol, TypeVar

from copilot_ws.labs.base import Caller, Platform, Project
from copilot_ws.wire.limits import RunLimits
from copilot_ws.wire.models import Message, Usage

T = TypeVar("T")
Outcome = Literal["completed", "stopped", "failed", "limited"]
StopReason = Literal["user", "interrupt", "delete", "project_closed", "shutdown"]
ToolStatus = Literal["success", "error", "rejected", "replaced", "expired", "limited", "stopped", "unknown"]


DangerLevel = Literal["low", "medium", "high"]
DecisionKind = Literal["confirmed", "rejected", "modified", "expired", "cancelled"]
Apply = Literal["direct", "regenerate"]


class Stopped(Exception):
    """The run was told to stop while this work went on; the work has been cancelled."""


class Stop:
    """The one signal that ends a run early. Whatever waits in a run waits through `run`."""

    def __init__(self) -> None:
        self.reason: StopReason | None = None
        self._running: set[asyncio.Task[Any]] = set()
        self._told: asyncio.Event | None = None

    def notify(self, event: asyncio.Event) -> None:
        """Sets `event` when the run is stopped, for one who waits for several things."""
        self._told = event

    def set(self, reason: StopReason) -> None:
        """Tells the run to stop; the first reason stays."""
        if self.reason is None:
            self.reason = reason
            for task in self._running:
                task.cancel()
            if self._told is not None:
                self._told.set()

    def interrupt(self) -> None:
        """Cancels what goes on now, which raises `Stopped`; what begins later may run."""
        for task in self._running:
            task.cancel()

    async def run(self, work: Coroutine[Any, Any, T], *, name: str) -> T:
        """The result of `work`, which is cancelled when the run is stopped: raises `Stopped`."""
        if self.reason is not None:
            work.close()
            raise Stopped
        try:
            async with asyncio.TaskGroup() as group:
                task = group.create_task(work, name=name)
                self._running.add(task)
                task.add_done_callback(self._running.discard)
        except ExceptionGroup as faults:
            raise faults.exceptions[0] from None
        if task.cancelled():
            raise Stopped
        return task.result()


class Tokens(Protocol):
    """The users' tokens that are valid now."""

    def newest(self, user_id: str) -> Caller | None:
        """None: the user has none."""


class Journal(Protocol):
    """The record of what changes a device, in the database before and after it happens."""

    async def started(self, call_id: str, tool: str, arguments: dict[str, Any]) -> bool:
        """Whether this call may start: False if it has started before. True is committed by then."""

    async def ended(self, call_id: str, status: ToolStatus, result: str) -> None: ...

    async def granted(self, hitl_session_id: str, call_id: str, used_by: str) -> None:
        """A call that a person changed has come back from the model as call `used_by`, and runs."""


@dataclass(frozen=True, slots=True)
class DeviceCopy:
    """What a device was configured as before and after one call changed it, as it shows it.

    `before` is None where no copy could be made, `missing` says why; `after` is None while, or if, it is not known.
    """

    run_id: str
    tool_call_id: str
    node_id: str
    device_name: str
    platform: Platform
    before: str | None = None
    after: str | None = None
    missing: str = ""


class Copies(Protocol):
    """The copies of a project's devices. They belong to their session."""

    async def put(self, session_id: str, copy: DeviceCopy) -> None:
        """Commits it; the same device's copy of the same call is replaced."""

    async def of_run(self, run_id: str) -> list[DeviceCopy]:
        """In the order of the changes."""

    async def of_session(self, session_id: str) -> list[DeviceCopy]:
        """In the order of the changes."""

    async def changed(self, run_id: str) -> bool:
        """Whether a device is, or may be, configured otherwise than before the run, and there is a copy of that."""


class Sink(Protocol):
    """What a run says while it goes. Nothing here waits for a client."""

    def content(self, message_id: str, text: str) -> None: ...

    def reasoning(self, message_id: str, text: str) -> None: ...

    def tool_call(self, message_id: str, call_id: str, name: str, arguments: str, complete: bool) -> None: ...

    def message(self, message: Message) -> None:
        """A whole assistant message; it stands in history from now on."""

    def tool_start(self, call_id: str, name: str) -> None: ...

    def tool_progress(self, call_id: str, name: str, device: str | None, done: int, total: int, text: str) -> None: ...

    def tool_end(self, message: Message, status: ToolStatus, duration_ms: int) -> None:
        """A call's one result; its tool message stands in history from now on.

        Arguments that a person changed stand in the message's metadata as `executed_args`.
        """

    def usage(self, model: str, input_tokens: int, output_tokens: int, cost_usd: float | None, cut: bool) -> None:
        """One model call; a cost of None is unknown. `cut`: a limit of length ended its answer."""

    def llm_retry(self, attempt: int, of: int, delay_seconds: float, code: str, text: str) -> None:
        """A model call failed before its first token, and is made again after a pause."""

    def limit_reached(self, limit: str, value: float, text: str) -> None: ...

    async def save(self) -> None:
        """Returns once what was said so far is in the database."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A call that waits for a person (PendingTool, contract section 4)."""

    tool_call_id: str
    tool_name: str
    tool_args: dict[str, Any]
    danger_level: DangerLevel
    description: str
    dangerous_commands: list[dict[str, str]]
    devices: list[dict[str, Any]]
    preview: str | None = None

    def shape(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a paused run asks a person. `id` is the interrupt's, `asked_at` seconds since the epoch."""

    id: str
    asked_at: float
    pending: tuple[Pending, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one call. `arguments` are the person's own (`modified`), with how to apply them.

    `targets` are the ids that their names meant, `danger_level` what the person knew of them.
    """

    tool_call_id: str
    decision: DecisionKind
    by: str
    at: str
    reason: str | None = None
    arguments: dict[str, Any] | None = None
    apply: Apply | None = None
    targets: dict[str, str] | None = None
    danger_level: DangerLevel | None = None

    def shape(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Judged:
    """A call's arguments as a person changed them, checked by the tool and by the danger rules."""

    arguments: dict[str, Any]
    danger_level: DangerLevel
    dangerous_commands: list[dict[str, str]]
    summary: str
    targets: dict[str, str] | None


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


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as it stands in the database. `status`: queued, running or ended."""

    run_id: str
    session_id: str
    user_id: str
    client_message_id: str | None
    request: dict[str, Any]
    message_id: str
    status: str
    created_at: str
    limits: dict[str, Any] = field(default_factory=dict)

    @property
    def undoes(self) -> str | None:
        """The run whose changes this one takes back."""
        return self.request.get("undoes")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended. `usage` is that of its `done`, `error` `{error, code}` where there was one.

    `undoable`: it changed a device of which there is a copy. `duration_ms`: None after a crash.
    """

    outcome: str
    usage: dict[str, Any]
    error: dict[str, str] | None = None
    undoable: bool = False
    duration_ms: int | None = None

    def facts(self) -> dict[str, Any]:
        """As metadata of the user's message."""
        facts: dict[str, Any] = {"outcome": self.outcome, "usage": self.usage}
        if self.error is not None:
            facts["error"] = {"code": self.error["code"], "message": self.error["error"]}
        if self.duration_ms is not None:
            facts["duration_ms"] = self.duration_ms
        return {**facts, "undoable": True} if self.undoable else facts


@dataclass(frozen=True, slots=True)
class Counts:
    """What a run, or a title call, adds to its session."""

    messages: int = 0
    llm_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    billed: dict[str, dict[str, int]] = field(default_factory=dict)
    tool_calls: dict[str, int] = field(default_factory=dict)


class Sessions(Protocol):
    """The sessions of a project. A session is a ChatSession without its `status`."""

    async def get(self, user_id: str, session_id: str) -> dict[str, Any]:
        """Raises `NotFound`, also for somebody else's session."""

    async def find(self, user_id: str, session_id: str) -> dict[str, Any] | None:
        """The session, None if the id is free. Raises `NotFound` if it is another's or was deleted."""

    async def page(
        self, user_id: str, limit: int, cursor: str | None, query: str | None = None
    ) -> tuple[list[dict[str, Any]], str | None]:
        """Pinned first, then newest first; and where the next page begins, None at the end.

        With a `query` only those whose title, or one of whose messages, contains it.
        """

    async def rename(self, user_id: str, session_id: str, title: str) -> dict[str, Any]: ...

    async def pin(self, user_id: str, session_id: str, pinned: bool) -> dict[str, Any]: ...

    async def wants_title(self, session_id: str) -> bool:
        """Whether neither a person nor a model has named it."""

    async def set_generated_title(self, session_id: str, title: str, counts: Counts) -> None:
        """Counts the title call and sets its title, unless a person was faster."""

    async def delete(self, session_id: str, by: str) -> None:
        """Removes every row of the thread; its id is used up."""


class Runs(Protocol):
    """The runs and messages of a project."""

    async def accept(self, run: RunRow, message: Message | None, replaces: str | None) -> bool:
        """Commits a new run, its session if it is new, and its message (None: it is queued).

        The user's message `replaces` leaves the conversation with all that follows it. Returns whether the session
        is new. Raises `AlreadyThere` for a client_message_id used before, `NotFound` and `InvalidArgument` for
        what cannot be replaced.
        """

    async def begin(self, run_id: str, session_id: str, message: Message) -> None:
        """A queued run starts: its message enters the conversation now."""

    async def set_limits(self, run_id: str, limits: dict[str, Any]) -> None: ...

    async def put(self, session_id: str, run_id: str, messages: Sequence[Message]) -> None:
        """Writes messages in order; one that is there already is replaced in its place."""

    async def end(self, run: RunRow, messages: Sequence[Message], ending: Ending, counts: Counts) -> None:
        """The run's last messages, its end and its counts, once: a second call changes no count.

        How it ended stands in the user's message as well, so that a history tells it.
        """

    async def find(self, user_id: str, run_id: str) -> RunRow:
        """Raises `NotFound`, also for somebody else's run."""

    async def result(self, run_id: str) -> Ending | None:
        """None for a run that is gone or has not ended."""

    async def of_client_message(self, user_id: str, client_message_id: str) -> RunRow | None: ...

    async def only_in_checkpoints(self) -> list[str]:
        """Sessions of an older version: they have checkpoints, but no messages here."""

    async def unfinished(self) -> list[RunRow]:
        """Runs that a crash left behind, oldest first."""

    async def messages(self, session_id: str, without_run: str | None = None) -> list[Message]:
        """The whole conversation, oldest first."""

    async def messages_of_run(self, run_id: str) -> list[Message]: ...

    async def page(
        self, session_id: str, limit: int | None, before: str | None, without_run: str | None
    ) -> tuple[list[Message], bool] | None:
        """The last `limit` (None: all) messages before message `before`, oldest first, and whether there are older.

        None if there is no message `before`.
        """


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One entry of a session's audit log; `data` is JSON.

    `kind`: asked, decided, started, ended, granted, or stopped (by a person: the run does not go on after a crash).
    """

    kind: str
    run_id: str
    hitl_session_id: str | None
    tool_call_id: str | None
    at: str
    data: dict[str, Any]


class Audit(Protocol):
    """The append-only log of what was asked, decided and done, chained by hash per session."""

    async def append(self, session_id: str, rows: Sequence[AuditRow]) -> None:
        """All of them or none. Raises `AlreadyThere` for a second decision or start of one call."""

    async def rows(self, session_id: str) -> list[AuditRow]:
        """Oldest first."""


class AlreadyThere(Exception):
    """A message was accepted, or a call decided or started, before."""


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A user's model configuration with its key in the clear: only for making a model of it."""

    config: dict[str, Any]
    api_key: str = field(repr=False)


class StoredModels(Protocol):
    """The model configurations that users keep."""

    async def default_of(self, user_id: str) -> StoredModel | None:
        """None: the user has none. Raises `LlmError` if its key cannot be read."""
