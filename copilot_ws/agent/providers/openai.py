"""OpenAI and every server that speaks its chat completions API, with the thoughts that many of them send."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from copilot_ws.agent.outbound import async_client, no_client

if TYPE_CHECKING:
    from copilot_ws.agent.models import ModelConfig
    from copilot_ws.agent.providers.table import Provider

OPENAI_URL = "https://api.openai.com/v1"

Json = dict[str, Any]

# OpenAI's thinking models take `max_completion_tokens` alone; most other servers know only `max_tokens`.
_NEW_NAME = re.compile(r"(?:^|/)(?:o\d|gpt-[5-9])")


def build(config: ModelConfig, provider: Provider) -> BaseChatModel:
    url = config.base_url or provider.base_url
    compatible: Json = {"use_responses_api": False} if url else {}  # OpenAI's own: as the model needs it
    return OpenAICompatible(
        model=config.model,
        base_url=url or (None if config.allowed is None else OPENAI_URL),  # the environment's: no person's
        api_key=SecretStr(config.api_key or "none"),  # servers of one's own take no key, the client insists on one
        stream_usage=True,  # off by default where a base URL is given
        timeout=config.timeout,
        http_async_client=async_client(config),  # our own: `close` frees it
        http_client=no_client(),
        stream_chunk_timeout=None,  # the run counts itself, from chunk to chunk
        max_retries=0,  # `Patience` tries again, the same for all providers
        old_max_tokens=bool(url) and _NEW_NAME.search(config.model) is None,
        thoughts=provider.thoughts,
        **compatible,
    )


class OpenAICompatible(ChatOpenAI):
    """DeepSeek, vLLM, llama.cpp, OpenRouter and others stream thoughts beside the answer.

    They call the field `reasoning_content` or `reasoning`; ChatOpenAI drops both by design. `thoughts` names the
    field in which the server wants them back.
    """

    old_max_tokens: bool = False
    thoughts: str = ""

    async def aclose(self) -> None:
        """Frees the connections."""
        if self.http_async_client is not None:
            await self.http_async_client.aclose()

    def _convert_chunk_to_generation_chunk(
        self, chunk: Json, default_chunk_class: type, base_generation_info: Json | None
    ) -> ChatGenerationChunk | None:
        made = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        if made is not None and isinstance(made.message, AIMessageChunk):
            if (usage := made.message.usage_metadata) is not None:
                _count_thoughts(usage)
            for choice in chunk.get("choices") or ():
                self._take_thoughts(choice.get("delta") or {}, made.message.additional_kwargs)
        return made

    def _take_thoughts(self, delta: Json, more: Json) -> None:
        thoughts = delta.get("reasoning_content") or delta.get("reasoning")
        if isinstance(thoughts, str) and thoughts:
            more["reasoning_content"] = thoughts
        details = delta.get("reasoning_details")
        if self.thoughts == "reasoning_details" and isinstance(details, list):
            more["reasoning_details"] = [{"detail": detail} for detail in details]  # LangChain would merge them

    def _get_request_payload(self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any) -> Json:
        payload: Json = super()._get_request_payload(input_, stop=stop, **kwargs)
        if self.old_max_tokens and "max_completion_tokens" in payload:
            payload["max_tokens"] = payload.pop("max_completion_tokens")
        if self.thoughts and "messages" in payload:
            self._give_back(self._convert_input(input_).to_messages(), payload["messages"])
        return payload

    def _give_back(self, messages: Sequence[BaseMessage], sent: Sequence[Json]) -> None:
        """Puts each answer's thoughts beside it. DeepSeek refuses an answer with calls that lacks the field."""
        for message, target in zip(messages, sent, strict=True):
            if not isinstance(message, AIMessage):
                continue
            thoughts = message.additional_kwargs.get(self.thoughts)
            if isinstance(thoughts, list):
                target[self.thoughts] = _whole(thoughts)
            elif thoughts or (message.tool_calls and self.thoughts == "reasoning_content"):
                target[self.thoughts] = thoughts or ""


def _count_thoughts(usage: UsageMetadata) -> None:
    """xAI, and Google's API in OpenAI's form, count thoughts in the total alone; they are paid for as output."""
    usage["output_tokens"] = max(usage["output_tokens"], usage["total_tokens"] - usage["input_tokens"])


def _whole(pieces: Sequence[Json]) -> list[Json]:
    """OpenRouter's details as one list: the pieces of one block, which came one after the other, joined."""
    found: list[Json] = []
    for piece in (piece["detail"] for piece in pieces):
        last = found[-1] if found else {}
        if last and _one_block(last, piece):
            for key, value in piece.items():
                grows = key in ("text", "summary", "data") and isinstance(last.get(key), str)
                last[key] = last[key] + (value or "") if grows else (value if value is not None else last.get(key))
        else:
            found.append(dict(piece))
    return found


def _one_block(last: Json, piece: Json) -> bool:
    """Signatures of parallel calls may share an index; each has the id of its call."""
    ids = {last.get("id"), piece.get("id")} - {None}
    return len(ids) < 2 and (last.get("type"), last.get("index")) == (piece.get("type"), piece.get("index"))
