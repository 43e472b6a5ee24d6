"""The graph of one run: think (a model call), plan (look at its calls), gate (ask a person), act (run them)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, RemoveMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from copilot_ws.agent import prompt
from copilot_ws.agent.act import Actor
from copilot_ws.agent.history import call_ids, paired, to_langchain
from copilot_ws.agent.limits import Limiter, Over, Spent, nothing_spent
from copilot_ws.agent.plan import Grant, Planned, Planner, Question, calls_of, grant_for
from copilot_ws.agent.prices import cost_usd
from copilot_ws.agent.think import Thinker
from copilot_ws.agent.tools.topology import read_topology
from copilot_ws.core.ports import Decision, Job, Outcome, Sink, Stopped
from copilot_ws.labs.base import Lab
from copilot_ws.wire.errors import CopilotError, InvalidArgument, LlmError, TokenExpired
from copilot_ws.wire.limits import HARD_MAX_ITERATIONS

# Four steps a model call, one summing up, and some room: LangGraph's own limit must never be the one that hits.
RECURSION_LIMIT = 4 * HARD_MAX_ITERATIONS + 10


class State(TypedDict):
    """What a checkpoint holds: the run in progress. The conversation before it is in the database.

    `messages` are this run's alone, so a checkpoint does not grow with the conversation. `calls`, `question`
    and `decisions` belong to the last answer; `grants` are left from earlier ones.
    """

    run_id: str
    messages: Annotated[list[AnyMessage], add_messages]
    spent: Spent
    outcome: Outcome
    summed_up: bool
    calls: list[Planned]
    question: Question | None
    decisions: list[dict[str, Any]]
    grants: list[Grant]


@dataclass(frozen=True, slots=True)
class RunContext:
    """What the nodes need and no checkpoint may hold: secrets, connections, the stop signal."""

    job: Job
    sink: Sink
    lab: Lab
    planner: Planner
    actor: Actor
    limiter: Limiter


@dataclass(frozen=True, slots=True)
class ModelContext(RunContext):
    thinker: Thinker


Graph = CompiledStateGraph[State, Any, State, State]


def first_input(job: Job) -> State:
    """The state that a run starts with, whatever the thread's last checkpoint holds."""
    messages: list[Any] = [RemoveMessage(id=REMOVE_ALL_MESSAGES), to_langchain(job.message)]
    return {
        "run_id": job.run_id,
        "messages": messages,
        "spent": nothing_spent(),
        "outcome": "completed",
        "summed_up": False,
        "calls": [],
        "question": None,
        "decisions": [],
        "grants": [],
    }


async def think(state: State, runtime: Runtime[ModelContext]) -> dict[str, Any]:
    """One model call; after a limit the last one, without tools, to sum up. Raises `TokenExpired`."""
    context, limiter = runtime.context, runtime.context.limiter
    limiter.take_up(state["spent"])
    check_token(context)
    context.thinker.taken |= {call_id for message in state["messages"] for call_id in call_ids(message)}
    _check_price(context)
    last = state["outcome"] == "limited" or _out_of(context, limiter.budget() or limiter.time())
    if last:
        limiter.last_words()
    try:
        answer = await _answer(context, await _conversation(context, state["messages"]), last)
    except Stopped:
        limiter.called_model(context.thinker.last_tokens, context.thinker.last_cost)
        return cut_short(context, last=last)
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


def check_token(context: RunContext) -> None:
    """Nothing more is done for a user whose tokens have all expired."""
    if context.job.callers.newest(context.job.user_id) is None:
        raise TokenExpired("Your token has expired: log in again, and send your message again.")


def _check_price(context: ModelContext) -> None:
    """A budget in dollars needs a price: better no run than one whose budget cannot be kept."""
    if context.job.limits.max_cost_usd is not None and cost_usd(context.thinker.config, 1, 1) is None:
        name = context.thinker.config.name
        raise InvalidArgument(f"max_cost_usd: the price of the model {name} is not known. Use max_total_tokens.")


def _out_of(context: RunContext, over: Over | None) -> bool:
    """Whether a limit holds that leaves one last call to sum up. Raises `LimitReached` if it ends the run."""
    holds = over is not None and context.limiter.hit(over)
    context.limiter.end_if_failing()
    return holds


def cut_short(context: RunContext, *, last: bool) -> dict[str, Any]:
    """What was being said is cut off: the run was stopped, or its time is up."""
    if context.job.stop.reason is not None:
        return {"outcome": "stopped", "spent": context.limiter.state()}
    _out_of(context, context.limiter.time())
    return {"outcome": "limited", "summed_up": last, "spent": context.limiter.state()}


async def _conversation(context: ModelContext, new: list[AnyMessage]) -> list[AnyMessage]:
    job = context.job
    try:
        topology = await job.stop.run(read_topology(context.lab, job.caller, job.project), name="read topology")
    except CopilotError:
        topology = None
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


async def plan(state: State, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """What the last answer's calls would do, and which of them a limit forbids."""
    context, limiter = runtime.context, runtime.context.limiter
    limiter.take_up(state["spent"])
    calls = calls_of(_last_answer(state))
    names = [(call.id, call.name) for call in calls]
    await context.sink.save()
    over = limiter.iterations()
    if over is not None and limiter.hit(over):
        return await _refused(context, names, f"Not run: {over.text}")
    try:
        planned = await context.planner.plan(calls)
        limiter.allot(planned)
        grants = await _use_grants(context, planned, state["grants"])
        question = await context.planner.question(planned)
    except Stopped:
        if context.job.stop.reason is None and (over := limiter.time()) is not None and limiter.hit(over):
            return await _refused(context, names, f"Not run: {over.text}")
        refused = context.actor.refuse(names, "stopped", "Not run: the run was stopped.")
        return {"messages": refused, "outcome": "stopped", "calls": [], "spent": limiter.state()}
    return {
        "calls": planned,
        "question": question,
        "decisions": [],
        "grants": [] if question else grants,
        "spent": limiter.state(),
    }


async def _refused(context: RunContext, calls: Sequence[tuple[str, str]], why: str) -> dict[str, Any]:
    """No call of the answer runs: a limit is reached."""
    messages = context.actor.refuse(calls, "limited", why)
    await context.sink.save()
    context.limiter.end_if_failing()
    return {"messages": messages, "outcome": "limited", "calls": [], "spent": context.limiter.state()}


async def _use_grants(context: RunContext, planned: Sequence[Planned], grants: Sequence[Grant]) -> list[Grant]:
    """Calls that a person has granted need none any more; the grants that are left."""
    left = list(grants)
    for call in planned:
        grant = grant_for(call, left) if call["pending"] is not None else None
        if grant is not None:
            left.remove(grant)
            call["pending"] = None
            await context.job.journal.granted(grant["hitl_session_id"], grant["tool_call_id"], call["id"])
    return left


async def gate(state: State) -> dict[str, Any]:
    """Asks a person. It does nothing else: it runs again from its start when the answer comes."""
    return {"decisions": interrupt(state["question"])}


async def act(state: State, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """The results of the planned calls, as far as people and limits let them run."""
    context, limiter = runtime.context, runtime.context.limiter
    limiter.take_up(state["spent"])
    decisions = {item["tool_call_id"]: Decision(**item["decision"]) for item in state["decisions"]}
    results = await context.actor.run(state["calls"], decisions)
    limiter.ran(context.actor.ran)
    outcome: Outcome = state["outcome"]
    if context.job.stop.reason is not None:
        outcome = "stopped"
    else:
        limiter.remember(state["calls"])
        if _out_of(context, limiter.time()) or limiter.reached is not None:
            outcome = "limited"
    return {
        "messages": results,
        "outcome": outcome,
        "grants": [*state["grants"], *_new_grants(state)],
        "calls": [],
        "question": None,
        "spent": limiter.state(),
    }


def _new_grants(state: State) -> list[Grant]:
    names = {call["id"]: call["name"] for call in state["calls"]}
    return [
        Grant(
            hitl_session_id=item["hitl_session_id"],
            tool_call_id=item["tool_call_id"],
            name=names[item["tool_call_id"]],
            arguments=item["decision"]["arguments"],
            targets=item["decision"]["targets"],
            danger_level=item["decision"]["danger_level"],
        )
        for item in state["decisions"]
        if item["decision"]["decision"] == "modified" and item["decision"]["apply"] == "regenerate"
    ]


def _last_answer(state: State) -> AIMessage:
    last = state["messages"][-1]
    assert isinstance(last, AIMessage)
    return last


def after_think(state: State) -> str:
    if state["outcome"] == "limited" and not state["summed_up"]:
        return "think"
    last = state["messages"][-1]
    asks = isinstance(last, AIMessage) and (last.tool_calls or last.invalid_tool_calls)
    return "plan" if asks and state["outcome"] == "completed" else END


def after_plan(state: State) -> str:
    if state["outcome"] == "stopped":
        return END
    if state["outcome"] == "limited":
        return "think"
    return "act" if state["question"] is None else "gate"


def after_act(state: State) -> str:
    return END if state["outcome"] == "stopped" else "think"


def build(saver: BaseCheckpointSaver[str], thinks: Any, context: type[RunContext]) -> Graph:
    """The graph in which `thinks` gives the answers, a model's or others, with what it needs in `context`."""
    graph = StateGraph(State, context_schema=context)
    graph.add_node("think", thinks)
    for node in (plan, gate, act):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", after_think, ["plan", "think", END])
    graph.add_conditional_edges("plan", after_plan, ["gate", "act", "think", END])
    graph.add_edge("gate", "act")
    graph.add_conditional_edges("act", after_act, ["think", END])
    return graph.compile(checkpointer=saver)
