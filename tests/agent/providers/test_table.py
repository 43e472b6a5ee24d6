"""What a provider needs is said before it is asked, and every provider goes through our own HTTP client."""

from __future__ import annotations

import asyncio
import importlib.util
import sys

import pytest
from kit.provider_chat import PACKAGES
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import ToolCall

from copilot_ws.agent.addresses import AllowedHosts
from copilot_ws.agent.faults import explain
from copilot_ws.agent.history import PROVIDER, made_plain
from copilot_ws.agent.models import ModelConfig, close, make
from copilot_ws.agent.providers.table import PROVIDERS
from copilot_ws.settings import Settings
from copilot_ws.wire.errors import LlmError

REAL = sorted(set(PROVIDERS) - {"demo"})


def why_not(config: ModelConfig) -> str:
    with pytest.raises(LlmError) as caught:
        make(config)
    assert caught.value.fault == "llm_not_configured"
    return caught.value.message


def test_the_setting_takes_the_table() -> None:
    for provider in PROVIDERS:
        assert Settings(llm_provider=provider).llm_provider == provider


def test_an_unknown_provider_names_the_known_ones() -> None:
    assert "anthropic, deepseek, demo" in why_not(ModelConfig("nobody"))


@pytest.mark.parametrize("provider", REAL)
def test_a_model_is_needed(provider: str) -> None:
    assert "COPILOT_WS_LLM_MODEL" in why_not(ModelConfig(provider, api_key="key"))


@pytest.mark.parametrize("provider", [one for one in REAL if PROVIDERS[one].needs_key])
def test_a_key_is_needed(provider: str) -> None:
    assert "COPILOT_WS_LLM_API_KEY" in why_not(ModelConfig(provider, "model"))
    assert "`api_key`" in why_not(ModelConfig(provider, "model", allowed=AllowedHosts()))


@pytest.mark.parametrize("provider", [one for one in REAL if PROVIDERS[one].extra])
def test_a_missing_package_says_how_to_add_it(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    row = PROVIDERS[provider]
    monkeypatch.setitem(sys.modules, PACKAGES[str(row.extra)], None)
    monkeypatch.delitem(sys.modules, f"copilot_ws.agent.providers.{row.module}", raising=False)
    assert f'pip install "copilot-ws[{row.extra}]"' in why_not(ModelConfig(provider, "model", api_key="key"))


@pytest.mark.parametrize("provider", REAL)
async def test_a_persons_own_model_is_reached_at_checked_addresses_only(provider: str) -> None:
    extra = PROVIDERS[provider].extra
    if extra is not None and importlib.util.find_spec(PACKAGES[extra]) is None:
        pytest.skip(f'needs pip install "copilot-ws[{extra}]"')
    config = ModelConfig(provider, "model", "http://127.0.0.1:9/v1", "key", allowed=AllowedHosts())
    model = await asyncio.to_thread(make, config)
    with pytest.raises(Exception) as caught:  # noqa: PT011 each client has its own
        async for _ in model.astream("hello"):
            pass
    explained = explain(caught.value)
    await close(model)
    assert (explained.fault, "not public" in explained.message) == ("llm_not_configured", True)


def test_another_providers_answers_are_sent_as_text_and_calls() -> None:
    call = ToolCall(id="a", name="tool", args={})
    foreign = AIMessage(
        [{"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "text", "text": "I look."}],
        id="m",
        tool_calls=[call],
        additional_kwargs={"reasoning_content": "Hm."},
        response_metadata={PROVIDER: "anthropic"},
    )
    question, result = HumanMessage("?"), ToolMessage("up", tool_call_id="a")
    assert made_plain([question, foreign, result], "anthropic") == [question, foreign, result]
    plain = made_plain([question, foreign, result], "openai")[1]
    assert isinstance(plain, AIMessage)
    assert (plain.content, plain.tool_calls, plain.additional_kwargs) == ("I look.", [call | {"type": "tool_call"}], {})
