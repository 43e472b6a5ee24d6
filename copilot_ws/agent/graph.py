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
from copilot_ws.agent.history import paired, to_langchain
from copilot_ws.agent.plan import Grant, Planned, Planner, Question, calls_of, grant_for
from copilot_ws.agent.think import Thinker
from copilot_ws.agent.tools.topology import read_topology
from copilot_ws.core.ports import Decision, Job, Outcome, Sink, Stopped
from copilot_ws.labs.base import Lab
from copilot_ws.wire.errors import CopilotError, TokenExpired

HARD_MAX_CALLS = 100
# Four steps a model call, one summing up, and some room: LangGraph's own limit must never be the one that hits.
RECURSION_LIMIT = 4 * HARD_MAX_CALLS + 10


class State(TypedDict):
    """What a checkpoint holds: the run in progress. The conversation before it is in the database.

    `messages` are this run's alone, so a checkpoint does not grow with the conversation. `calls`, `question`
    and `decisions` belong to the last answer; `grants` are left from earlier ones.
    """

    run_id: str
    messages: Annotated[list[AnyMessage], add_messages]
    llm_calls: int
    outcome: Outcome
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
    thinker: Thinker
    planner: Planner
    actor: Actor


def first_input(job: Job) -> State:
    """The state that a run starts with, whatever the thread's last checkpoint holds."""
    messages: list[Any] = [RemoveMessage(id=REMOVE_ALL_MESSAGES), to_langchain(job.message)]
    return {
        "run_id": job.run_id,
        "messages": messages,
        "llm_calls": 0,
        "outcome": "completed",
        "calls": [],
        "question": None,
        "decisions": [],
        "grants": [],
    }


async def think(state: State, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """One model call; after a limit the last one, without tools, to sum up.

    A user whose tokens have all expired gets no model call: `TokenExpired`.
    """
    context = runtime.context
    limited = state["outcome"] == "limited"
    if context.job.callers.newest(context.job.user_id) is None:
        raise TokenExpired("Your token has expired: log in again, and send your message again.")
    try:
        messages = await _conversation(context, state["messages"])
        if limited:
            messages.append(prompt.sum_up())
        answer = await context.thinker.answer(messages, with_tools=not limited)
    except Stopped:
        return {"outcome": "stopped"}
    asked = [(call.id, call.name) for call in calls_of(answer)] if limited else []
    refused = context.actor.refuse(asked, "limited", "Not run: this run's limit is reached.")
    return {"messages": [answer, *refused], "llm_calls": state["llm_calls"] + 1}


async def _conversation(context: RunContext, new: list[AnyMessage]) -> list[AnyMessage]:
    job = context.job
    try:
        topology = await job.stop.run(read_topology(context.lab, job.caller, job.project), name="read topology")
    except CopilotError:
        topology = None
    earlier = [to_langchain(message) for message in job.history]
    return [prompt.system_prompt(topology), *paired([*earlier, *new])]


async def plan(state: State, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """What the last answer's calls would do; of an answer that used up the run's model calls none runs."""
    context, job = runtime.context, runtime.context.job
    calls = calls_of(_last_answer(state))
    names = [(call.id, call.name) for call in calls]
    await context.sink.save()
    if state["llm_calls"] >= job.max_iterations:
        why = f"Not run: this run may call the model {job.max_iterations} times (max_iterations)."
        context.sink.limit_reached("max_iterations", job.max_iterations, f"{why} Ask again to go on.")
        return {"messages": context.actor.refuse(names, "limited", why), "outcome": "limited", "calls": []}
    try:
        planned = await context.planner.plan(calls)
        grants = await _use_grants(context, planned, state["grants"])
        question = await context.planner.question(planned)
    except Stopped:
        refused = context.actor.refuse(names, "stopped", "Not run: the run was stopped.")
        return {"messages": refused, "outcome": "stopped", "calls": []}
    return {"calls": planned, "question": question, "decisions": [], "grants": [] if question else grants}


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
    """The results of the planned calls, as far as a person let them run."""
    context = runtime.context
    decisions = {item["tool_call_id"]: Decision(**item["decision"]) for item in state["decisions"]}
    results = await context.actor.run(state["calls"], decisions)
    grants = [*state["grants"], *_new_grants(state)]
    outcome = "stopped" if context.job.stop.reason else state["outcome"]
    return {"messages": results, "outcome": outcome, "grants": grants, "calls": [], "question": None}


def _new_grants(state: State) -> list[Grant]:
    names = {call["id"]: call["name"] for call in state["calls"]}
    return [
        Grant(
            hitl_session_id=item["hitl_session_id"],
            tool_call_id=item["tool_call_id"],
            name=names[item["tool_call_id"]],
            arguments=item["decision"]["arguments"],
        )
        for item in state["decisions"]
        if item["decision"]["decision"] == "modified" and item["decision"]["apply"] == "regenerate"
    ]


def _last_answer(state: State) -> AIMessage:
    last = state["messages"][-1]
    assert isinstance(last, AIMessage)
    return last


def after_think(state: State) -> str:
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


def build(saver: BaseCheckpointSaver[str]) -> CompiledStateGraph[State, RunContext, State, State]:
    graph = StateGraph(State, context_schema=RunContext)
    for node in (think, plan, gate, act):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", after_think, ["plan", END])
    graph.add_conditional_edges("plan", after_plan, ["gate", "act", "think", END])
    graph.add_edge("gate", "act")
    graph.add_conditional_edges("act", after_act, ["think", END])
    return graph.compile(checkpointer=saver)
