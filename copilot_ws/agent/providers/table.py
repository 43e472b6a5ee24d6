"""What differs between the model providers, in one table; a provider's client is loaded only when it is used."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from langchain_core.language_models import BaseChatModel

from copilot_ws.wire.errors import LlmError

if TYPE_CHECKING:
    from copilot_ws.agent.models import ModelConfig


@dataclass(frozen=True, slots=True)
class Provider:
    """How one provider is reached, and its habits.

    `module` (of this package) has `build(config, provider)`. `extra`: what `pip install "copilot-ws[...]"` has
    to add for it. `base_url`: where it is unless a configuration says otherwise. `usage`: whether its client
    reports the tokens so far, or those since its last report. `quiet`: how a request says that no tool may be
    called; "choice": the tools are offered all the same, for it refuses a history with calls of tools that it
    is not told about. `thoughts`: the field in which an OpenAI-compatible server wants its thoughts back.
    """

    module: str
    extra: str | None = None
    base_url: str = ""
    needs_model: bool = True
    needs_key: bool = True
    max_tokens: str = "max_tokens"
    max_temperature: float = 2.0
    usage: Literal["so far", "since the last"] = "so far"
    quiet: Literal["no tools", "choice"] = "no tools"
    thoughts: Literal["", "reasoning_content", "reasoning_details"] = ""


PROVIDERS: dict[str, Provider] = {
    "demo": Provider("demo", needs_model=False, needs_key=False),
    "openai": Provider("openai"),
    "deepseek": Provider("openai", base_url="https://api.deepseek.com/v1", thoughts="reasoning_content"),
    "openrouter": Provider("openai", base_url="https://openrouter.ai/api/v1", thoughts="reasoning_details"),
    "xai": Provider("openai", base_url="https://api.x.ai/v1"),
    "anthropic": Provider("anthropic", extra="anthropic", max_temperature=1.0, quiet="choice"),
    "google_genai": Provider("google", extra="google", max_tokens="max_output_tokens", usage="since the last"),
    "ollama": Provider("ollama", extra="ollama", needs_key=False, max_tokens="num_predict"),
}


def provider_of(config: ModelConfig) -> Provider:
    """Raises `LlmError` (`llm_not_configured`) for a provider that there is not."""
    found = PROVIDERS.get(config.provider)
    if found is None:
        known = ", ".join(sorted(PROVIDERS))
        raise LlmError("llm_not_configured", f"There is no model provider {config.provider!r}. Known: {known}.")
    return found


def build(config: ModelConfig) -> BaseChatModel:
    """A new model; slow the first time (imports). Raises `LlmError` (`llm_not_configured`) with what to do."""
    provider = provider_of(config)
    if provider.needs_model and not config.model:
        raise LlmError("llm_not_configured", f"No model is set: {_say(config, 'LLM_MODEL', 'model')}.")
    if provider.needs_key and not config.api_key and not config.base_url:
        raise LlmError("llm_not_configured", f"No API key is set: {_say(config, 'LLM_API_KEY', 'api_key')}.")
    try:
        module = importlib.import_module(f"copilot_ws.agent.providers.{provider.module}")
    except ModuleNotFoundError as missing:
        if provider.extra is None or (missing.name or "").startswith("copilot_ws"):
            raise
        need = f'pip install "copilot-ws[{provider.extra}]"'
        message = (
            f"The provider {config.provider} needs a package that is not installed here. The operator adds it: {need}"
        )
        raise LlmError("llm_not_configured", message) from None
    model: BaseChatModel = module.build(config, provider)
    return model


def _say(config: ModelConfig, setting: str, field: str) -> str:
    """Where what is missing is to be given: each can mend only what is theirs."""
    return f"set COPILOT_WS_{setting}" if config.allowed is None else f"give `{field}` in your model configuration"


def call_options(
    config: ModelConfig, model: BaseChatModel, temperature: float | None, max_tokens: int | None
) -> dict[str, Any]:
    """The options of one call: a request's own, else the configuration's; the provider's default is left unsaid.

    A temperature is left out where the model is known to refuse it, and lowered to the provider's largest.
    """
    provider = provider_of(config)
    temperature = temperature if temperature is not None else config.temperature
    max_tokens = max_tokens if max_tokens is not None else config.max_tokens
    found: dict[str, Any] = {}
    if temperature is not None and (model.profile or {}).get("temperature") is not False:
        found["temperature"] = min(temperature, provider.max_temperature)
    if max_tokens is not None:
        found[provider.max_tokens] = max_tokens
    return found


def context_tokens(config: ModelConfig, model: BaseChatModel) -> int | None:
    """How much the model can read, None where that is not known for certain.

    LangChain lists the models of the large providers. At an address of one's own a name says little.
    """
    if config.context_tokens is not None or config.base_url:
        return config.context_tokens
    return (model.profile or {}).get("max_input_tokens") or None
