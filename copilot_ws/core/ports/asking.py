"""What a person is asked about a call, and what was decided."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

DangerLevel = Literal["low", "medium", "high"]

DecisionKind = Literal["confirmed", "rejected", "modified", "expired", "cancelled"]

Apply = Literal["direct", "regenerate"]


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
