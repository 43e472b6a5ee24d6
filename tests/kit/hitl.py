"""Asking a person: calls that need one, the prompt as a test answers it, and what the devices got."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copilot_ws.store.audit import Verified
from copilot_ws.store.verify import verify_all
from kit.conversation import Turn
from kit.scripted_llm import Answer, Call, Part, ScriptedLlm, call, say
from kit.server import User
from kit.socket import Refused, Socket
from kit.waiting import eventually

Json = dict[str, Any]
CONFIGURE = "execute_multiple_device_config_commands"
SLOW = "do ping 203.0.113.1 repeat 1"
"""A line that keeps a router busy for two seconds."""


# calls


def configure(device: str, *lines: str) -> Call:
    return configure_each({device: lines})


def configure_each(lines_of: Mapping[str, Sequence[str]]) -> Call:
    configs = [{"device_name": name, "config_commands": list(lines)} for name, lines in lines_of.items()]
    return call(CONFIGURE, {"device_configs": configs})


def describe(device: str, *marks: str) -> Call:
    """A harmless configuration whose lines `description <mark>` can be found in the device's log."""
    return configure(device, "interface Loopback50", *(f"description {mark}" for mark in marks))


def arguments(made: Call) -> Json:
    return json.loads(made.arguments)


def repeated(made: Call) -> Call:
    """The same call once more, under an id of its own."""
    return call(made.name, arguments(made))


# a prompt


@dataclass
class Question:
    """A prompt, and the run that waits for its answer. Decisions go through `socket` unless another `tab` is given."""

    socket: Socket
    sent: Json
    prompt: Json

    @property
    def id(self) -> str:
        return str(self.prompt["hitl_session_id"])

    @property
    def session_id(self) -> str:
        return str(self.sent["session_id"])

    @property
    def run_id(self) -> str:
        return str(self.sent["run_id"])

    @property
    def pending(self) -> list[str]:
        return pending(self.prompt)

    async def confirm(self, *calls: Call, tab: Socket | None = None, **more: Any) -> Json:
        """All of them if none is named."""
        return await self._decide("hitl.confirm", tab, **which("confirm_all", calls), **more)

    async def reject(self, *calls: Call, tab: Socket | None = None, **more: Any) -> Json:
        return await self._decide("hitl.reject", tab, **which("reject_all", calls), **more)

    async def modify(self, made: Call, new: Call | Json, *, tab: Socket | None = None, **more: Any) -> Json:
        wanted = arguments(new) if isinstance(new, Call) else new
        return await self._decide("hitl.modify", tab, tool_call_id=made.id, modified_args=wanted, **more)

    async def _decide(self, kind: str, tab: Socket | None, **more: Any) -> Json:
        return await (tab or self.socket).command(kind, session_id=self.session_id, **more)

    async def status(self) -> Json:
        return await self.socket.command("hitl.status", session_id=self.session_id)

    async def resolved(self, number: int = 1) -> Json:
        return await self.socket.frame("hitl_resolved", number, session_id=self.session_id)

    async def again(self) -> Question:
        """The next prompt of the same run."""
        prompts = [prompt["hitl_session_id"] for prompt in self.socket.of("hitl_required", run_id=self.run_id)]
        prompt = await self.socket.frame("hitl_required", prompts.index(self.id) + 2, run_id=self.run_id)
        return Question(self.socket, self.sent, prompt)

    async def end(self) -> Turn:
        return await self.socket.end_of(self.sent)


def which(everything: str, calls: Sequence[Call]) -> Json:
    return {"tool_call_ids": [made.id for made in calls]} if calls else {everything: True}


def pending(status: Json) -> list[str]:
    return [tool["tool_call_id"] for tool in status["pending_tools"]]


async def ask(
    llm: ScriptedLlm, socket: Socket, *parts: Part, then: Sequence[Answer] = (), message: str = "Go", **request: Any
) -> Question:
    """The model makes these calls, of which a person is asked about some; `then` are its next answers."""
    llm.answer(say(*parts), *then)
    sent = await socket.chat(message, **request)
    return Question(socket, sent, await socket.frame("hitl_required", run_id=sent["run_id"]))


async def refused(work: Any) -> Json:
    """The error that a command ends in."""
    try:
        answer = await work
    except Refused as refusal:
        return refusal.error
    raise AssertionError(f"not refused: {answer}")


async def told(user: User, session_id: str) -> list[Json]:
    """hitl/history."""
    return await user.got(f"/sessions/{session_id}/hitl/history")


async def results(user: User, session_id: str) -> dict[str, Json]:
    """The tool messages of a conversation by call, in their order."""
    return {m["tool_call_id"]: m for m in await user.messages(session_id) if m["role"] == "tool"}


# devices


def console_log(project: Json, device: str) -> list[tuple[str, str]]:
    """(time, line) of everything that the device was sent."""
    path = Path(project["path"]) / "consoles" / f"{device}.log"
    if not path.exists():
        return []
    entries = (entry.partition("\t") for entry in path.read_text(encoding="utf-8").splitlines())
    return [(time, line.strip()) for time, _, line in entries]


def lines_sent(project: Json, device: str) -> list[str]:
    return [line for _, line in console_log(project, device)]


def marks_sent(project: Json, device: str) -> list[str]:
    """What `describe` sent there, in the device's order."""
    return [
        line.removeprefix("description ") for line in lines_sent(project, device) if line.startswith("description ")
    ]


def time_of(project: Json, device: str, line: str) -> str:
    (found,) = [time for time, sent in console_log(project, device) if sent == line]
    return found


async def reached(project: Json, device: str, line: str) -> None:
    """Returns once the device has been sent this line."""
    await eventually(lambda: line in lines_sent(project, device), f"{device} gets {line!r}")


# the audit log


async def verified(data_dir: Path) -> Verified:
    """What `audit verify` finds in a server with one project."""
    ((_, found),) = await asyncio.to_thread(lambda: list(verify_all(data_dir / "projects")))
    assert isinstance(found, Verified), found
    return found
