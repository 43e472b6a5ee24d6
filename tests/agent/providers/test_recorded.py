"""What providers really sent, as others have recorded it, through the real clients: see README.md beside this file.

The recorded calls are of tools that the copilot does not have: each gets its error, and the recorded answer follows.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from kit.conversation import Turn
from kit.recorded_llm import RecordedLlm, Recording
from kit.server import Start

RECORDED = Path(__file__).parent / "recorded"

Json = dict[str, Any]


@pytest.fixture
async def wire() -> AsyncIterator[RecordedLlm]:
    async with RecordedLlm().listening() as wire:
        yield wire


@dataclass
class Chat:
    start: Start
    wire: RecordedLlm

    async def turns(
        self, provider: str, model: str, *files: str, again: str = "", base: str | None = None
    ) -> list[Turn]:
        """A question that is answered by these recordings, and one more by `again`."""
        played = (*files, again) if again else files
        self.wire.answer(*[Recording.of(RECORDED / f"{provider}-{name}") for name in played])
        url = self.wire.url + ("/v1" if provider in ("openai", "deepseek") else "") if base is None else base
        server = await self.start(llm_provider=provider, llm_model=model, llm_base_url=url)
        async with server.user().socket() as socket:
            found = [await socket.turn("Hello")]
            if again:
                found.append(await socket.turn("And now?", session_id=found[0].session_id))
        assert {turn.outcome for turn in found} == {"completed"}
        return found

    def sent_back(self, key: str) -> list[Json]:
        """The answers in the last request, where they stand in the list `key`."""
        return [one for one in self.wire.asked[-1].body[key] if one.get("role") in ("assistant", "model")]


@pytest.fixture
def chat(start: Start, wire: RecordedLlm) -> Chat:
    return Chat(start, wire)


def calls(turn: Turn) -> list[tuple[str, Json]]:
    complete = [event["tool_call"] for event in turn.of("tool_call") if event["tool_call"].get("complete")]
    assert turn.statuses == ["error"] * len(complete)
    return [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in complete]


def counted(turn: Turn) -> list[tuple[int, int]]:
    """Input tokens of each model call, and output tokens so far."""
    return [(event["usage"]["input_tokens"], event["usage"]["output_tokens"]) for event in turn.of("usage")]


async def test_openai(chat: Chat) -> None:
    (turn,) = await chat.turns("openai", "gpt-4o", "tools.sse", "arguments.sse", "text.sse")
    weather = ("get_weather", {"city": "Mexico City"})
    assert calls(turn) == [("get_country", {}), ("get_product_name", {}), weather]
    assert turn.text == "The capital of Mexico is Mexico City."
    assert counted(turn) == [(364, 40), (423, 55), (14, 63)]
    ids = [[call["id"] for call in answer["tool_calls"]] for answer in chat.sent_back("messages")]
    assert ids == [
        ["call_q2UyBRP7eXNTzAoR8lEhjc9Z", "call_b51ijcpFkDiTQG1bQzsrmtW5"],
        ["call_LwxJUB9KppVyogRRLQsamRJv"],
    ]


async def test_openais_responses(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    """At OpenAI's own address, for models that are offered there only: the environment moves that address."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{chat.wire.url}/v1")
    recorded = ("responses-tools.sse", "responses-text.sse")
    first, _ = await chat.turns("openai", "gpt-5-codex", *recorded, again="responses-text.sse", base="")
    assert {asked.path for asked in chat.wire.asked} == {"/v1/responses"}
    assert calls(first) == [("get_weather", {"location": "San Francisco, CA"})]
    assert first.text == "It’s currently **sunny** in **San Francisco, CA**."
    assert [read for read, _ in counted(first)] == [53, 100]


async def test_deepseek(chat: Chat) -> None:
    first, second = await chat.turns("deepseek", "deepseek-reasoner", "thoughts.sse", again="thoughts.sse")
    assert first.text == second.text == "Hello there! 😊 How can I help you today?"
    assert first.thoughts.startswith("Hmm, ")
    assert first.thoughts.endswith(" okay too.")
    assert counted(first) == [(6, 212)]


async def test_google(chat: Chat) -> None:
    """Its count of what it read starts too high and is corrected at the end."""
    (turn,) = await chat.turns("google_genai", "gemini-2.0-flash", "tools.sse", "text.sse")
    assert calls(turn) == [("get_capital", {"country": "France"})]
    assert turn.text == "The temperature in Paris is 30°C.\n"
    assert counted(turn) == [(52, 5), (79, 17)]


async def test_googles_thoughts(chat: Chat) -> None:
    first, _ = await chat.turns("google_genai", "gemini-2.5-pro", "thoughts.sse", again="thoughts.sse")
    assert first.thoughts.startswith("**Clarifying User Goals**")
    assert first.text.startswith("This is a great question!")
    assert first.text.endswith("Always assume a driver might not see you.")
    assert counted(first) == [(34, 469 + 787)]


async def test_anthropic(chat: Chat) -> None:
    """This answer tells at its start alone what was read."""
    (turn,) = await chat.turns("anthropic", "claude-3-5-sonnet-20240620", "tools.sse", "text.sse")
    weather = ("get_weather", {"location": "San Francisco, CA", "unit": "celsius"})
    assert calls(turn) == [weather, ("get_time", {"timezone": "America/Los_Angeles"})]
    assert turn.text.startswith("Certainly! I can help you with that information. To get")
    assert turn.text.endswith("The weather in San Francisco, CA is sunny.")
    assert counted(turn) == [(506, 153), (639, 166)]
    (answer,) = chat.sent_back("messages")
    assert [block["type"] for block in answer["content"]] == ["text", "tool_use", "tool_use"]


async def test_anthropics_calls_with_their_callers(chat: Chat) -> None:
    (turn,) = await chat.turns("anthropic", "claude-haiku-4-5", "arguments.sse", "text.sse")
    assert calls(turn) == [("get_weather", {"location": "San Francisco, CA"})]
    assert counted(turn) == [(567, 57), (639, 70)]


async def test_anthropics_thoughts(chat: Chat) -> None:
    first, _ = await chat.turns("anthropic", "claude-sonnet-4-6", "thoughts.sse", again="text.sse")
    assert first.thoughts.startswith("The user has simply greeted me")
    assert first.text == "Hello! How can I help you today?"
    thinking, text = chat.sent_back("messages")[0]["content"]
    assert (thinking["thinking"], text["text"]) == (first.thoughts, first.text)
    assert thinking["signature"] in (RECORDED / "anthropic-thoughts.sse").read_text()


async def test_ollama(chat: Chat) -> None:
    (turn,) = await chat.turns("ollama", "llama3", "text.ndjson")
    assert turn.text.startswith("Why did the OpenTelemetry")
    assert turn.text.endswith("smile to your face!)")
    assert counted(turn) == [(17, 50)]
