"""Looks at the calls of one answer before any runs: are they valid, what would they do, does a person decide."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from langchain_core.messages import AIMessage
from pydantic import ValidationError

from copilot_ws.agent.tools import BY_NAME
from copilot_ws.agent.tools.base import Plan, Surroundings
from copilot_ws.core.ports import DangerLevel, Job, Pending
from copilot_ws.wire.errors import CopilotError

log = logging.getLogger(__name__)

PREVIEW_SECONDS = 3.0


class Planned(TypedDict):
    """One call as the checkpoint keeps it.

    `error`: why it cannot run; `limited`: which limit forbids it; `pending`: what a person is asked.
    """

    id: str
    name: str
    arguments: dict[str, Any]
    error: str | None
    limited: str | None
    touches: list[str] | None
    changes: bool
    targets: dict[str, str] | None
    pending: dict[str, Any] | None


class Grant(TypedDict):
    """A person's arguments that the model may use once, without being asked about again."""

    hitl_session_id: str
    tool_call_id: str
    name: str
    arguments: dict[str, Any]
    targets: dict[str, str] | None
    danger_level: DangerLevel


class Question(TypedDict):
    """The value of the interrupt: what a person is asked. `asked_at` in seconds since the epoch."""

    asked_at: float
    pending: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A call as the model made it; `arguments` is None where they cannot be used, and `fault` tells why."""

    id: str
    name: str
    arguments: dict[str, Any] | None
    fault: str = ""


def calls_of(answer: AIMessage) -> list[Asked]:
    valid = [Asked(str(call["id"]), call["name"], call["args"]) for call in answer.tool_calls]
    spoilt = answer.invalid_tool_calls
    return valid + [Asked(str(call["id"]), str(call["name"]), None, str(call["error"])) for call in spoilt]


def explain(wrong: ValidationError) -> str:
    faults = [
        f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}"
        for fault in wrong.errors(include_url=False, include_input=False, include_context=False)
    ]
    return "The arguments do not fit: " + "; ".join(faults[:5])


@dataclass(frozen=True, slots=True)
class Planner:
    """Plans the calls of one run. `around` gives a tool its surroundings for a call."""

    job: Job
    around: Callable[[str, str], Surroundings]

    async def plan(self, calls: Sequence[Asked]) -> list[Planned]:
        """The calls in their order; raises `Stopped`."""
        return [await self.job.stop.run(self._one(call), name=f"plan {call.name}") for call in calls]

    async def _one(self, call: Asked) -> Planned:
        planned = Planned(
            id=call.id,
            name=call.name,
            arguments=call.arguments or {},
            error=None,
            limited=None,
            touches=[],
            changes=False,
            targets=None,
            pending=None,
        )
        try:
            plan = await self._checked(call)
        except CopilotError as fault:
            planned["error"] = fault.message
        except ValidationError as wrong:
            planned["error"] = explain(wrong)
        except Exception:
            log.exception("planning %s failed", call.name)
            planned["error"] = f"{call.name} failed by a fault of the server; it is logged."
        else:
            planned["error"] = plan.refused
            planned["touches"] = None if plan.touches is None else sorted(plan.touches)
            planned["changes"] = plan.changes
            planned["targets"] = plan.targets
            if plan.needs_person and plan.refused is None:
                planned["pending"] = _pending(call, plan).shape()
        return planned

    async def _checked(self, call: Asked) -> Plan:
        tool = BY_NAME.get(call.name)
        if tool is None:
            return Plan(refused=f"There is no tool {call.name!r}. The tools are: {', '.join(BY_NAME)}.")
        if call.arguments is None:
            return Plan(refused=call.fault)
        return await tool.plan(self.around(call.id, call.name), tool.arguments.model_validate(call.arguments))

    async def question(self, planned: Sequence[Planned]) -> Question | None:
        """What a person has to be asked, with previews where there is time for them; None: nothing."""
        asked = [call for call in planned if call["pending"] is not None]
        if not asked:
            return None
        previews = await self.job.stop.run(self._previews(asked), name="preview")
        pending = [{**(call["pending"] or {}), "preview": text} for call, text in zip(asked, previews, strict=True)]
        return Question(asked_at=time.time(), pending=pending)

    async def _previews(self, asked: Sequence[Planned]) -> list[str | None]:
        """One per call; what takes longer than `PREVIEW_SECONDS` together is left out."""
        tasks: list[asyncio.Task[str | None]] = []
        try:
            async with asyncio.timeout(PREVIEW_SECONDS), asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._preview(call), name="preview") for call in asked]
        except TimeoutError:
            log.info("a preview took too long")
        return [None if task.cancelled() else task.result() for task in tasks]

    async def _preview(self, call: Planned) -> str | None:
        tool = BY_NAME[call["name"]]
        try:
            arguments = tool.arguments.model_validate(call["arguments"])
            return await tool.preview(self.around(call["id"], call["name"]), arguments)
        except Exception:
            log.exception("the preview of %s failed", tool.name)
            return None


def _pending(call: Asked, plan: Plan) -> Pending:
    return Pending(
        call.id,
        call.name,
        call.arguments or {},
        plan.danger_level,
        plan.description,
        plan.dangerous,
        plan.devices,
    )


def grant_for(call: Planned, grants: Sequence[Grant]) -> Grant | None:
    """The grant that this call uses up: the same tool with exactly the person's arguments.

    They have to mean the same devices still, and be no more dangerous than the person knew.
    """
    level = (call["pending"] or {}).get("danger_level")
    for grant in grants:
        same = (grant["name"], grant["arguments"]) == (call["name"], call["arguments"])
        if same and grant["targets"] == call["targets"] and (level != "high" or grant["danger_level"] == "high"):
            return grant
    return None
