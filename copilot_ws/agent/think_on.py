"""The step of a model call: what it is told, what limits and time leave of it, and what became of its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.runtime import Runtime

from copilot_ws.agent import prompt
from copilot_ws.agent.history import call_ids, paired, to_langchain
from copilot_ws.agent.limits import Over
from copilot_ws.agent.plan import calls_of
from copilot_ws.agent.prices import cost_usd
from copilot_ws.agent.state import RunContext, State
from copilot_ws.agent.think import Thinker
from copilot_ws.agent.tools.topology import topology_if_readable
from copilot_ws.core.ports import Outcome, Stopped
from copilot_ws.wire.errors import InvalidArgument, LlmError


@dataclass(frozen=True, slots=True)
class ModelContext(RunContext):
    thinker: Thinker


async def think(state: State, runtime: Runtime[ModelContext]) -> dict[str, Any]:
    """One model call; after a limit the last one, without tools, to sum up. Raises `TokenExpired`."""
    context, limiter = runtime.context, runtime.context.limiter
    limiter.take_up(state["spent"])
    context.check_token()
    context.thinker.taken |= {call_id for message in state["messages"] for call_id in call_ids(message)}
    _check_price(context)
    last = state["outcome"] == "limited" or limiter.ends(limiter.budget() or limiter.time())
    if last:
        limiter.last_words()
    try:
        answer = await _answer(context, await _conversation(context, state["messages"]), last)
    except Stopped:
        limiter.called_model(context.thinker.last_tokens, context.thinker.last_cost)
        return context.cut_short(last=last)
    limiter.called_model(context.thinker.last_tokens, context.thinker.last_cost)
    asked = [(call.id, call.name) for call in calls_of(answer)] if last else []
    refused = context.actor.refuse(asked, "limited", "Not run: this run's limit is reached.")
    outcome: Outcome = "limited" if last else state["outcome"]
    return {
        "messages": [answer, *refused],
        "spent": limiter.state(),
        "outcome": outcome,
        "summed_up": last,
    }


def _check_price(context: ModelContext) -> None:
    """A budget in dollars needs a price: better no run than one whose budget cannot be kept."""
    if context.job.limits.max_cost_usd is not None and cost_usd(context.thinker.config, 1, 1) is None:
        name = context.thinker.config.name
        raise InvalidArgument(f"max_cost_usd: the price of the model {name} is not known. Use max_total_tokens.")


async def _conversation(context: ModelContext, new: list[AnyMessage]) -> list[AnyMessage]:
    job = context.job
    topology = await job.stop.run(topology_if_readable(context.lab, job.caller, job.project), name="read topology")
    earlier = [to_langchain(message) for message in job.history]
    return [prompt.system_prompt(topology), *paired([*earlier, *new])]


async def _answer(context: ModelContext, messages: list[AnyMessage], last: bool) -> AIMessage:
    """The model's answer; a conversation that it refuses as too long is sent again, once, as half of it."""
    thinker, more = context.thinker, [prompt.sum_up()] if last else []
    try:
        return await thinker.answer([*_fitting(context, messages), *more], with_tools=not last)
    except LlmError as fault:
        if fault.fault != "llm_context_length" or not thinker.halves(messages):
            raise
    return await thinker.answer([*_fitting(context, messages), *more], with_tools=not last)


def _fitting(context: ModelContext, messages: list[AnyMessage]) -> list[AnyMessage]:
    """As much as the model can read, for this call only. A person is told, once, that it does not read all."""
    fitted, most = context.thinker.fitted(messages)
    if fitted.left_out or fitted.shortened:
        what = f"{fitted.left_out} older messages" if fitted.left_out else "parts of older outputs"
        text = f"The conversation is longer than this model can read: it goes on without {what}"
        context.limiter.tell(Over("context_tokens", most, text))
    return fitted.messages
