"""Runs the tools that one model answer asked for: each call gets exactly one result."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage
from pydantic import ValidationError

from copilot_ws.agent.history import to_langchain, tool_message
from copilot_ws.agent.tools import BY_NAME
from copilot_ws.agent.tools.base import Surroundings, Tool, ToolResult
from copilot_ws.core.ports import Job, Sink, Stopped, ToolStatus
from copilot_ws.labs.base import Lab
from copilot_ws.labs.console import Consoles
from copilot_ws.wire.codecs import to_json
from copilot_ws.wire.errors import CopilotError
from copilot_ws.wire.text import shorten

log = logging.getLogger(__name__)

MAX_PARALLEL = 5


@dataclass(frozen=True, slots=True)
class Asked:
    """A call as the model made it; `arguments` is None where they were no JSON object."""

    id: str
    name: str
    arguments: dict[str, Any] | None


def calls_of(answer: AIMessage) -> list[Asked]:
    valid = [Asked(str(call["id"]), call["name"], call["args"]) for call in answer.tool_calls]
    return valid + [Asked(str(call["id"]), str(call["name"]), None) for call in answer.invalid_tool_calls]


@dataclass(slots=True)
class Actor:
    """Runs the calls of one run."""

    lab: Lab
    consoles: Consoles
    job: Job
    sink: Sink
    max_output: int

    async def run(self, calls: Sequence[Asked]) -> list[AnyMessage]:
        """The results, in the calls' order; at most `MAX_PARALLEL` run at a time."""
        slots = asyncio.Semaphore(MAX_PARALLEL)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._one(call, slots), name=f"tool {call.name}") for call in calls]
        return [task.result() for task in tasks]

    def refuse(self, calls: Sequence[Asked], status: ToolStatus, why: str) -> list[AnyMessage]:
        """A result for each call that will not run."""
        return [self._end(call, ToolResult({"error": why}, "error"), status, 0) for call in calls]

    async def _one(self, call: Asked, slots: asyncio.Semaphore) -> AnyMessage:
        begun = time.monotonic()
        status: ToolStatus
        try:
            async with slots:
                result = await self.job.stop.run(self._checked(call), name=f"tool {call.name}")
            status = result.status
        except Stopped:
            result, status = ToolResult({"error": "Stopped before it had ended."}, "error"), "stopped"
        message = self._end(call, result, status, round((time.monotonic() - begun) * 1000))
        await self.sink.save()
        return message

    async def _checked(self, call: Asked) -> ToolResult:
        """The call's result; whatever is wrong with it becomes one that tells the model."""
        self.sink.tool_start(call.id, call.name)
        tool = BY_NAME.get(call.name)
        if tool is None:
            known = ", ".join(BY_NAME)
            return ToolResult({"error": f"There is no tool {call.name!r}. The tools are: {known}."}, "error")
        if call.arguments is None:
            error = "The arguments are no JSON object: they may be cut off. Call again with whole arguments."
            return ToolResult({"error": error}, "error")
        try:
            arguments = tool.arguments.model_validate(call.arguments)
        except ValidationError as wrong:
            return ToolResult({"error": _explain(wrong)}, "error")
        return await self._perform(tool, call, arguments)

    async def _perform(self, tool: Tool, call: Asked, arguments: Any) -> ToolResult:
        try:
            return await tool.run(self._surroundings(call), arguments)
        except CopilotError as fault:
            return ToolResult({"error": fault.message}, "error")
        except Exception:
            log.exception("tool %s failed", tool.name)
            return ToolResult({"error": f"{tool.name} failed by a fault of the server; it is logged."}, "error")

    def _surroundings(self, call: Asked) -> Surroundings:
        def progress(device: str | None, done: int, total: int, text: str) -> None:
            self.sink.tool_progress(call.id, call.name, device, done, total, text)

        job = self.job
        return Surroundings(self.lab, self.consoles, job.caller, job.project, job.session_id, self.max_output, progress)

    def _end(self, call: Asked, result: ToolResult, status: ToolStatus, milliseconds: int) -> AnyMessage:
        metadata = {"duration_ms": milliseconds}
        message = tool_message(call.id, call.name, self._text(result.output), status, metadata)
        self.sink.tool_end(message, status, milliseconds)
        return to_langchain(message)

    def _text(self, output: Any) -> str:
        text = to_json(output).decode()
        if len(text) > self.max_output:
            text = json.dumps({"cut_output": shorten(text, self.max_output * 3 // 4)})
        return text


def _explain(wrong: ValidationError) -> str:
    faults = [
        f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}"
        for fault in wrong.errors(include_url=False, include_input=False, include_context=False)
    ]
    return "The arguments do not fit: " + "; ".join(faults[:5])
