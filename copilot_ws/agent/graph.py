"""The graph of one run: think (one model call), act (the tools it asked for), until nothing is left to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, RemoveMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from copilot_ws.agent import prompt
from copilot_ws.agent.act import Actor, calls_of
from copilot_ws.agent.history import paired, to_langchain
from copilot_ws.agent.think import Thinker
from copilot_ws.agent.tools.topology import read_topology
from copilot_ws.core.ports import Job, Outcome, Sink, Stopped
from copilot_ws.labs.base import Lab
from copilot_ws.wire.errors import CopilotError

HARD_MAX_CALLS = 100
# think and act for each call, one summing up, and some room: LangGraph's own limit must never be the one that hits.
RECURSION_LIMIT = 2 * HARD_MAX_CALLS + 10


class State(TypedDict):
    """What a checkpoint holds: the run in progress. The conversation before it is in the database.

    `messages` are this run's alone, so a checkpoint does not grow with the conversation.
    """

    messages: Annotated[list[AnyMessage], add_messages]
    llm_calls: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class RunContext:
    """What the nodes need and no checkpoint may hold: secrets, connections, the stop signal."""

    job: Job
    sink: Sink
    lab: Lab
    thinker: Thinker
    actor: Actor


def first_input(job: Job) -> State:
    """The state that a run starts with, whatever the thread's last checkpoint holds."""
    messages: list[Any] = [RemoveMessage(id=REMOVE_ALL_MESSAGES), to_langchain(job.message)]
    return {"messages": messages, "llm_calls": 0, "outcome": "completed"}


async def think(state: State, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """One model call; after a limit the last one, without tools, to sum up."""
    context = runtime.context
    limited = state["outcome"] == "limited"
    try:
        messages = await _conversation(context, state["messages"])
        if limited:
            messages.append(prompt.sum_up())
        answer = await context.thinker.answer(messages, with_tools=not limited)
    except Stopped:
        return {"outcome": "stopped"}
    return {"messages": [answer], "llm_calls": state["llm_calls"] + 1}


async def _conversation(context: RunContext, new: list[AnyMessage]) -> list[AnyMessage]:
    job = context.job
    try:
        topology = await job.stop.run(read_topology(context.lab, job.caller, job.project), name="read topology")
    except CopilotError:
        topology = None
    earlier = [to_langchain(message) for message in job.history]
    return [prompt.system_prompt(topology), *paired([*earlier, *new])]


async def act(state: State, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """The results of the last answer's calls; of an answer that used up the run's model calls none runs."""
    context, job = runtime.context, runtime.context.job
    calls = calls_of(_last_answer(state))
    if state["llm_calls"] >= job.max_iterations:
        why = f"Not run: this run may call the model {job.max_iterations} times (max_iterations)."
        context.sink.limit_reached("max_iterations", job.max_iterations, f"{why} Ask again to go on.")
        return {"messages": context.actor.refuse(calls, "limited", why), "outcome": "limited"}
    results = await context.actor.run(calls)
    return {"messages": results, "outcome": "stopped" if job.stop.reason else state["outcome"]}


def _last_answer(state: State) -> AIMessage:
    last = state["messages"][-1]
    assert isinstance(last, AIMessage)
    return last


def after_think(state: State) -> str:
    last = state["messages"][-1]
    asks = isinstance(last, AIMessage) and (last.tool_calls or last.invalid_tool_calls)
    return "act" if asks and state["outcome"] == "completed" else END


def after_act(state: State) -> str:
    return END if state["outcome"] == "stopped" else "think"


def build(saver: BaseCheckpointSaver[str]) -> CompiledStateGraph[State, RunContext, State, State]:
    graph = StateGraph(State, context_schema=RunContext)
    graph.add_node("think", think)
    graph.add_node("act", act)
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", after_think, ["act", END])
    graph.add_conditional_edges("act", after_act, ["think", END])
    return graph.compile(checkpointer=saver)
