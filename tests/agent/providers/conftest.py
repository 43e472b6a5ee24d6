"""A chat with any provider's model, which is played from files of its wire."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from kit.provider_chat import ProviderChat
from kit.server import Start
from kit.wire_llm import WireLlm


@pytest.fixture
async def chat(start: Start) -> AsyncIterator[ProviderChat]:
    async with WireLlm().listening() as llm:
        yield ProviderChat(start, llm)
