"""Runs the planned calls of one model answer: each gets exactly one result, what changes a device is journalled."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AnyMessage
from pydantic import ValidationError

from copilot_ws.agent.history import to_langchain, tool_message
from copilot_ws.agent.limits import Limiter
from copilot_ws.agent.plan import Planned, explain
from copilot_ws.agent.tools import BY_NAME
from copilot_ws.agent.tools.base import Surroundings, ToolResult
from copilot_ws.core.ports import Decision, DeviceCopy, Job, Sink, Stopped, ToolStatus
from copilot_ws.labs.base import Lab
from copilot_ws.labs.console import Consoles
from copilot_ws.wire.codecs import to_json
from copilot_ws.wire.errors import CopilotError
from copilot_ws.wire.text import shorten

log = logging.getLogger(__name__)

UNKNOWN = "Unknown: this call had started when the server stopped. It may have been applied: check the device."


@dataclass(frozen=True, slots=True)
class Ended:
    """What came of a call. `executed` are the arguments that it ran with, where a person had changed them."""

    output: dict[str, Any]
    status: ToolStatus
    executed: dict[str, Any] | None = None


@dataclass(slots=True)
class Actor:
    """Runs the calls of one run."""

    lab: Lab
    consoles: Consoles
    job: Job
    sink: Sink
    limiter: Limiter
    max_output: int
    ran: list[Planned] = field(default_factory=list)
    """The calls of the last batch that ran, to be counted against the run's limits."""
    _sent: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    async def run(self, calls: Sequence[Planned], decisions: Mapping[str, Decision]) -> list[AnyMessage]:
        """The results, in the calls' order.

        Calls that touch the same device run in the model's order, others side by side, at most
        `max_parallel_tools`.
        """
        calls = [self._as_decided(call, decisions.get(call["id"])) for call in calls]
        faults: list[Exception] = []
        self.ran = []
        slots = asyncio.Semaphore(self.job.limits.max_parallel_tools)
        ended = [asyncio.Event() for _ in calls]

        async def one(number: int) -> AnyMessage | None:
            try:
                for earlier in range(number):
                    if _share(calls[earlier], calls[number]):
                        await ended[earlier].wait()
                async with slots:
                    return await self._one(calls[number], decisions.get(calls[number]["id"]))
            except Exception as fault:  # the other calls are not cut off in the middle for it
                faults.append(fault)
                return None
            finally:
                ended[number].set()

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(n), name=f"tool {call['name']}") for n, call in enumerate(calls)]
        if faults:
            raise faults[0]
        return [message for task in tasks if (message := task.result()) is not None]

    @staticmethod
    def _as_decided(call: Planned, decision: Decision | None) -> Planned:
        """The call with what it works on: a person may have sent it to other devices."""
        if decision is None or decision.apply != "direct":
            return call
        touches = None if call["touches"] is None or decision.targets is None else sorted(decision.targets.values())
        return {**call, "targets": decision.targets, "touches": touches}

    def refuse(self, calls: Sequence[tuple[str, str]], status: ToolStatus, why: str) -> list[AnyMessage]:
        """A result for each call (id, name) that will not run."""
        return [self._end(call_id, name, Ended({"error": why}, status), 0) for call_id, name in calls]

    async def _one(self, call: Planned, decision: Decision | None) -> AnyMessage:
        if (stands := self.job.results.get(call["id"])) is not None:
            return to_langchain(stands)
        begun = time.monotonic()
        ended = self._undone(call, decision) or await self._do(call, decision)
        milliseconds = round((time.monotonic() - begun) * 1000)
        message = self._end(call["id"], call["name"], ended, milliseconds)
        await self.sink.save()
        return message

    def _undone(self, call: Planned, decision: Decision | None) -> Ended | None:
        """The result of a call that does not run; None: it runs."""
        if call["error"] is not None:
            self.sink.tool_start(call["id"], call["name"])
            return Ended({"error": call["error"]}, "error")
        if call["limited"] is not None:
            return Ended({"error": call["limited"]}, "limited")
        if call["pending"] is None:
            return None
        if decision is None or decision.decision == "cancelled":
            return Ended({"error": "Not run: the run was stopped before a person had decided."}, "stopped")
        if decision.decision == "rejected":
            said = f" and says: {decision.reason}" if decision.reason else ""
            error = f"A person rejected this call{said}. Do not try it again unless you are asked to."
            return Ended({"error": error, "reason": decision.reason}, "rejected")
        if decision.decision == "expired":
            return Ended({"error": "Nobody decided about this call in time: it was not run."}, "expired")
        if decision.decision == "modified" and decision.apply == "regenerate":
            return Ended(_replaced(call, decision), "replaced")
        return None

    async def _do(self, call: Planned, decision: Decision | None) -> Ended:
        changed = decision.arguments if decision is not None and decision.decision == "modified" else None
        arguments = changed if changed is not None else call["arguments"]
        if self.job.stop.reason is not None:
            return Ended({"error": "Not run: the run was stopped."}, "stopped")
        if (over := self.limiter.time()) is not None and self.limiter.hit(over):
            return Ended({"error": f"Not run: {over.text}"}, "limited")
        self.ran.append(call)
        self.sink.tool_start(call["id"], call["name"])
        if call["changes"] and not await self.job.journal.started(call["id"], call["name"], arguments):
            return Ended({"error": UNKNOWN}, "unknown")
        try:
            if (over := self.limiter.time()) is not None and self.limiter.hit(over):
                raise Stopped  # the time was up while the start was written
            result = await self.job.stop.run(self._tried(call, arguments), name=f"tool {call['name']}")
            ended = Ended(result.output, result.status)
        except Stopped:
            ended = Ended(self._stopped(call), "stopped")
        if changed is not None:
            note = "A person changed the arguments before this ran; executed_args are the ones that ran."
            ended = Ended({**ended.output, "note": note, "executed_args": changed}, ended.status, changed)
        if call["changes"]:
            await self.job.journal.ended(call["id"], ended.status, self._text(ended.output))
        return ended

    async def _tried(self, call: Planned, arguments: dict[str, Any]) -> ToolResult:
        """A reading call that failed is tried again where the run asks for it; one that changes never is."""
        limits = self.job.limits
        more = limits.max_retries_per_tool if limits.retry_on_tool_error and not call["changes"] else 0
        result = await self._perform(call, arguments)
        while result.status == "error" and more > 0:
            more -= 1
            result = await self._perform(call, arguments)
        return result

    async def _perform(self, call: Planned, arguments: dict[str, Any]) -> ToolResult:
        tool = BY_NAME[call["name"]]
        try:
            around = self.around(call["id"], tool.name, call["targets"])
            return await tool.run(around, tool.arguments.model_validate(arguments))
        except CopilotError as fault:
            return ToolResult({"error": fault.message}, "error")
        except ValidationError as wrong:
            return ToolResult({"error": explain(wrong)}, "error")
        except Exception:
            log.exception("tool %s failed", tool.name)
            return ToolResult({"error": f"{tool.name} failed by a fault of the server; it is logged."}, "error")

    def _stopped(self, call: Planned) -> dict[str, Any]:
        output: dict[str, Any] = {"error": "Stopped before it had ended."}
        if call["changes"]:
            output["sent"] = self._sent.get(call["id"], {})
        return output

    def around(self, call_id: str, name: str, targets: Mapping[str, str] | None = None) -> Surroundings:
        """What the tool of this call may touch."""

        def progress(device: str | None, done: int, total: int, text: str) -> None:
            self.sink.tool_progress(call_id, name, device, done, total, text)

        async def keep(copy: DeviceCopy) -> None:
            await self.job.copies.put(self.job.session_id, copy)

        def sent(device: str, line: str) -> None:
            self._sent.setdefault(call_id, {}).setdefault(device, []).append(line)

        job = self.job
        return Surroundings(
            self.lab,
            self.consoles,
            job.caller,
            job.project,
            job.run_id,
            call_id,
            job.user_id,
            self.max_output,
            job.limits.max_parallel_tools,
            targets,
            progress,
            sent,
            keep,
        )

    def _end(self, call_id: str, name: str, ended: Ended, milliseconds: int) -> AnyMessage:
        metadata: dict[str, Any] = {"duration_ms": milliseconds}
        if ended.executed is not None:
            metadata["executed_args"] = ended.executed
        message = tool_message(call_id, name, self._text(ended.output), ended.status, metadata)
        self.sink.tool_end(message, ended.status, milliseconds)
        return to_langchain(message)

    def _text(self, output: dict[str, Any]) -> str:
        text = to_json(output).decode()
        if len(text) > self.max_output:
            text = json.dumps({"cut_output": shorten(text, self.max_output * 3 // 4)})
        return text


def _share(one: Planned, other: Planned) -> bool:
    if one["touches"] is None or other["touches"] is None:
        return True
    return not set(one["touches"]).isdisjoint(other["touches"])


def _replaced(call: Planned, decision: Decision) -> dict[str, Any]:
    told = "A person changed the arguments. Call the tool again with exactly new_args: that runs without asking."
    if decision.reason:
        told += f" The person says: {decision.reason}"
    return {"replaced": True, "message": told, "old_args": call["arguments"], "new_args": decision.arguments}
