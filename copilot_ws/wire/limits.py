"""The limits of one run (contract section 7): what a request may ask for, and what is in force."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

MAX_ITERATIONS = 20
HARD_MAX_ITERATIONS = 100
HARD_MAX_TOOL_CALLS = 50

Iterations = Annotated[int, Field(ge=1, le=HARD_MAX_ITERATIONS)]
ToolCalls = Annotated[int, Field(ge=1, le=HARD_MAX_TOOL_CALLS)]
Times = Annotated[int, Field(ge=0, le=50)]
OnLimit = Literal["fail", "warn", "continue"]


class Controls(BaseModel):
    """What a request may set; None leaves the default, or what is in force."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    max_iterations: Iterations | None = None
    max_tool_calls: ToolCalls | None = None
    max_execution_time_seconds: Annotated[int, Field(ge=1, le=3600)] | None = None
    tool_limits: dict[str, Times] | None = None
    max_device_config_calls: Times | None = None
    max_diagnostic_calls: Times | None = None
    estimate_cost_before_execution: bool | None = None
    max_retries_per_tool: Annotated[int, Field(ge=0, le=5)] | None = None
    retry_on_tool_error: bool | None = None
    max_parallel_tools: Annotated[int, Field(ge=1, le=20)] | None = None
    max_total_tokens: Annotated[int, Field(ge=1)] | None = None
    max_cost_usd: Annotated[float, Field(gt=0)] | None = None
    on_limit_reached: OnLimit | None = None


@dataclass(slots=True)
class RunLimits:
    """The limits in force of one run. They may be changed while it runs: `watch` hears of it."""

    max_iterations: int = MAX_ITERATIONS
    max_tool_calls: int | None = None
    max_execution_time_seconds: int | None = None
    tool_limits: dict[str, int] = field(default_factory=dict)
    max_device_config_calls: int | None = None
    max_diagnostic_calls: int | None = None
    estimate_cost_before_execution: bool = False
    max_retries_per_tool: int = 1
    retry_on_tool_error: bool = False
    max_parallel_tools: int = 5
    max_total_tokens: int | None = None
    max_cost_usd: float | None = None
    on_limit_reached: OnLimit = "warn"
    _watcher: Callable[[], None] | None = None

    def change(self, controls: Controls) -> None:
        for name, value in controls.model_dump(exclude_none=True).items():
            setattr(self, name, value)
        if self._watcher is not None:
            self._watcher()

    def watch(self, watcher: Callable[[], None] | None) -> None:
        """One watcher at a time; None: nobody."""
        self._watcher = watcher

    def shape(self) -> dict[str, Any]:
        """As `run_started` and `run.limits` show it: what is not limited is left out."""
        values = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "_watcher"}
        return {name: value for name, value in values.items() if value is not None}
