"""Chats with each provider's model through a whole server, its real client, and files of its wire."""

from __future__ import annotations

import importlib.util
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from copilot_ws.agent.providers.table import PROVIDERS
from kit.conversation import Turn
from kit.server import Start
from kit.socket import Socket
from kit.wire_llm import Asked, Wire, WireLlm

WIRES = Path(__file__).parents[1] / "agent" / "providers" / "wire"
PACKAGES = {"anthropic": "langchain_anthropic", "google": "langchain_google_genai", "ollama": "langchain_ollama"}

Json = dict[str, Any]


@dataclass(frozen=True)
class Api:
    """How to look into one provider's requests."""

    model: str
    path: str
    base: str
    key: Callable[[Asked], str]
    temperature: Callable[[Json], Any]
    max_tokens: Callable[[Json], Any]
    tools: Callable[[Json], list[str]]


def bearer(asked: Asked) -> str:
    return asked.headers.get("authorization", "").removeprefix("Bearer ")


def functions(body: Json) -> list[str]:
    return [tool["function"]["name"] for tool in body.get("tools", [])]


def compatible(model: str) -> Api:
    return Api(
        model,
        "/v1/chat/completions",
        "/v1",
        bearer,
        lambda body: body.get("temperature"),
        lambda body: body.get("max_tokens"),
        functions,
    )


APIS = {
    "openai": compatible("gpt-4.1"),
    "deepseek": compatible("deepseek-v4-flash"),
    "openrouter": compatible("anthropic/claude-sonnet-4.5"),
    "xai": compatible("grok-3-mini"),
    "anthropic": Api(
        "claude-sonnet-4-6",
        "/v1/messages",
        "",
        lambda asked: asked.headers.get("x-api-key") or bearer(asked),
        lambda body: body.get("temperature"),
        lambda body: body["max_tokens"],
        lambda body: [tool["name"] for tool in body.get("tools", [])],
    ),
    "google_genai": Api(
        "gemini-3.5-flash",
        "/models/gemini-3.5-flash:streamGenerateContent?alt=sse",
        "",
        lambda asked: asked.headers["x-goog-api-key"],
        lambda body: body["generationConfig"].get("temperature"),
        lambda body: body["generationConfig"].get("maxOutputTokens"),
        lambda body: [one["name"] for tool in body.get("tools", []) for one in tool["functionDeclarations"]],
    ),
    "ollama": Api(
        "qwen3.6",
        "/api/chat",
        "",
        bearer,
        lambda body: body["options"].get("temperature"),
        lambda body: body["options"].get("num_predict"),
        functions,
    ),
}
every = pytest.mark.parametrize("provider", sorted(APIS))


def wire(provider: str, case: str) -> Wire:
    (path,) = WIRES.glob(f"{provider}-{case}.*")
    return Wire.of(path)


@dataclass
class ProviderChat:
    """Asks the provider's model through a whole server."""

    start: Start
    llm: WireLlm

    async def turns(self, provider: str, *cases: str, again: str = "", **settings: Any) -> list[Turn]:
        """A question that is answered by these wires, and one more by `again`."""
        request = settings.pop("request", {})
        self.llm.answer(*[wire(provider, case) for case in (*cases, *([again] if again else []))])
        async with self.socket(provider, **settings) as socket:
            turns = [await socket.turn("Are they up?", **request)]
            if again:
                turns.append(await socket.turn("And now?", session_id=turns[0].session_id))
        return turns

    @asynccontextmanager
    async def socket(self, provider: str, **settings: Any) -> AsyncIterator[Socket]:
        """A connection to a server with this provider."""
        extra = PROVIDERS[provider].extra
        if extra is not None and importlib.util.find_spec(PACKAGES[extra]) is None:
            pytest.skip(f'needs pip install "copilot-ws[{extra}]"')
        api = APIS[provider]
        given = {"llm_provider": provider, "llm_model": api.model, "llm_base_url": self.llm.url + api.base}
        async with (await self.start(**{**given, **settings})).user().socket() as socket:
            yield socket

    def sent_back(self, key: str) -> list[Json]:
        """The model's answers in the last request, where they stand in the list `key`."""
        return [one for one in self.llm.asked[-1].body[key] if one.get("role") in ("assistant", "model")]
