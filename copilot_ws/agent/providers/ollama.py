"""Ollama's own API: whole calls, thoughts in a field of their own, and a context that the request sets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

import httpx
import httpx2
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_ollama import ChatOllama
from ollama import ResponseError
from pydantic import PrivateAttr

from copilot_ws.agent.outbound import async_client

if TYPE_CHECKING:
    from copilot_ws.agent.models import ModelConfig
    from copilot_ws.agent.providers.table import Provider

OLLAMA_URL = "http://127.0.0.1:11434"


def build(config: ModelConfig, provider: Provider) -> BaseChatModel:
    http = async_client(config)
    key = config.api_key or ("none" if config.allowed is not None else "")  # else the environment's is sent along
    model = Ollama(
        model=config.model,
        base_url=config.base_url or OLLAMA_URL,
        num_ctx=config.context_tokens,  # Ollama cuts what is longer without a word
        reasoning=True,
        client_kwargs={"headers": {"Authorization": f"Bearer {key}"} if key else {}},
        sync_client_kwargs={"transport": httpx.BaseTransport()},  # nobody calls it
        async_client_kwargs={"transport": _Through(http), "timeout": config.timeout},
    )
    model.reach_with(http)
    return model


class Ollama(ChatOllama):
    """ChatOllama that reads thoughts wherever there are any, and leaves it to the model whether it thinks.

    Asked to think, a model that cannot answers 400; not asked, ChatOllama drops the thoughts.
    """

    _http: httpx2.AsyncClient = PrivateAttr()

    def reach_with(self, http: httpx2.AsyncClient) -> None:
        """Remembers the client to close."""
        self._http = http

    async def aclose(self) -> None:
        """Frees the connections."""
        await self._http.aclose()

    def _chat_params(self, messages: list[BaseMessage], stop: list[str] | None = None, **kwargs: Any) -> dict[str, Any]:
        own = {name: kwargs.pop(name) for name in ("temperature", "num_predict") if name in kwargs}
        params: dict[str, Any] = super()._chat_params(messages, stop, **kwargs)
        return {**params, "think": None, "options": {**params["options"], **own}}

    async def _acreate_chat_stream(self, *args: Any, **kwargs: Any) -> AsyncIterator[Mapping[str, Any] | str]:
        """Raises `ResponseError`; one that comes within an answer has no status of its own: the server failed."""
        try:
            async for part in super()._acreate_chat_stream(*args, **kwargs):
                yield part
        except ResponseError as fault:
            if fault.status_code > 0:
                raise
            raise ResponseError(fault.error, 500) from None


class _Through(httpx.AsyncBaseTransport):
    """Sends the requests of Ollama's client (httpx) through our own (httpx2), which checks addresses where it must."""

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self._client = client

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Raises what httpx2 raises."""
        content = await request.aread()
        sent = self._client.build_request(
            request.method, str(request.url), headers=request.headers.raw, content=content
        )
        answer = await self._client.send(sent, stream=True)
        return httpx.Response(answer.status_code, headers=answer.headers.raw, stream=_Stream(answer))


class _Stream(httpx.AsyncByteStream):
    def __init__(self, answer: httpx2.Response) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._answer.aiter_raw():
            yield piece

    async def aclose(self) -> None:
        await self._answer.aclose()
