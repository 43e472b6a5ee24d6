"""What a tool is: a name, typed arguments, a plan that says what a call would do, and a coroutine that does it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, ConfigDict

from copilot_ws.core.ports import DangerLevel, DeviceCopy
from copilot_ws.labs.base import Caller, Lab, Project
from copilot_ws.labs.console import Consoles


class Arguments(BaseModel):
    """Arguments of a tool; a model may add keys that a tool does not know, which are ignored."""

    model_config = ConfigDict(frozen=True)


class Progress(Protocol):
    """Tells the person how far a tool is: `done` of `total` steps on `device`."""

    def __call__(self, device: str | None, done: int, total: int, text: str) -> None: ...


class Keep(Protocol):
    """Commits a copy of a device's configuration."""

    async def __call__(self, copy: DeviceCopy, /) -> None: ...


class Sent(Protocol):
    """Notes that a line goes to a device, before it goes."""

    def __call__(self, device: str, line: str) -> None: ...


def silent(*_: Any, **__: Any) -> None:
    """For a call that is only looked at."""


async def forgotten(_: DeviceCopy) -> None:
    """For a call that is only looked at."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a tool may touch: one project of one lab, as the run's caller.

    `targets` binds the names of a call that a person was asked about to the ids that they meant then: what a
    name means now does not count. None: nobody was asked, and nothing of theirs may be changed.

    `run_id` and `call_id` are the call's, under which `keep` keeps copies.

    `holder` is what another run is told that waits for a console; at most `max_parallel` devices are driven at a time.
    """

    lab: Lab
    consoles: Consoles
    caller: Caller
    project: Project
    run_id: str
    call_id: str
    holder: str
    max_output: int
    max_parallel: int
    targets: Mapping[str, str] | None = None
    progress: Progress = silent
    sent: Sent = silent
    keep: Keep = forgotten


@dataclass(frozen=True, slots=True)
class ToolResult:
    output: dict[str, Any]
    status: Literal["success", "error"] = "success"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a call would do.

    `touches`: ids of what it works on; calls that share one run in the model's order. None: everything.
    `changes`: it changes a device or the lab, so it is journalled and never tried twice.
    `needs_person`: a person is asked first, about `devices` (`{device_name, platform, lines}`) where it
    sends lines. `targets`: the ids that its names mean. `refused`: why it cannot be done at all.
    """

    touches: frozenset[str] | None = frozenset()
    changes: bool = False
    needs_person: bool = False
    danger_level: DangerLevel = "low"
    description: str = ""
    dangerous: list[dict[str, str]] = field(default_factory=list)
    devices: list[dict[str, Any]] = field(default_factory=list)
    refused: str | None = None
    targets: dict[str, str] | None = None


READS_ALL = Plan()
CHANGES_ALL = Plan(touches=None, changes=True)


async def reads(_: Surroundings, __: Any) -> Plan:
    return READS_ALL


async def no_preview(_: Surroundings, __: Any) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Tool:
    """`arguments` is a pydantic class; `plan`, `preview` and `run` get an instance of it.

    `preview` shows what the call would change as a unified diff, None if that cannot be told.
    """

    name: str
    description: str
    arguments: type[Arguments]
    run: Callable[[Surroundings, Any], Awaitable[ToolResult]]
    plan: Callable[[Surroundings, Any], Awaitable[Plan]] = reads
    preview: Callable[[Surroundings, Any], Awaitable[str | None]] = no_preview

    def schema(self) -> dict[str, Any]:
        """As `bind_tools` takes it."""
        made = convert_to_openai_tool(self.arguments)
        made["function"] |= {"name": self.name, "description": self.description}
        return made


class NoArguments(Arguments):
    pass
