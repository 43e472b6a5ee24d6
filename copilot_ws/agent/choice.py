"""Which model a user's runs and titles use: the user's default configuration, else the server's own."""

from __future__ import annotations

from copilot_ws.agent.addresses import AllowedHosts
from copilot_ws.agent.models import ModelConfig
from copilot_ws.core.ports import StoredModel, StoredModels


class ModelChoice:
    """`own` is the server's model; `allowed` says where beyond public addresses a person's may be."""

    def __init__(self, own: ModelConfig, stored: StoredModels, allowed: AllowedHosts) -> None:
        self.own = own
        self._stored, self._allowed = stored, allowed

    async def of(self, user_id: str) -> ModelConfig:
        """Raises `LlmError` (`llm_not_configured`) if the user's own cannot be read."""
        found = await self._stored.default_of(user_id)
        return self.own if found is None else self.personal(found)

    def personal(self, stored: StoredModel) -> ModelConfig:
        """A stored configuration as a model's; its time-out is the server's."""
        config = stored.config
        return ModelConfig(
            config["provider"],
            config["model"],
            config["base_url"],
            stored.api_key,
            config["temperature"],
            config["max_tokens"],
            self.own.timeout,
            allowed=self._allowed,
            context_tokens=limit * 1000 if (limit := config.get("context_limit")) else None,
        )
