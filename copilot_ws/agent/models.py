"""Builds chat models by provider name and says what it needs for that."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from copilot_ws.wire.errors import LlmError


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Which model to use. `api_key` is a secret: it stays in memory and is never shown."""

    provider: str = "demo"
    model: str = ""
    base_url: str = ""
    api_key: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    timeout: float = 60.0

    def __repr__(self) -> str:
        return f"ModelConfig({self.provider!r}, {self.model!r})"

    @property
    def name(self) -> str:
        return self.model or self.provider


def _demo(_: ModelConfig) -> BaseChatModel:
    from copilot_ws.agent.demo_model import DemoChatModel

    return DemoChatModel()


def _openai(config: ModelConfig) -> BaseChatModel:
    # These take 1.3 s to import: only where they are used.
    from openai import DefaultAsyncHttpxClient

    from copilot_ws.agent.openai_model import OpenAICompatible

    if not config.model:
        raise LlmError("llm_not_configured", "No model is set: name one with COPILOT_WS_LLM_MODEL.")
    if not config.api_key and not config.base_url:
        raise LlmError("llm_not_configured", "No API key is set: give one with COPILOT_WS_LLM_API_KEY.")
    given: dict[str, Any] = {"temperature": config.temperature, "max_tokens": config.max_tokens}
    return OpenAICompatible(
        model=config.model,
        base_url=config.base_url or None,
        api_key=SecretStr(config.api_key or "none"),  # servers of one's own take no key, the client insists on one
        stream_usage=True,  # off by default where a base URL is given
        timeout=config.timeout,
        http_async_client=DefaultAsyncHttpxClient(timeout=config.timeout),  # our own: `Models.close` frees it
        stream_chunk_timeout=None,  # the run counts itself, from chunk to chunk
        max_retries=2,
        **{key: value for key, value in given.items() if value is not None},
    )


_BUILDERS: dict[str, Callable[[ModelConfig], BaseChatModel]] = {"demo": _demo, "openai": _openai}


class Models:
    """Keeps one model per configuration: a client holds a connection pool and is slow to make."""

    def __init__(self) -> None:
        self._made: dict[ModelConfig, BaseChatModel] = {}

    def get(self, config: ModelConfig) -> BaseChatModel:
        """Raises `LlmError` (`llm_not_configured`) with what to do."""
        if config not in self._made:
            builder = _BUILDERS.get(config.provider)
            if builder is None:
                known = ", ".join(sorted(_BUILDERS))
                message = f"There is no model provider {config.provider!r}. Known: {known}."
                raise LlmError("llm_not_configured", message)
            self._made[config] = builder(config)
        return self._made[config]

    def warm(self, config: ModelConfig) -> None:
        """Makes the server's own model before the first message; what is wrong with it is told then."""
        with contextlib.suppress(LlmError):
            self.get(config)

    async def close(self) -> None:
        """Closes the connections that the models hold open."""
        for model in self._made.values():
            if (client := getattr(model, "http_async_client", None)) is not None:
                await client.aclose()
        self._made.clear()
