"""The agent of one project: answers messages through the graph, and names conversations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import aiosqlite
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command, Interrupt

from copilot_ws.agent import prompt
from copilot_ws.agent.act import Actor
from copilot_ws.agent.changes import summary
from copilot_ws.agent.choice import ModelChoice
from copilot_ws.agent.graph import RECURSION_LIMIT, Graph, build
from copilot_ws.agent.history import made_by_us, stored, to_langchain, tool_message, unanswered, user_message
from copilot_ws.agent.limits import Limiter
from copilot_ws.agent.models import ModelConfig
from copilot_ws.agent.plan import Planner
from copilot_ws.agent.pool import Models
from copilot_ws.agent.prices import cost_usd
from copilot_ws.agent.state import RunContext, first_input
from copilot_ws.agent.think import Thinker, whole_answer
from copilot_ws.agent.think_back import UndoContext, think_back
from copilot_ws.agent.think_on import ModelContext, think
from copilot_ws.agent.tokens import reported
from copilot_ws.agent.tools import BY_NAME, SCHEMAS
from copilot_ws.agent.tools.base import Surroundings
from copilot_ws.agent.tools.topology import topology_if_readable
from copilot_ws.agent.undo import Undoer
from copilot_ws.core.ports import Decision, Job, Judged, Outcome, Pending, Prompt, Sink, Standing, Title, ToolStatus
from copilot_ws.labs.base import Lab
from copilot_ws.labs.console import Consoles
from copilot_ws.wire.codecs import to_json
from copilot_ws.wire.errors import InvalidArgument
from copilot_ws.wire.models import UNKNOWN, Message, Usage, validated
from copilot_ws.wire.text import clean

TITLE_CHARACTERS = 80


class LangGraphAgent:
    """Owns the graph and its checkpointer, which commits on a connection of its own."""

    def __init__(
        self,
        connection: aiosqlite.Connection,
        lab: Lab,
        consoles: Consoles,
        models: Models,
        choice: ModelChoice,
        max_output: int,
    ) -> None:
        self._connection = connection
        self._saver = AsyncSqliteSaver(connection)
        self._lab, self._consoles = lab, consoles
        self._models, self._choice = models, choice
        self._max_output = max_output
        self._graph = build(self._saver, think, ModelContext)
        self._undo_graph = build(self._saver, think_back, UndoContext)

    async def setup(self) -> None:
        """Makes LangGraph's tables, which deleting a session needs as well."""
        await self._saver.setup()

    async def close(self) -> None:
        await self._connection.close()

    def user_message(self, text: str, metadata: dict[str, Any]) -> Message:
        """See `core.ports.Agent`."""
        return user_message(text, metadata)

    async def run(self, job: Job, sink: Sink) -> Outcome | Prompt:
        """See `core.ports.Agent`."""
        return await self._go(first_input(job), job, sink)

    async def resume(self, job: Job, sink: Sink, decisions: Sequence[Decision] | None) -> Outcome | Prompt:
        """See `core.ports.Agent`."""
        if decisions is None:
            return await self._go(None, job, sink)
        standing = await self.standing(job.session_id)
        asked = standing.prompt.id if standing is not None and standing.prompt is not None else ""
        given = [
            {"hitl_session_id": asked, "tool_call_id": one.tool_call_id, "decision": one.shape()} for one in decisions
        ]
        return await self._go(Command(resume=given), job, sink)

    async def _go(self, given: Any, job: Job, sink: Sink) -> Outcome | Prompt:
        if job.undoes is not None:
            return await self._drive(self._undo_graph, given, self._undo_context(job, sink))
        config = await self._choice.of(job.user_id)
        async with self._models.lease(config) as model:
            return await self._drive(self._graph, given, self._context(job, sink, config, model))

    async def _drive(self, graph: Graph, given: Any, context: RunContext) -> Outcome | Prompt:
        result: Outcome | Prompt = "completed"
        thread = self._thread(context.job.session_id)
        try:
            async for update in graph.astream(given, thread, context=context, stream_mode="updates", durability="sync"):
                for node, changed in update.items():
                    if node == "__interrupt__":
                        result = _prompt(changed[0])
                    elif changed and "outcome" in changed:
                        result = changed["outcome"]
        finally:
            context.limiter.close()
        return result

    def _context(self, job: Job, sink: Sink, config: ModelConfig, model: BaseChatModel) -> ModelContext:
        taken = {call_id for message in job.history for call_id in message.call_ids}
        thinker = Thinker(model, config, SCHEMAS, job, sink, taken)
        return ModelContext(job, sink, self._lab, *self._hands(job, sink), thinker)

    def _undo_context(self, job: Job, sink: Sink) -> UndoContext:
        undoer = Undoer(self._lab, self._consoles, job, sink)
        return UndoContext(job, sink, self._lab, *self._hands(job, sink), undoer)

    def _hands(self, job: Job, sink: Sink) -> tuple[Planner, Actor, Limiter]:
        limiter = Limiter(job.limits, job.stop, sink)
        actor = Actor(self._lab, self._consoles, job, sink, limiter, self._max_output)
        return Planner(job, actor.around), actor, limiter

    @staticmethod
    def _thread(session_id: str) -> RunnableConfig:
        return {"configurable": {"thread_id": session_id}, "recursion_limit": RECURSION_LIMIT}

    async def standing(self, session_id: str) -> Standing | None:
        """See `core.ports.Agent`."""
        snapshot = await self._graph.aget_state(self._thread(session_id))
        state = snapshot.values
        if not state or "run_id" not in state:
            return None
        waiting = snapshot.interrupts
        return Standing(
            state["run_id"],
            _prompt(waiting[0]) if waiting else None,
            # Not `next`: that leaves out a gate whose answer is stored while its step is not committed.
            deciding=any(task.name == "gate" for task in snapshot.tasks) and not waiting,
            acting=snapshot.next == ("act",),
            decided=state.get("question") is not None,
            calls=tuple((call["id"], call["name"]) for call in state.get("calls", ())),
        )

    async def judge(self, job: Job, pending: Pending, arguments: dict[str, Any]) -> Judged:
        """See `core.ports.Agent`."""
        tool = BY_NAME[pending.tool_name]
        given = validated(tool.arguments, arguments, strict=False)
        around = Surroundings(
            self._lab,
            self._consoles,
            job.caller,
            job.project,
            job.run_id,
            pending.tool_call_id,
            job.user_id,
            self._max_output,
            job.limits.max_parallel_tools,
        )
        plan = await tool.plan(around, given)
        if plan.refused is not None:
            raise InvalidArgument(f"modified_args: {plan.refused}")
        changes = summary(pending.tool_args, arguments)
        return Judged(arguments, plan.danger_level, plan.dangerous, changes, plan.targets)

    async def estimate(self, job: Job) -> dict[str, Any]:
        """See `core.ports.Agent`."""
        topology = await topology_if_readable(self._lab, job.caller, job.project)
        said = [prompt.system_prompt(topology), *map(to_langchain, (*job.history, job.message))]
        tokens = count_tokens_approximately(said) + len(to_json(SCHEMAS)) // 4
        cost = cost_usd(await self._choice.of(job.user_id), tokens, 0)
        return {"input_tokens": tokens, "cost_usd": UNKNOWN if cost is None else cost}

    async def title(self, user_id: str, messages: Sequence[Message]) -> Title:
        """See `core.ports.Agent`."""
        config = await self._choice.of(user_id)
        async with self._models.lease(config) as model:
            answer = await whole_answer(model, config, prompt.title_request(messages))
        usage, counted = Usage(), answer.usage_metadata
        spent = (reported(counted["input_tokens"]), reported(counted["output_tokens"])) if counted else (0, 0)
        usage.add(config.name, *spent, cost_usd(config, *spent))
        lines = clean(str(answer.text)).strip().splitlines()
        return Title(lines[0].strip(" \"'#*.")[:TITLE_CHARACTERS] if lines else "", usage)

    def repaired(self, messages: Sequence[Message], reason: str) -> list[Message]:
        """See `core.ports.Agent`."""
        return [
            tool_message(call_id, name, to_json({"error": reason}).decode(), "stopped")
            for call_id, name in unanswered(messages)
        ]

    async def older_messages(self, session_id: str) -> list[Message]:
        """See `core.ports.Agent`."""
        found = await self._saver.aget_tuple(self._thread(session_id))
        values = found.checkpoint["channel_values"] if found is not None else {}
        said = [message for message in values.get("messages", ()) if isinstance(message, BaseMessage)]
        return stored(said, found.checkpoint["ts"] if found is not None else "")

    def tool_result(
        self, call_id: str, name: str, text: str, status: ToolStatus, executed: dict[str, Any] | None
    ) -> Message:
        """See `core.ports.Agent`."""
        return tool_message(call_id, name, text, status, {"executed_args": executed} if executed is not None else None)

    def usage_of(self, messages: Sequence[Message]) -> Usage:
        """See `core.ports.Agent`."""
        usage = Usage()
        for message in messages:
            if message.role == "assistant" and not made_by_us(message):
                counted = message.native.get("usage_metadata") or {}
                spent = (counted.get("input_tokens") or 0, counted.get("output_tokens") or 0)
                own = self._choice.own  # older messages do not say which model they are of
                bill = message.native.get("bill") or {"model": own.name, "cost_usd": cost_usd(own, *spent)}
                usage.add(bill["model"], *spent, bill["cost_usd"])
        return usage


def _prompt(asked: Interrupt) -> Prompt:
    pending = tuple(Pending(**one) for one in asked.value["pending"])
    return Prompt(asked.id, asked.value["asked_at"], pending)
