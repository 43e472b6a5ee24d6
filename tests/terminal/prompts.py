"""Prompts of a server, a scripted person, and a scripted editor."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from canned_server import RUN, Frame, Line, called, content, done

from copilot_ws.terminal.keyboard import EndOfInput, Interrupted

CONFIGURE, DELETE = "execute_multiple_device_config_commands", "delete_gns3_node"
LOCAL = {"session_id": "s", "run_id": RUN}
PREVIEW = "--- R1 running-config\n+++ R1 with these lines\n@@ -1 +1 @@\n-hostname R1\n+hostname Core\n"
RUNS = [{"run_id": RUN, "session_id": "s", "status": "waiting", "started_at": "2026-01-01T00:00:00Z"}]


def pending(call_id: str = "c1", *lines: str, reason: str = "") -> Frame:
    """A PendingTool that configures R1; `reason`: why its last line is dangerous."""
    lines = lines or ("hostname Core",)
    danger = {"device_name": "R1", "command": lines[-1], "reason": reason}
    return {
        "tool_call_id": call_id,
        "tool_name": CONFIGURE,
        "tool_args": {"device_configs": [{"device_name": "R1", "config_commands": list(lines)}]},
        "danger_level": "high" if reason else "medium",
        "description": "Configure R1",
        "dangerous_commands": [danger] if reason else [],
        "devices": [{"device_name": "R1", "platform": "ios", "lines": list(lines)}],
        "preview": PREVIEW,
    }


def deletion(call_id: str = "c1") -> Frame:
    return {
        "tool_call_id": call_id,
        "tool_name": DELETE,
        "tool_args": {"node_ids": ["R2"]},
        "danger_level": "high",
        "description": "Delete R2",
        "dangerous_commands": [],
        "devices": [],
        "preview": None,
    }


def status(*calls: Frame, prompt_id: str = "h1", seconds: float = 61.9) -> Frame:
    """A HITLStatus."""
    expires = (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")
    shape = {"status": "waiting", "pending_tools": list(calls), "hitl_session_id": prompt_id}
    return {**shape, "session_id": "s", "timeout": 300, "expires_at": expires}


def resolved(*decisions: tuple[str, str, str], remaining: list[str] | None = None, reason: str = "") -> Frame:
    """`decisions`: call, decision, by."""
    told = [
        {"tool_call_id": c, "decision": d, "by": by} | ({"reason": reason} if reason else {}) for c, d, by in decisions
    ]
    return {"type": "hitl_resolved", "hitl_session_id": "h1", "decisions": told, "remaining": remaining or []}


async def ask(line: Line, *calls: Frame) -> None:
    """A run that calls tools and asks about them."""
    await line.hello()
    await line.accept()
    await line.events(*(called(c["tool_call_id"], c["tool_name"], c["tool_args"]) for c in calls))
    await line.events({"type": "hitl_required", **status(*calls)})


async def take(line: Line, name: str, decision: str, *call_ids: str, remaining: list[str] | None = None) -> Frame:
    """Takes a decision as the server does: the event first, then the result."""
    command = await line.command(name)
    await line.events(resolved(*((call_id, decision, "local") for call_id in call_ids), remaining=remaining))
    result = {"status": decision, "confirmed_count": 1, "message": f"1 call {decision}.", "remaining": remaining or []}
    await line.answer(command, result)
    return command


async def finish(line: Line, outcome: str = "completed") -> None:
    await line.events(content("Done."), done(outcome))


class Person:
    """Types these lines, one whenever it is asked; a None closes the input, and at the end it only thinks."""

    def __init__(self, *lines: str | None, present: bool = True) -> None:
        self.present = present
        self.lines = list(lines)
        self.asked = asyncio.Event()
        self._waiting: asyncio.Future[str] | None = None

    def drop_typed(self) -> None:
        pass

    async def line(self) -> str:
        await asyncio.sleep(0)
        if self.lines:
            line = self.lines.pop(0)
            if line is None:
                raise EndOfInput
            return line
        self._waiting = asyncio.get_running_loop().create_future()
        self.asked.set()
        return await self._waiting

    def interrupt(self) -> None:
        if self._waiting is not None:
            with contextlib.suppress(asyncio.InvalidStateError):
                self._waiting.set_exception(Interrupted())


def editor(folder: Path, *scripts: str) -> str:
    """A command that runs the first of these shell scripts on the file the first time, then the next ones."""
    for number, script in enumerate(scripts):
        folder.joinpath(f"edit-{number}.sh").write_text(f"{script}\n")
    program = folder / "editor.sh"
    program.write_text(
        f'#!/bin/sh\nn=$(ls "{folder}" | grep -c "^seen-"); cp -p "$1" "{folder}/seen-$n"\n'
        f'ls -ld "$1" >> "{folder}/modes"; . "{folder}/edit-$n.sh"\n'
    )
    program.chmod(0o755)
    return str(program)


Script = Any
