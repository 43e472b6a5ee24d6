"""Google's Gemini API: parts of text and thoughts with signatures, whole calls, usage in differences."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from google.genai import Client
from google.genai.types import HttpOptions
from langchain_core.language_models import BaseChatModel
from langchain_core.outputs import ChatGenerationChunk
from langchain_google_genai import ChatGoogleGenerativeAI
from pydantic import PrivateAttr, SecretStr

from copilot_ws.agent.outbound import async_client, no_client

if TYPE_CHECKING:
    import httpx2

    from copilot_ws.agent.models import ModelConfig
    from copilot_ws.agent.providers.table import Provider

GOOGLE_URL = "https://generativelanguage.googleapis.com/"

# Others answer 400 where thoughts are asked for.
_THINKS = re.compile(r"gemini-(?:2\.5|[3-9]|flash-latest|pro-latest)")


def build(config: ModelConfig, provider: Provider) -> BaseChatModel:
    url, key = config.base_url or GOOGLE_URL, config.api_key or "none"
    settings: dict[str, Any] = {
        "model": config.model,
        "base_url": url,
        "api_key": SecretStr(key),
        "vertexai": False,
        "temperature": None,  # LangChain's own default is 0.7
        "max_retries": 1,  # attempts: `Patience` tries again, the same for all providers
        "include_thoughts": True if _THINKS.search(config.model) else None,
    }
    model = Gemini(**settings)  # no time-out: it would tell Google to end the whole answer by then
    model.reach_with(async_client(config), url, key)
    return model


class Gemini(ChatGoogleGenerativeAI):
    """ChatGoogleGenerativeAI with an HTTP client of its own, which checks addresses where it must.

    A question that Google blocks has an answer without candidates: its reason becomes that of the answer's end.
    """

    _http: httpx2.AsyncClient = PrivateAttr()

    def reach_with(self, http: httpx2.AsyncClient, url: str, key: str) -> None:
        """Sets the HTTP client, before the first call."""
        self._http = http
        self.client = Client(
            vertexai=False,
            api_key=key,
            http_options=HttpOptions(base_url=url, httpx_async_client=http, httpx_client=no_client()),
        )

    async def aclose(self) -> None:
        """Frees the connections."""
        await self._http.aclose()

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        async for chunk in super()._astream(*args, **kwargs):
            metadata = chunk.message.response_metadata
            reason = (metadata.pop("prompt_feedback", None) or {}).get("block_reason")
            if reason is not None:
                metadata["finish_reason"] = f"blocked: {getattr(reason, 'value', reason)}"
            yield chunk
