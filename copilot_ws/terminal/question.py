"""An open question as this terminal knows it: its calls, which of them wait, and what others decided."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from copilot_ws.terminal.wording import cut, visible


@dataclass(frozen=True, slots=True)
class Danger:
    """A line that would do harm, and why."""

    device: str
    command: str
    reason: str

    @property
    def words(self) -> str:
        whose = f"{self.device}: " if self.device else ""
        return visible(f"{whose}{self.command}: {self.reason}" if self.command else f"{whose}{self.reason}")


@dataclass(frozen=True, slots=True)
class Lines:
    """What one device would be sent."""

    device: str
    platform: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call that waits for a person (PendingTool)."""

    id: str
    tool: str
    arguments: dict[str, Any]
    level: str
    description: str
    dangers: tuple[Danger, ...]
    devices: tuple[Lines, ...]
    preview: str | None

    @property
    def dangerous(self) -> bool:
        return self.level == "high"


class Question:
    """A prompt. `mine` are the calls about which this terminal has sent a decision."""

    def __init__(self, status: Mapping[str, Any]) -> None:
        self.id = str(status["hitl_session_id"])
        self.session_id = str(status["session_id"])
        self.calls = {call.id: call for call in map(_call, status["pending_tools"])}
        self.mine: set[str] = set()
        self._noted: set[str] = set()
        self._open = list(self.calls)
        self._deadline = _deadline(status)

    @property
    def remaining(self) -> list[Call]:
        return [self.calls[call_id] for call_id in self._open]

    def narrow(self, remaining: Iterable[str]) -> None:
        """Only these still wait; one that was decided never waits again."""
        kept = set(remaining)
        self._open = [call_id for call_id in self._open if call_id in kept]

    def place(self, call: Call) -> str:
        """Which of several calls this is; "" for the only one."""
        if len(self.calls) == 1:
            return ""
        return f"{list(self.calls).index(call.id) + 1} of {len(self.calls)}: "

    @property
    def time_left(self) -> str:
        """How long a decision may take, in words; "" if it may take for ever."""
        if self._deadline is None:
            return ""
        seconds = max(0, round(self._deadline - time.monotonic()))
        minutes = f"{seconds // 60} min " if seconds >= 60 else ""
        return f"{minutes}{seconds % 60} s left"

    def noted(self, call_ids: Iterable[str], decision: str) -> str:
        """What this terminal has decided, in words; "" for what they have been said about before.

        The server's event and its answer both tell it, in either order.
        """
        new = set(call_ids) - self._noted
        self._noted |= new
        return f"{len(new)} {'call' if len(new) == 1 else 'calls'} {decision}." if new else ""

    def told(self, decision: Mapping[str, Any]) -> str:
        """What somebody else decided about one of the calls."""
        call = self.calls.get(str(decision["tool_call_id"]))
        what = call.tool if call is not None else str(decision["tool_call_id"])
        by, reason = visible(str(decision["by"])), cut(visible(str(decision.get("reason") or "")))
        match decision["decision"]:
            case "expired":
                return f"Nobody has decided in time: {what} is not run."
            case "cancelled":
                return f"The run was stopped by {by}: {what} is not run."
            case "rejected" if reason:
                return f"{what} was rejected elsewhere by {by}: {reason}"
            case kind:
                return f"{what} was {kind} elsewhere by {by}."


def _deadline(status: Mapping[str, Any]) -> float | None:
    """On this machine's clock, which may differ from the server's: never later than the whole time from now."""
    if status.get("expires_at") is None:
        return None
    left = datetime.fromisoformat(status["expires_at"]).timestamp() - time.time()
    whole = status.get("timeout")
    return time.monotonic() + (min(left, float(whole)) if whole else left)


def _call(shape: Mapping[str, Any]) -> Call:
    return Call(
        str(shape["tool_call_id"]),
        str(shape["tool_name"]),
        dict(shape["tool_args"]),
        str(shape["danger_level"]),
        str(shape["description"]),
        tuple(dangers_of(shape.get("dangerous_commands") or ())),
        tuple(_devices(shape.get("devices") or ())),
        shape.get("preview"),
    )


def dangers_of(shapes: Sequence[Mapping[str, Any]]) -> list[Danger]:
    return [
        Danger(str(one.get("device_name") or ""), str(one.get("command") or ""), str(one.get("reason") or ""))
        for one in shapes
    ]


def _devices(shapes: Sequence[Mapping[str, Any]]) -> list[Lines]:
    return [
        Lines(str(one["device_name"]), str(one.get("platform") or ""), tuple(map(str, one.get("lines") or ())))
        for one in shapes
    ]
