"""What a tool is: a name, typed arguments, and a coroutine that answers with JSON."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, ConfigDict

from copilot_ws.labs.base import Caller, Lab, Project
from copilot_ws.labs.console import Consoles


class Arguments(BaseModel):
    """Arguments of a tool; a model may add keys that a tool does not know, which are ignored."""

    model_config = ConfigDict(frozen=True)


class Progress(Protocol):
    """Tells the person how far a tool is: `done` of `total` steps on `device`."""

    def __call__(self, device: str | None, done: int, total: int, text: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a tool may touch: one project of one lab, as the run's caller."""

    lab: Lab
    consoles: Consoles
    caller: Caller
    project: Project
    session_id: str
    max_output: int
    progress: Progress


@dataclass(frozen=True, slots=True)
class ToolResult:
    output: Any
    status: Literal["success", "error"] = "success"


@dataclass(frozen=True, slots=True)
class Tool:
    """`arguments` is a pydantic class; `run` gets an instance of it."""

    name: str
    description: str
    arguments: type[Arguments]
    run: Callable[[Surroundings, Any], Awaitable[ToolResult]]

    def schema(self) -> dict[str, Any]:
        """As `bind_tools` takes it."""
        made = convert_to_openai_tool(self.arguments)
        made["function"] |= {"name": self.name, "description": self.description}
        return made


class NoArguments(Arguments):
    pass
