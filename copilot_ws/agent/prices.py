"""What a model call costs, by the price list of genai-prices (shipped with it, no network)."""

from __future__ import annotations

from genai_prices import Usage, calc_price

from copilot_ws.agent.models import ModelConfig

# Our names of providers, and the price list's.
_PROVIDERS = {
    "openai": "openai",
    "anthropic": "anthropic",
    "google_genai": "google",
    "deepseek": "deepseek",
    "openrouter": "openrouter",
    "xai": "x-ai",
}


def cost_usd(config: ModelConfig, input_tokens: int, output_tokens: int) -> float | None:
    """US dollars; None: the price is not known, as of a server of one's own."""
    if config.provider == "demo":
        return 0.0
    provider = _PROVIDERS.get(config.provider)
    if provider is None and not config.base_url:
        return None
    usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
    try:
        if config.base_url:
            price = calc_price(usage, model_ref=config.model, provider_api_url=config.base_url)
        else:
            price = calc_price(usage, model_ref=config.model, provider_id=provider)
    except LookupError:
        return None
    return float(price.total_price)
