"""Anthropic's messages API: blocks of text, thoughts with signatures, and calls."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from anthropic import AsyncAnthropic
from langchain_anthropic import ChatAnthropic
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.messages.ai import UsageMetadata
from pydantic import PrivateAttr, SecretStr

from copilot_ws.agent.outbound import async_client

if TYPE_CHECKING:
    import httpx2

    from copilot_ws.agent.models import ModelConfig
    from copilot_ws.agent.providers.table import Provider

ANTHROPIC_URL = "https://api.anthropic.com"


def build(config: ModelConfig, provider: Provider) -> BaseChatModel:
    model = Anthropic(
        model_name=config.model,
        base_url=config.base_url or ANTHROPIC_URL,
        api_key=SecretStr(config.api_key or "none"),
        timeout=config.timeout,
        max_retries=0,  # `Patience` tries again, the same for all providers
        stop=None,
    )
    model.reach_with(async_client(config))
    return model


class Anthropic(ChatAnthropic):
    """ChatAnthropic with an HTTP client of its own (LangChain shares one per address, which nobody may close),
    and with the input tokens of `message_start`: not every server repeats them at the end.
    """

    _http: httpx2.AsyncClient = PrivateAttr()

    def reach_with(self, http: httpx2.AsyncClient) -> None:
        """Sets the HTTP client, before the first call."""
        self._http = http

    async def aclose(self) -> None:
        """Frees the connections."""
        await self._http.aclose()

    @cached_property
    def _async_client(self) -> AsyncAnthropic:
        return AsyncAnthropic(**self._client_params, http_client=self._http)

    def _make_message_chunk_from_anthropic_event(self, event: Any, **kwargs: Any) -> tuple[AIMessageChunk | None, Any]:
        chunk, block = super()._make_message_chunk_from_anthropic_event(event, **kwargs)
        if event.type == "message_start" and chunk is not None and chunk.usage_metadata is None:
            usage = event.message.usage
            cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
            read = (usage.input_tokens or 0) + cached
            chunk.usage_metadata = UsageMetadata(input_tokens=read, output_tokens=0, total_tokens=read)
        return chunk, block
