"""Reads the audit log as people want it: what was asked, who decided what, what came of it, what it changed."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from copilot_ws.core.ports import AuditRow, DeviceCopy
from copilot_ws.wire.text import shorten

SHOWN_CHARACTERS = 32768
"""Of a configuration, and of a difference."""


def stories(rows: Sequence[AuditRow], copies: Sequence[DeviceCopy]) -> list[dict[str, Any]]:
    """The entries of hitl/history, oldest first."""
    return [_story(row, rows, copies) for row in rows if row.kind == "asked"]


def _story(asked: AuditRow, rows: Sequence[AuditRow], copies: Sequence[DeviceCopy]) -> dict[str, Any]:
    """One entry of hitl/history."""
    prompt_id = asked.hitl_session_id
    decided = {r.tool_call_id: r for r in rows if r.kind == "decided" and r.hitl_session_id == prompt_id}
    calls = [_call_story(call, decided.get(call["tool_call_id"]), rows, asked) for call in asked.data["calls"]]
    complete = len(decided) == len(calls)
    return {
        "hitl_session_id": prompt_id,
        "run_id": asked.run_id,
        "asked_at": asked.at,
        "resolved_at": max(row.at for row in decided.values()) if complete else None,
        "calls": calls,
        "devices": [_device(copy) for copy in copies if copy.run_id == asked.run_id and _of_story(copy, asked, rows)],
    }


def _of_story(copy: DeviceCopy, asked: AuditRow, rows: Sequence[AuditRow]) -> bool:
    """Whether the call was asked about here, or ran because a person had answered with it here."""
    call_id = copy.tool_call_id
    granted = [r.data["used_by"] for r in rows if r.kind == "granted" and r.hitl_session_id == asked.hitl_session_id]
    return call_id in granted or any(call["tool_call_id"] == call_id for call in asked.data["calls"])


def _device(copy: DeviceCopy) -> dict[str, Any]:
    return {
        "tool_call_id": copy.tool_call_id,
        "device_name": copy.device_name,
        "before": _bounded(copy.before),
        "after": _bounded(copy.after),
        "diff": _bounded(_difference(copy)),
        "missing": copy.missing or None,
    }


def _difference(copy: DeviceCopy) -> str | None:
    """A unified diff, "" if nothing differs; None if one side is not known."""
    if copy.before is None or copy.after is None:
        return None
    lines = difflib.unified_diff(copy.before.splitlines(), copy.after.splitlines(), "before", "after", lineterm="")
    return "\n".join(lines)


def _bounded(text: str | None) -> str | None:
    return None if text is None else shorten(text, SHOWN_CHARACTERS)


def _call_story(
    call: dict[str, Any], decided: AuditRow | None, rows: Sequence[AuditRow], asked: AuditRow
) -> dict[str, Any]:
    decision = decided.data if decided is not None else {}
    return {
        "tool_call_id": call["tool_call_id"],
        "tool_name": call["tool_name"],
        "tool_args": call["tool_args"],
        "danger_level": call["danger_level"],
        "decision": decision.get("decision"),
        "by": decision.get("by"),
        "decided_at": decision.get("at"),
        "reason": decision.get("reason"),
        "final_args": decision.get("arguments") or (call["tool_args"] if decision else None),
        "status": _came_of(call["tool_call_id"], decision, rows, asked),
    }


def _came_of(call_id: str, decision: dict[str, Any], rows: Sequence[AuditRow], asked: AuditRow) -> str:
    kind = decision.get("decision")
    if kind is None:
        return "waiting"
    if kind in ("rejected", "expired"):
        return str(kind)
    if kind == "cancelled":
        return "stopped"
    if decision.get("apply") == "regenerate":
        used = next((r for r in rows if r.kind == "granted" and _same(r, asked, call_id)), None)
        if used is None:
            return "not executed"
        call_id = used.data["used_by"]
    of_call = [row for row in rows if row.run_id == asked.run_id and row.tool_call_id == call_id]
    ended = next((row for row in of_call if row.kind == "ended"), None)
    if ended is not None:
        return str(ended.data["status"])
    return "unknown" if any(row.kind == "started" for row in of_call) else "not executed"


def _same(row: AuditRow, asked: AuditRow, call_id: str) -> bool:
    return row.hitl_session_id == asked.hitl_session_id and row.tool_call_id == call_id
