"""Which model is used: its configuration, and the chat model that is made of it."""

from __future__ import annotations

from dataclasses import dataclass

from langchain_core.language_models import BaseChatModel

from copilot_ws.agent.addresses import AllowedHosts
from copilot_ws.agent.providers.table import PROVIDERS, build


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Which model to use. `api_key` is a secret: it stays in memory and is never shown.

    `allowed` is set for a person's own model: where else than at public addresses it may be. The server's own
    model (None) may be anywhere. `context_tokens`: what the model can read, where it is known.
    """

    provider: str = "demo"
    model: str = ""
    base_url: str = ""
    api_key: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    timeout: float = 60.0
    allowed: AllowedHosts | None = None
    context_tokens: int | None = None

    def __repr__(self) -> str:
        return f"ModelConfig({self.provider!r}, {self.model!r})"

    @property
    def name(self) -> str:
        return self.model or self.provider


def make(config: ModelConfig) -> BaseChatModel:
    """A new model; slow the first time. Raises `LlmError` (`llm_not_configured`) with what to do."""
    return build(config)


def providers() -> list[str]:
    return sorted(PROVIDERS)


async def close(model: BaseChatModel) -> None:
    """Closes the connections that a model holds open."""
    if (aclose := getattr(model, "aclose", None)) is not None:
        await aclose()
