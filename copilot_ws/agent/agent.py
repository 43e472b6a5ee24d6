"""The agent of one project: answers messages through the graph, and names conversations."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import aiosqlite
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from copilot_ws.agent import prompt
from copilot_ws.agent.act import Actor
from copilot_ws.agent.faults import explain
from copilot_ws.agent.graph import RECURSION_LIMIT, RunContext, build, first_input
from copilot_ws.agent.history import tool_message, unanswered, user_message
from copilot_ws.agent.models import ModelConfig, Models
from copilot_ws.agent.think import Thinker
from copilot_ws.agent.tools import TOOLS
from copilot_ws.core.ports import Job, Outcome, Sink, Title
from copilot_ws.labs.base import Lab
from copilot_ws.labs.console import Consoles
from copilot_ws.wire.codecs import to_json
from copilot_ws.wire.models import Message, Usage
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
        config: ModelConfig,
        max_output: int,
    ) -> None:
        self._connection = connection
        self._saver = AsyncSqliteSaver(connection)
        self._lab, self._consoles = lab, consoles
        self._models, self._config = models, config
        self._max_output = max_output
        self._tools = [tool.schema() for tool in TOOLS]
        self._graph = build(self._saver)

    async def setup(self) -> None:
        """Makes LangGraph's tables, which deleting a session needs as well."""
        await self._saver.setup()

    async def close(self) -> None:
        await self._connection.close()

    def user_message(self, text: str, metadata: dict[str, Any]) -> Message:
        """See `core.ports.Agent`."""
        return user_message(text, metadata)

    async def run(self, job: Job, sink: Sink) -> Outcome:
        """See `core.ports.Agent`."""
        model = self._models.get(self._config)
        context = RunContext(
            job,
            sink,
            self._lab,
            Thinker(model, self._config, self._tools, job, sink),
            Actor(self._lab, self._consoles, job, sink, self._max_output),
        )
        outcome: Outcome = "completed"
        async for update in self._graph.astream(
            first_input(job),
            {"configurable": {"thread_id": job.session_id}, "recursion_limit": RECURSION_LIMIT},
            context=context,
            stream_mode="updates",
            durability="sync",
        ):
            for changed in update.values():
                outcome = changed.get("outcome", outcome)
        return outcome

    async def title(self, messages: Sequence[Message]) -> Title:
        """See `core.ports.Agent`."""
        try:
            async with asyncio.timeout(self._config.timeout):
                model = self._models.get(self._config)
                answer = await model.ainvoke(prompt.title_request(messages))
        except Exception as fault:
            raise explain(fault, (self._config.api_key,)) from None
        usage, counted = Usage(), answer.usage_metadata
        spent = (counted["input_tokens"], counted["output_tokens"]) if counted else (0, 0)
        usage.add(self._config.name, *spent)
        lines = clean(str(answer.text)).strip().splitlines()
        return Title(lines[0].strip(" \"'#*.")[:TITLE_CHARACTERS] if lines else "", usage)

    def repaired(self, messages: Sequence[Message], reason: str) -> list[Message]:
        """See `core.ports.Agent`."""
        return [
            tool_message(call_id, name, to_json({"error": reason}).decode(), "stopped")
            for call_id, name in unanswered(messages)
        ]

    def usage_of(self, messages: Sequence[Message]) -> Usage:
        """See `core.ports.Agent`."""
        usage = Usage()
        for message in messages:
            if message.role == "assistant":
                counted = message.native.get("usage_metadata") or {}
                usage.add(self._config.name, counted.get("input_tokens") or 0, counted.get("output_tokens") or 0)
        return usage
