"""One model call: the conversation goes out repaired, the answer comes back as speech and one message."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage
from langchain_core.runnables import Runnable

from copilot_ws.agent.faults import explain
from copilot_ws.agent.history import call_ids, new_id, to_message, tool_message, unanswered
from copilot_ws.agent.models import ModelConfig
from copilot_ws.agent.translate import AnswerReader
from copilot_ws.core.ports import Job, Sink, Stopped, ToolStatus
from copilot_ws.wire.codecs import to_json
from copilot_ws.wire.times import utcnow

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Thinker:
    """Calls one model for one run. `taken` holds every call id that the run has seen."""

    model: BaseChatModel
    config: ModelConfig
    tools: Sequence[dict[str, Any]]
    job: Job
    sink: Sink
    taken: set[str] = field(default_factory=set)

    async def answer(self, messages: Sequence[AnyMessage], *, with_tools: bool) -> AIMessage:
        """The model's answer. What was said before a stop or a fault stands in history all the same.

        Raises `Stopped`, or `LlmError` when the provider failed.
        """
        self.taken |= {call_id for message in messages for call_id in call_ids(message)}
        reader, begun = AnswerReader(new_id(), self.sink, self.taken), utcnow()
        try:
            await self.job.stop.run(self._stream(reader, messages, with_tools), name="model call")
        except Stopped:
            self._keep(reader, begun, "stopped", "Not run: the run was stopped.")
            raise
        except Exception:
            self._keep(reader, begun, "error", "Not run: the model's answer broke off.")
            raise
        answer = reader.message(whole=True)
        self.sink.message(to_message(answer, begun, reader.metadata(whole=True)))
        self.sink.usage(self.config.name, *reader.usage)
        return answer

    async def _stream(self, reader: AnswerReader, messages: Sequence[AnyMessage], with_tools: bool) -> None:
        """Feeds the answer to the reader. A provider that fails, or is silent for the time-out: `LlmError`."""
        chunks = aiter(self._runnable(with_tools).astream(list(messages)))
        while (chunk := await self._next(chunks)) is not None:
            if isinstance(chunk, AIMessageChunk):
                reader.feed(chunk)

    async def _next(self, chunks: AsyncIterator[Any]) -> Any:
        try:
            async with asyncio.timeout(self.config.timeout):
                return await anext(chunks, None)
        except Exception as fault:
            explained = explain(fault, (self.config.api_key,))
            log.warning("model call failed: %s (%s)", explained.fault, type(fault).__name__)
            raise explained from None  # the provider's own text may quote the key

    def _runnable(self, with_tools: bool) -> Runnable[Any, Any]:
        given = {"temperature": self.job.temperature, "max_tokens": self.job.max_tokens}
        overrides: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        runnable: Runnable[Any, Any] = self.model
        if with_tools:
            runnable = self.model.bind_tools(self.tools, **overrides)
        elif overrides:
            runnable = self.model.bind(**overrides)
        return runnable

    def _keep(self, reader: AnswerReader, begun: str, status: ToolStatus, why: str) -> None:
        """An answer that broke off stays as far as it was seen; its calls get a result without running."""
        if reader.said_something:
            message = to_message(reader.message(whole=False), begun, reader.metadata(whole=False))
            self.sink.message(message)
            for call_id, name in unanswered([message]):
                text = to_json({"error": why}).decode()
                self.sink.tool_end(tool_message(call_id, name, text, status), status, 0)
        self.sink.usage(self.config.name, *reader.usage)
