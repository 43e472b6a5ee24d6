"""One model call: the conversation goes out repaired, the answer comes back as speech and one message."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage
from langchain_core.runnables import Runnable

from copilot_ws.agent.context import Fitted, fit, room, whole_from
from copilot_ws.agent.faults import SILENT, PassingFault, bad_end, explain, gave_up, may_do_better
from copilot_ws.agent.history import call_ids, made_plain, new_id, to_message, tool_message, unanswered
from copilot_ws.agent.models import ModelConfig
from copilot_ws.agent.patience import ATTEMPTS, Patience
from copilot_ws.agent.prices import cost_usd
from copilot_ws.agent.providers.table import Provider, call_options, context_tokens, provider_of
from copilot_ws.agent.tokens import SENT, Measure, measure, message_tokens, tools_tokens
from copilot_ws.agent.translate import AnswerReader
from copilot_ws.core.ports import Job, Sink, Stopped, ToolStatus
from copilot_ws.wire.codecs import to_json
from copilot_ws.wire.errors import LlmError
from copilot_ws.wire.times import utcnow

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Thinker:
    """Calls one model for one run. `taken` holds every call id that the run has seen.

    `last_tokens` and `last_cost` are those of the last answer, with those of an empty one before it.
    """

    model: BaseChatModel
    config: ModelConfig
    tools: Sequence[dict[str, Any]]
    job: Job
    sink: Sink
    taken: set[str] = field(default_factory=set)
    last_tokens: int = 0
    last_cost: float | None = 0.0
    _reader: AnswerReader = field(init=False)
    _half: int | None = None
    _whole_from: str = ""

    def fitted(self, messages: Sequence[AnyMessage]) -> tuple[Fitted, int]:
        """The conversation as far as the model can read it, and how many tokens that is (0: not known)."""
        fitted, most = self._fitted(messages)
        self._whole_from = whole_from(messages, fitted.messages)
        return fitted, most

    def _fitted(self, messages: Sequence[AnyMessage]) -> tuple[Fitted, int]:
        most, measured = context_tokens(self.config, self.model), self._measure(messages)
        if self._half is not None:
            budget = self._half
        elif most is not None:
            budget = room(most, self.job.max_tokens or self.config.max_tokens, measured.tools(self.tools))
        else:
            return Fitted(list(messages)), 0
        return fit(messages, budget, self.job.message.id, measured.message), most or budget

    def halves(self, messages: Sequence[AnyMessage]) -> bool:
        """After a refusal as too long: half of what was sent has to do from now on. Whether that is less."""
        sent, _ = self.fitted(messages)
        self._half = sum(map(self._measure(messages).message, sent.messages)) // 2
        return self.fitted(messages)[0] != sent

    def _measure(self, messages: Sequence[AnyMessage]) -> Measure:
        return measure(messages, self.config.provider, self.config.name)

    async def answer(self, messages: Sequence[AnyMessage], *, with_tools: bool) -> AIMessage:
        """The model's answer. What was said before a stop or a fault stands in history all the same.

        Raises `Stopped`, or `LlmError` when the provider failed.
        """
        self.taken |= {call_id for message in messages for call_id in call_ids(message)}
        begun, self.last_tokens, self.last_cost = utcnow(), 0, 0.0
        self._reader = self._new_reader()
        try:
            await self.job.stop.run(self._converse(messages, with_tools), name="model call")
        except Stopped:
            self._keep(begun, "stopped", "Not run: the run was stopped.")
            raise
        except Exception:
            self._keep(begun, "error", "Not run: the model's answer broke off.")
            raise
        answer = self._reader.message(whole=True)
        answer.response_metadata[SENT] = self._sent(messages, with_tools)
        self.sink.message(to_message(answer, begun, self._reader.metadata(whole=True), self._bill()))
        self._count()
        return answer

    def _new_reader(self) -> AnswerReader:
        adds_up = self._provider.usage == "since the last"
        return AnswerReader(new_id(), self.sink, self.taken, provider=self.config.provider, usage_adds_up=adds_up)

    @property
    def _provider(self) -> Provider:
        return provider_of(self.config)

    def _count(self) -> None:
        used = self._reader.usage
        cost = cost_usd(self.config, *used)
        self.last_tokens += sum(used)
        self.last_cost = None if cost is None or self.last_cost is None else self.last_cost + cost
        self.sink.usage(self.config.name, *used, cost, self._reader.cut)

    def _bill(self) -> dict[str, Any]:
        return {"model": self.config.name, "cost_usd": cost_usd(self.config, *self._reader.usage)}

    async def _converse(self, messages: Sequence[AnyMessage], with_tools: bool) -> None:
        """Reads the answer; an empty one is asked for once more. Raises `LlmError`."""
        for last in (False, True):
            await self._ask(messages, with_tools)
            finish, thought = self._reader.finish, self._reader.said_something
            fault = bad_end(finish, answers=self._reader.answers, thought=thought)
            if fault is None:
                return
            if last or thought or not may_do_better(finish):
                raise fault
            log.warning("the model answered with nothing (%s)", finish)
            self._count()

    async def _ask(self, messages: Sequence[AnyMessage], with_tools: bool) -> None:
        """Reads one answer, with further attempts as long as nothing of it was said. Raises `LlmError`."""
        patience, runnable = Patience(self.config.timeout, self._tell_pause), self._runnable(with_tools)

        async def attempt() -> None:
            self._reader = self._new_reader()
            try:
                await self._stream(runnable, made_plain(messages, self.config.provider), patience.until)
            except Exception as fault:
                if not self._reader.finish:  # else the answer is whole: some send their usage as an error after it
                    raise self._failed(explain(fault, (self.config.api_key,)), fault) from None  # it may quote the key
                log.warning("the stream failed after the answer's end: %s", type(fault).__name__)
            if (broken := gave_up(self._reader.finish)) is not None:
                raise self._failed(broken, broken)

        await patience.outlast(attempt)

    def _failed(self, explained: LlmError, fault: Exception) -> LlmError:
        """The fault of an attempt; none follows where something was said."""
        log.warning("model call failed: %s (%s)", explained.fault, type(fault).__name__)
        if self._reader.said_something and isinstance(explained, PassingFault):
            return explained.final()
        return explained

    def _tell_pause(self, attempt: int, seconds: float, fault: PassingFault) -> None:
        self.sink.llm_retry(attempt, ATTEMPTS, seconds, fault.fault, fault.what)

    async def _stream(self, runnable: Runnable[Any, Any], messages: list[AnyMessage], until: float) -> None:
        """Feeds the chunks to the reader: the first one comes by `until`, each other within the time-out."""
        loop = asyncio.get_running_loop()
        async with aclosing(cast("AsyncGenerator[Any, None]", runnable.astream(messages))) as chunks:
            while True:
                try:
                    async with asyncio.timeout_at(until):
                        chunk = await anext(chunks, None)
                except TimeoutError:
                    raise LlmError("llm_timeout", SILENT) from None
                if chunk is None:
                    return
                if isinstance(chunk, AIMessageChunk):
                    self._reader.feed(chunk)
                until = loop.time() + self.config.timeout

    def _sent(self, messages: Sequence[AnyMessage], with_tools: bool) -> dict[str, Any]:
        """What the provider's count is a count of, see `SENT`."""
        offered = with_tools or self._provider.quiet == "choice"
        tokens = sum(map(message_tokens, messages)) + (tools_tokens(self.tools) if offered else 0)
        return {"model": self.config.name, "tokens": tokens, "whole_from": self._whole_from}

    def _runnable(self, with_tools: bool) -> Runnable[Any, Any]:
        options = call_options(self.config, self.model, self.job.temperature, self.job.max_tokens)
        if with_tools:
            return self.model.bind_tools(self.tools, **options)
        if self._provider.quiet == "choice":
            return self.model.bind_tools(self.tools, tool_choice=cast("Any", {"type": "none"}), **options)
        return self.model.bind(**options)

    def _keep(self, begun: str, status: ToolStatus, why: str) -> None:
        """An answer that broke off stays as far as it was seen; its calls get a result without running."""
        reader = self._reader
        if reader.said_something:
            message = to_message(reader.message(whole=False), begun, reader.metadata(whole=False), self._bill())
            self.sink.message(message)
            for call_id, name in unanswered([message]):
                text = to_json({"error": why}).decode()
                self.sink.tool_end(tool_message(call_id, name, text, status), status, 0)
        self._count()


async def whole_answer(model: BaseChatModel, config: ModelConfig, messages: Sequence[AnyMessage]) -> AIMessage:
    """An answer that nobody watches, whole and without tools. Raises `LlmError`."""
    patience, options = Patience(config.timeout), call_options(config, model, None, None)

    async def attempt() -> AIMessage:
        try:
            async with asyncio.timeout_at(patience.until):
                return await model.ainvoke(list(messages), **options)
        except Exception as fault:
            raise explain(fault, (config.api_key,)) from None

    return await patience.outlast(attempt)
