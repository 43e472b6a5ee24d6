"""What the core needs of a database: conversations, runs, the audit log, copies of devices; and of users' models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from copilot_ws.labs.base import Platform
from copilot_ws.wire.models import Message


class AlreadyThere(Exception):
    """A message was accepted, or a call decided or started, before."""


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


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A user's model configuration with its key in the clear: only for making a model of it."""

    config: dict[str, Any]
    api_key: str = field(repr=False)


class StoredModels(Protocol):
    """The model configurations that users keep."""

    async def default_of(self, user_id: str) -> StoredModel | None:
        """None: the user has none. Raises `LlmError` if its key cannot be read."""
