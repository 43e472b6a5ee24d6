"""The embedded chat model `demo`: rules instead of a language model, without a key and without a network."""

from __future__ import annotations

import asyncio
import json
import re
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.language_models.chat_models import generate_from_stream
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from copilot_ws.agent.demo.plans import reply
from copilot_ws.agent.demo.steps import Reply
from copilot_ws.agent.demo.title import title, wants_title
from copilot_ws.agent.demo.turn import Call, read_turn

CHARACTERS_PER_TOKEN = 4
MAX_PIECES = 200  # of one text: with the pauses between them, a long output still comes within seconds
ARGUMENT_PIECE = 24  # characters

Tool = dict[str, Any] | type | Callable[..., Any] | BaseTool


class DemoChatModel(BaseChatModel):
    """A chat model that sees what every model sees, messages and bound tools, and keeps nothing.

    Token counts are an estimate: four characters are one token. Sampling options and `stop` are ignored.
    """

    model_name: str = "demo"
    delay: float = 0.015
    """Seconds between two pieces of a streamed answer."""

    @property
    def _llm_type(self) -> str:
        return "copilot-ws-demo"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": self.model_name}

    def bind_tools(
        self, tools: Sequence[Tool], *, tool_choice: str | None = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The model with the names of the tools that it may call; a plan needs no `tool_choice`."""
        return self.bind(tool_names=[_tool_name(tool) for tool in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return generate_from_stream(self._pieces(messages, **kwargs))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return self._generate(messages, **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for piece in self._pieces(messages, **kwargs):
            yield piece
            time.sleep(self.delay)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for piece in self._pieces(messages, **kwargs):
            yield piece
            await asyncio.sleep(self.delay)

    def _pieces(
        self, messages: list[BaseMessage], tool_names: Sequence[str] = (), **_: Any
    ) -> Iterator[ChatGenerationChunk]:
        answer = _answer(messages, tool_names)
        for words in _in_pieces(answer.text):
            yield _piece(AIMessageChunk(content=words))
        for index, call in enumerate(answer.calls):
            for fragment in _call_fragments(call, index):
                yield _piece(fragment)
        yield _piece(self._last(messages, answer))

    def _last(self, messages: list[BaseMessage], answer: Reply) -> AIMessageChunk:
        return AIMessageChunk(
            content="",
            chunk_position="last",
            usage_metadata=_usage(messages, answer),
            response_metadata={
                "model_name": self.model_name,
                "finish_reason": "tool_calls" if answer.calls else "stop",
            },
        )


def _answer(messages: Sequence[BaseMessage], tool_names: Sequence[str]) -> Reply:
    if not tool_names and wants_title(messages):
        return Reply(title(messages))
    return reply(read_turn(messages, last_call=not tool_names), tool_names)


def _tool_name(tool: Tool) -> str:
    schema = convert_to_openai_tool(tool)
    return str(schema.get("function", schema).get("name", ""))


def _piece(message: AIMessageChunk) -> ChatGenerationChunk:
    return ChatGenerationChunk(message=message)


def _in_pieces(text: str) -> Iterator[str]:
    """The text word by word, or by several words where it is long."""
    words = re.findall(r"\s*\S+|\s+", text)
    size = -(-len(words) // MAX_PIECES) or 1
    return ("".join(words[at : at + size]) for at in range(0, len(words), size))


def _call_fragments(call: Call, index: int) -> Iterator[AIMessageChunk]:
    """A call as providers stream it: its name and id, then its arguments piece by piece."""
    yield _call_piece(name=call.name, args="", id=f"call_{uuid.uuid4().hex}", index=index)
    arguments = json.dumps(call.args, ensure_ascii=False)
    for at in range(0, len(arguments), ARGUMENT_PIECE):
        yield _call_piece(args=arguments[at : at + ARGUMENT_PIECE], index=index)


def _call_piece(**fields: Any) -> AIMessageChunk:
    return AIMessageChunk(content="", tool_call_chunks=[tool_call_chunk(**fields)])


def _usage(messages: Sequence[BaseMessage], answer: Reply) -> UsageMetadata:
    asked = _tokens(sum(map(_length, messages)))
    said = _tokens(len(answer.text) + sum(_call_length(call.name, call.args) for call in answer.calls))
    return UsageMetadata(input_tokens=asked, output_tokens=said, total_tokens=asked + said)


def _length(message: BaseMessage) -> int:
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return len(message.text) + sum(_call_length(call["name"], call["args"]) for call in calls)


def _call_length(name: str, args: dict[str, Any]) -> int:
    return len(name) + len(json.dumps(args, ensure_ascii=False))


def _tokens(characters: int) -> int:
    return max(1, -(-characters // CHARACTERS_PER_TOKEN))
