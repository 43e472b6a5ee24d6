"""The demo model: rules inside this server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_core.language_models import BaseChatModel

from copilot_ws.agent.demo_model import DemoChatModel

if TYPE_CHECKING:
    from copilot_ws.agent.models import ModelConfig
    from copilot_ws.agent.providers.table import Provider


def build(config: ModelConfig, provider: Provider) -> BaseChatModel:
    return DemoChatModel()
