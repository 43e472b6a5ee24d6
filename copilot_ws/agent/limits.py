"""Keeps a run within its limits: slots for tools, budgets, time, and what happens when one is reached."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from copilot_ws.agent.plan import Planned
from copilot_ws.agent.tools import read
from copilot_ws.core.ports import Sink, Stop
from copilot_ws.wire.errors import LimitReached
from copilot_ws.wire.limits import HARD_MAX_ITERATIONS, HARD_MAX_TOOL_CALLS, RunLimits

LAST_WORDS_SECONDS = 120.0


class Spent(TypedDict):
    """What a run has used up so far; it stands in the checkpoint. `told`: the limits that were announced."""

    llm_calls: int
    tools: dict[str, int]
    configuring: int
    diagnostic: int
    tokens: int
    cost_usd: float | None
    seconds: float
    told: list[str]


def nothing_spent() -> Spent:
    return Spent(llm_calls=0, tools={}, configuring=0, diagnostic=0, tokens=0, cost_usd=0.0, seconds=0.0, told=[])


@dataclass(frozen=True, slots=True)
class Over:
    """A limit that has been reached. `hard` ones hold whatever the run asks for."""

    limit: str
    value: float
    what: str
    hard: bool = False

    @property
    def text(self) -> str:
        return f"{self.what} ({self.limit})."


class Clock:
    """The time that a run has run, without its waits for a person; when it is up, what goes on is cancelled."""

    def __init__(self, limits: RunLimits, stop: Stop, before: float) -> None:
        self.up = False
        self._limits, self._stop, self._before = limits, stop, before
        self._loop = asyncio.get_running_loop()
        self._begun = self._loop.time()
        self._timer: asyncio.TimerHandle | None = None
        limits.watch(self._arm)
        self._arm()

    @property
    def seconds(self) -> float:
        return self._before + self._loop.time() - self._begun

    def close(self) -> None:
        self._limits.watch(None)
        self._disarm()

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self) -> None:
        self._disarm()
        most = self._limits.max_execution_time_seconds
        if most is not None and not self.up:
            self._timer = self._loop.call_later(max(0.0, most - self.seconds), self._ring)

    def last_words(self, seconds: float) -> None:
        """The time is up; what is said to sum up may take so long."""
        self._disarm()
        self._timer = self._loop.call_later(seconds, self._stop.interrupt)

    def _ring(self) -> None:
        self.up = True
        if self._limits.on_limit_reached != "continue":
            self._stop.interrupt()


class Limiter:
    """The limits of one run. `reached` is the one that ends it; `spent` is the checkpoint's, brought up to date."""

    def __init__(self, limits: RunLimits, stop: Stop, sink: Sink) -> None:
        self.limits, self.sink = limits, sink
        self.reached: Over | None = None
        self.spent = nothing_spent()
        self._stop = stop
        self._clock: Clock | None = None

    def take_up(self, spent: Spent) -> None:
        """A node begins; the first one after a pause starts the clock where it stood."""
        self.spent = Spent(**{**spent, "tools": dict(spent["tools"])})
        if self._clock is None:
            self._clock = Clock(self.limits, self._stop, spent["seconds"])

    def state(self) -> Spent:
        """What a node leaves to the checkpoint."""
        assert self._clock is not None
        return Spent(**{**self.spent, "seconds": self._clock.seconds})

    def last_words(self) -> None:
        """The last call, which sums up, begins: it has a time of its own."""
        assert self._clock is not None
        self._clock.last_words(LAST_WORDS_SECONDS)

    def close(self) -> None:
        if self._clock is not None:
            self._clock.close()

    @property
    def lenient(self) -> bool:
        return self.limits.on_limit_reached == "continue"

    def hit(self, over: Over) -> bool:
        """Announces the limit, once; whether it holds, or is only told."""
        if over.limit not in self.spent["told"]:
            self.spent["told"] = [*self.spent["told"], over.limit]
            self.sink.limit_reached(over.limit, over.value, over.text)
        if self.lenient and not over.hard:
            return False
        self.reached = self.reached or over
        return True

    def tell(self, over: Over) -> None:
        """Announces, once, what ends nothing."""
        if over.limit not in self.spent["told"]:
            self.spent["told"] = [over.limit, *self.spent["told"]]
            self.sink.limit_reached(over.limit, over.value, over.text)

    def ends(self, over: Over | None) -> bool:
        """Whether a limit holds that leaves one last call to sum up. Raises `LimitReached` if it ends the run."""
        holds = over is not None and self.hit(over)
        self.end_if_failing()
        return holds

    def end_if_failing(self) -> None:
        """Raises `LimitReached` where a limit ends the run at once (`on_limit_reached: fail`)."""
        if self.reached is not None and self.limits.on_limit_reached == "fail":
            raise LimitReached(self.reached.text, {"limit": self.reached.limit, "value": self.reached.value})

    def time(self) -> Over | None:
        most = self.limits.max_execution_time_seconds
        if self._clock is None or not self._clock.up or most is None:
            return None
        return Over("max_execution_time_seconds", most, f"This run may take {most} s")

    def called_model(self, tokens: int, cost_usd: float | None) -> None:
        self.spent["llm_calls"] += 1
        self.spent["tokens"] += tokens
        before = self.spent["cost_usd"]
        self.spent["cost_usd"] = None if before is None or cost_usd is None else before + cost_usd

    def ran(self, calls: Sequence[Planned]) -> None:
        """Counts the calls that ran."""
        for call in calls:
            _take(call, self.spent)

    def iterations(self) -> Over | None:
        """Whether the model calls are used up, so that no further tool may run."""
        made = self.spent["llm_calls"]
        if made >= HARD_MAX_ITERATIONS:
            return Over("max_iterations", HARD_MAX_ITERATIONS, f"No run calls the model more than {made} times", True)
        most = self.limits.max_iterations
        return Over("max_iterations", most, f"This run may call the model {most} times") if made >= most else None

    def budget(self) -> Over | None:
        tokens, cost = self.limits.max_total_tokens, self.limits.max_cost_usd
        if tokens is not None and self.spent["tokens"] >= tokens:
            return Over("max_total_tokens", tokens, f"This run may use {tokens} tokens")
        if cost is not None and (self.spent["cost_usd"] or 0.0) >= cost:
            return Over("max_cost_usd", cost, f"This run may cost {cost} US dollars")
        return None

    def allot(self, calls: Sequence[Planned]) -> None:
        """Gives slots in the model's order, before anyone is asked; a call without one is marked `limited`."""
        taken = Spent(**{**self.spent, "tools": dict(self.spent["tools"])})
        for call in calls:
            if call["error"] is not None:
                continue
            over = self._over(call, taken)
            if over is not None and self.hit(over):
                call["limited"], call["pending"] = f"Not run: {over.text}", None
            else:
                _take(call, taken)

    def remember(self, calls: Sequence[Planned]) -> None:
        """What `allot` decided may have been decided before a pause, by a limiter that is gone."""
        limited = [call["limited"] for call in calls if call["limited"] is not None]
        if limited and self.reached is None:
            self.reached = Over(self.spent["told"][-1], 0, limited[-1])

    def _over(self, call: Planned, taken: Spent) -> Over | None:
        limits, name = self.limits, call["name"]
        total = sum(taken["tools"].values())
        if self.lenient and total >= HARD_MAX_TOOL_CALLS:
            return Over("max_tool_calls", HARD_MAX_TOOL_CALLS, f"No run runs more than {total} tools", True)
        if limits.max_tool_calls is not None and total >= limits.max_tool_calls:
            return Over("max_tool_calls", limits.max_tool_calls, f"This run may run {limits.max_tool_calls} tools")
        most = limits.tool_limits.get(name)
        if most is not None and taken["tools"].get(name, 0) >= most:
            return Over(f"tool_limits.{name}", most, f"This run may run {name} {most} times")
        most = limits.max_device_config_calls
        if _configures(call) and most is not None and taken["configuring"] >= most:
            return Over("max_device_config_calls", most, f"This run may configure devices {most} times")
        most = limits.max_diagnostic_calls
        if _diagnoses(call) and most is not None and taken["diagnostic"] >= most:
            return Over("max_diagnostic_calls", most, f"This run may read from devices {most} times")
        return None


def _configures(call: Planned) -> bool:
    return call["name"] == read.CONFIGURE or (call["name"] == read.VPCS and call["changes"])


def _diagnoses(call: Planned) -> bool:
    return call["name"] == read.TOOL.name or (call["name"] == read.VPCS and not call["changes"])


def _take(call: Planned, spent: Spent) -> None:
    """Counts a call that runs."""
    spent["tools"][call["name"]] = spent["tools"].get(call["name"], 0) + 1
    spent["configuring"] += _configures(call)
    spent["diagnostic"] += _diagnoses(call)
