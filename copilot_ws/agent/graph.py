"""The graph of one run: think (a model call), plan (look at its calls), gate (ask a person), act (run them)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from copilot_ws.agent.plan import Grant, Planned, calls_of, grant_for
from copilot_ws.agent.state import RunContext, State
from copilot_ws.core.ports import Decision, Outcome, Stopped
from copilot_ws.wire.limits import HARD_MAX_ITERATIONS

# Four steps a model call, one summing up, and some room: LangGraph's own limit must never be the one that hits.
RECURSION_LIMIT = 4 * HARD_MAX_ITERATIONS + 10

Graph = CompiledStateGraph[State, Any, State, State]


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
        if limiter.ends(limiter.time()) or limiter.reached is not None:
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
