"""Each provider's own wire, as its API documents it, through its real client: from a question to an answer."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from kit.conversation import Turn
from kit.recorded_llm import Asked, RecordedLlm, Recording
from kit.server import API_KEY, Start
from kit.socket import Socket
from kit.waiting import eventually

from copilot_ws.agent.providers.table import PROVIDERS

WIRE = Path(__file__).parent / "wire"
PACKAGES = {"anthropic": "langchain_anthropic", "google": "langchain_google_genai", "ollama": "langchain_ollama"}
SHOW = {"device_configs": [{"device_name": "R1", "commands": ["show version"]}]}
NAMES = ["gns3_topology_reader", "execute_multiple_device_commands"]

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


def compatible(model: str, max_tokens: str = "max_tokens") -> Api:
    return Api(
        model,
        "/v1/chat/completions",
        "/v1",
        bearer,
        lambda body: body.get("temperature"),
        lambda body: body.get(max_tokens),
        functions,
    )


APIS = {
    "openai": compatible("gpt-4o"),
    "deepseek": compatible("deepseek-v4-pro"),
    "openrouter": compatible("anthropic/claude-sonnet-4.5"),
    "xai": compatible("grok-4"),
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
        "gemini-2.5-flash",
        "/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
        "",
        lambda asked: asked.headers["x-goog-api-key"],
        lambda body: body["generationConfig"].get("temperature"),
        lambda body: body["generationConfig"].get("maxOutputTokens"),
        lambda body: [one["name"] for tool in body.get("tools", []) for one in tool["functionDeclarations"]],
    ),
    "ollama": Api(
        "qwen3:8b",
        "/api/chat",
        "",
        bearer,
        lambda body: body["options"].get("temperature"),
        lambda body: body["options"].get("num_predict"),
        functions,
    ),
}
THINKING = sorted(set(APIS) - {"openai"})


def recorded(provider: str, case: str) -> Recording:
    (path,) = WIRE.glob(f"{provider}-{case}.*")
    return Recording.of(path)


@pytest.fixture
async def wire() -> AsyncIterator[RecordedLlm]:
    async with RecordedLlm().listening() as wire:
        yield wire


@dataclass
class Chat:
    """Asks the provider's model through a whole server."""

    start: Start
    wire: RecordedLlm

    async def turns(self, provider: str, *cases: str, again: str = "", **settings: Any) -> list[Turn]:
        """A question that is answered by these recordings, and one more by `again`."""
        request = settings.pop("request", {})
        self.wire.answer(*[recorded(provider, case) for case in (*cases, *([again] if again else []))])
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
        given = {"llm_provider": provider, "llm_model": api.model, "llm_base_url": self.wire.url + api.base}
        async with (await self.start(**{**given, **settings})).user().socket() as socket:
            yield socket


@pytest.fixture
def chat(start: Start, wire: RecordedLlm) -> Chat:
    return Chat(start, wire)


every = pytest.mark.parametrize("provider", sorted(APIS))


@every
async def test_an_answer_streams_and_is_counted(chat: Chat, provider: str) -> None:
    (turn,) = await chat.turns(provider, "text")
    assert (turn.outcome, turn.text) == ("completed", "Both are up.")
    usage = turn.done["usage"]
    assert (usage["input_tokens"], usage["output_tokens"], usage["llm_calls"]) == (1200, 12, 1)
    (asked,) = chat.wire.asked
    assert asked.path.endswith(APIS[provider].path)
    assert APIS[provider].key(asked) == API_KEY
    assert set(NAMES) <= set(APIS[provider].tools(asked.body))


@every
async def test_parallel_calls_run_and_their_results_go_back(chat: Chat, provider: str) -> None:
    (turn,) = await chat.turns(provider, "tools", "text")
    assert (turn.outcome, turn.statuses) == ("completed", ["success", "success"])
    complete = [e["tool_call"]["function"] for e in turn.of("tool_call") if e["tool_call"].get("complete")]
    assert [(one["name"], json.loads(one["arguments"])) for one in complete] == [(NAMES[0], {}), (NAMES[1], SHOW)]
    assert turn.done["usage"]["output_tokens"] == 52
    assert [event["usage"]["input_tokens"] for event in turn.of("usage")] == [1000, 1200]
    second = json.dumps(chat.wire.asked[1].body)
    assert "device_configs" in second
    assert "Cisco" in second


@pytest.mark.parametrize("provider", THINKING)
async def test_thoughts_are_told_apart_from_the_answer(chat: Chat, provider: str) -> None:
    (turn,) = await chat.turns(provider, "tools", "text")
    assert turn.thoughts.startswith("I need both.")
    assert "need" not in turn.text


@every
async def test_the_next_question_works(chat: Chat, provider: str) -> None:
    _, second = await chat.turns(provider, "tools", "text", again="text")
    assert (second.outcome, second.text) == ("completed", "Both are up.")


@every
async def test_a_request_sets_temperature_and_length(chat: Chat, provider: str) -> None:
    await chat.turns(provider, "text", request={"temperature": 0.25, "max_tokens": 777}, llm_temperature=0.5)
    body = chat.wire.asked[0].body
    assert APIS[provider].temperature(body) == 0.25
    assert APIS[provider].max_tokens(body) == 777


@every
async def test_settings_hold_where_a_request_says_nothing(chat: Chat, provider: str) -> None:
    await chat.turns(provider, "text", llm_temperature=0.5, llm_max_tokens=555)
    body = chat.wire.asked[0].body
    assert (APIS[provider].temperature(body), APIS[provider].max_tokens(body)) == (0.5, 555)


@every
async def test_nothing_is_said_about_a_temperature_that_nobody_set(chat: Chat, provider: str) -> None:
    await chat.turns(provider, "text")
    assert APIS[provider].temperature(chat.wire.asked[0].body) is None


@every
async def test_the_summing_up_may_call_no_tool(chat: Chat, provider: str) -> None:
    (turn,) = await chat.turns(provider, "tools", "text", request={"max_iterations": 1})
    assert (turn.outcome, turn.statuses) == ("limited", ["limited", "limited"])
    body = chat.wire.asked[1].body
    assert not APIS[provider].tools(body) or body["tool_choice"] == {"type": "none"}


@pytest.mark.parametrize("provider", ["anthropic", "google_genai", "ollama"])
async def test_a_call_cut_at_the_limit_of_length_never_runs(chat: Chat, provider: str) -> None:
    (turn,) = await chat.turns(provider, "cut", "text")
    assert (turn.outcome, turn.statuses, turn.text) == ("completed", ["error"], "Both are up.")


class TestThoughtsGoBack:
    """Signed thoughts, where the provider wants them again."""

    async def test_to_anthropic(self, chat: Chat) -> None:
        await chat.turns("anthropic", "tools", "text")
        answer = chat.wire.asked[1].body["messages"][1]
        kinds = [block["type"] for block in answer["content"]]
        assert kinds == ["thinking", "text", "tool_use", "tool_use"]
        assert answer["content"][0] == {
            "type": "thinking",
            "thinking": "I need both.",
            "signature": "EqQBCgIYAhIM1gbcDa9GJwZA2b3h",
        }
        assert [block["input"] for block in answer["content"][2:]] == [{}, SHOW]

    async def test_to_google(self, chat: Chat) -> None:
        await chat.turns("google_genai", "tools", "text")
        answer = chat.wire.asked[1].body["contents"][1]
        calls = [part for part in answer["parts"] if "functionCall" in part]
        assert [call["functionCall"]["name"] for call in calls] == NAMES
        assert calls[0]["thoughtSignature"] == "Q2lNQjI0Zm9v"
        assert not any(part.get("text") == "I need both." and not part.get("thought") for part in answer["parts"])

    async def test_to_deepseek(self, chat: Chat) -> None:
        await chat.turns("deepseek", "tools", "text", again="text")
        answers = [m for m in chat.wire.asked[2].body["messages"] if m["role"] == "assistant"]
        assert [answer.get("reasoning_content") for answer in answers] == ["I need both.", "Fine."]

    async def test_to_openrouter(self, chat: Chat) -> None:
        await chat.turns("openrouter", "tools", "text")
        answer = next(m for m in chat.wire.asked[1].body["messages"] if m["role"] == "assistant")
        assert answer["reasoning_details"] == [
            {
                "type": "reasoning.text",
                "format": "anthropic-claude-v1",
                "index": 0,
                "text": "I need both.",
                "signature": "sig+/=",
            }
        ]

    async def test_to_openrouter_for_each_call(self, chat: Chat) -> None:
        """As it sends Gemini's: one encrypted signature a call, told apart by the call's id alone."""
        whole = recorded("openrouter", "tools")
        signed = [{"type": "reasoning.encrypted", "index": 0, "id": f"toolu_{n}", "data": f"sig-{n}"} for n in "ab"]
        deltas = [{"role": "assistant", "content": "", "reasoning_details": [detail]} for detail in signed]
        frames = [{"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
        lines = [f"data: {json.dumps({'id': 'gen', 'created': 1, 'model': 'm', **frame})}\n\n" for frame in frames]
        chat.wire.answer(Recording("".join(lines).encode() + whole.body, whole.kind))
        await chat.turns("openrouter", "text")
        answer = next(m for m in chat.wire.asked[1].body["messages"] if m["role"] == "assistant")
        assert answer["reasoning_details"][:2] == signed

    async def test_to_ollama(self, chat: Chat) -> None:
        await chat.turns("ollama", "tools", "text")
        answer = next(m for m in chat.wire.asked[1].body["messages"] if m["role"] == "assistant")
        assert answer["thinking"] == "I need both."


async def test_anthropic_that_fails_in_the_middle(chat: Chat) -> None:
    (turn,) = await chat.turns("anthropic", "overloaded")
    assert (turn.outcome, turn.error_code, turn.text) == ("failed", "llm_unavailable", "Both")
    assert "Overloaded" in turn.of("error")[0]["error"]


@pytest.mark.parametrize(
    ("provider", "status", "body", "code"),
    [
        ("anthropic", 401, {"type": "error", "error": {"type": "authentication_error", "message": "bad"}}, "llm_auth"),
        ("google_genai", 400, {"error": {"code": 400, "message": "API key not valid.", "status": "X"}}, "llm_auth"),
        ("google_genai", 404, {"error": {"code": 404, "message": "no such model", "status": "X"}}, "llm_bad_response"),
        ("ollama", 404, {"error": "model 'qwen3' not found"}, "llm_bad_response"),
        ("ollama", 400, {"error": "does not support tools"}, "llm_bad_response"),
        (
            "xai",
            400,
            {"code": "Client specified an invalid argument", "error": "Incorrect API key provided"},
            "llm_auth",
        ),
    ],
)
async def test_errors_in_each_providers_own_shape(
    chat: Chat, provider: str, status: int, body: Json, code: str
) -> None:
    chat.wire.answer(Recording(json.dumps(body).encode(), status=status))
    (turn,) = await chat.turns(provider)
    assert (turn.error_code, len(chat.wire.asked)) == (code, 1)
    said = body["error"] if isinstance(body["error"], str) else body["error"]["message"]
    assert said in turn.of("error")[0]["error"]


@pytest.mark.parametrize("provider", ["anthropic", "google_genai", "ollama"])
async def test_passing_errors_are_tried_again(chat: Chat, provider: str) -> None:
    chat.wire.answer(Recording(b'{"error": {"message": "busy", "code": 503}}', status=503))
    (turn,) = await chat.turns(provider, "text")
    assert (turn.outcome, len(chat.wire.asked)) == ("completed", 2)


@every
async def test_a_stop_is_seen_by_the_provider(chat: Chat, provider: str) -> None:
    whole = recorded(provider, "text")
    half = whole.body[: whole.body.rindex(b"\n", 0, whole.body.index(b" up."))]
    chat.wire.answer(Recording(half + b"\n", whole.kind, hangs=True))
    async with chat.socket(provider) as socket:
        sent = await socket.chat("Are they up?")
        await socket.frame("content")
        await socket.command("chat.stop", session_id=sent["session_id"])
        turn = await socket.end_of(sent)
    assert (turn.outcome, turn.text) == ("stopped", "Both are")
    await eventually(lambda: chat.wire.disconnects, "the provider sees the disconnect")


async def test_ollama_is_told_the_size_of_the_context_and_left_to_think_as_it_likes(chat: Chat) -> None:
    await chat.turns("ollama", "text", llm_context_tokens=16384)
    body = chat.wire.asked[0].body
    assert body["options"]["num_ctx"] == 16384
    assert "think" not in body


async def test_a_model_that_refuses_temperatures_gets_none(chat: Chat) -> None:
    await chat.turns("openai", "text", llm_model="o3", request={"temperature": 0.2, "max_tokens": 99})
    body = chat.wire.asked[0].body
    assert (body.get("temperature"), body.get("max_completion_tokens"), body.get("max_tokens")) == (None, 99, None)


async def test_anthropics_largest_temperature_is_one(chat: Chat) -> None:
    await chat.turns("anthropic", "text", request={"temperature": 1.8})
    assert chat.wire.asked[0].body["temperature"] == 1.0
