"""Each provider's own wire, as it was seen, through its real client: from a question to an answer. See README.md."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from kit.conversation import Turn
from kit.provider_chat import APIS, ProviderChat, every, wire
from kit.server import API_KEY
from kit.waiting import eventually
from kit.wire_llm import Wire

from copilot_ws.agent.models import ModelConfig
from copilot_ws.agent.trial import try_out

SHOW = {"device_configs": [{"device_name": "R1", "commands": ["show version"]}]}
NAMES = ["gns3_topology_reader", "execute_multiple_device_commands"]
THINKING = sorted(set(APIS) - {"openai"})
NO_THOUGHTS = ["anthropic", "openrouter"]  # their short answer comes without

Json = dict[str, Any]


def calls(turn: Turn) -> list[tuple[str, Json]]:
    complete = [e["tool_call"]["function"] for e in turn.of("tool_call") if e["tool_call"].get("complete")]
    return [(one["name"], json.loads(one["arguments"])) for one in complete]


def counted(turn: Turn) -> list[tuple[int, int]]:
    """Input tokens of each model call, and output tokens so far."""
    return [(event["usage"]["input_tokens"], event["usage"]["output_tokens"]) for event in turn.of("usage")]


def decoded(text: str) -> bytes:
    """Google's client sends signatures in another alphabet than they come in."""
    return base64.b64decode(text, altchars=b"-_") if set(text) & set("-_") else base64.b64decode(text)


@every
async def test_an_answer_streams_and_is_counted(chat: ProviderChat, provider: str) -> None:
    (turn,) = await chat.turns(provider, "text")
    assert (turn.outcome, turn.text, len(turn.of("content")) >= 1) == ("completed", "Both are up.", True)
    usage = turn.done["usage"]
    assert (usage["input_tokens"], usage["output_tokens"], usage["llm_calls"]) == (1200, 12, 1)
    (asked,) = chat.llm.asked
    assert asked.path.endswith(APIS[provider].path)
    assert APIS[provider].key(asked) == API_KEY
    assert set(NAMES) <= set(APIS[provider].tools(asked.body))


@every
async def test_parallel_calls_run_and_their_results_go_back(chat: ProviderChat, provider: str) -> None:
    (turn,) = await chat.turns(provider, "tools", "text")
    assert (turn.outcome, turn.statuses) == ("completed", ["success", "success"])
    assert calls(turn) == [(NAMES[0], {}), (NAMES[1], SHOW)]
    assert counted(turn) == [(1000, 40), (1200, 52)]
    second = json.dumps(chat.llm.asked[1].body)
    assert "device_configs" in second
    assert "Cisco" in second


@pytest.mark.parametrize("provider", THINKING)
async def test_thoughts_are_told_apart_from_the_answer(chat: ProviderChat, provider: str) -> None:
    (turn,) = await chat.turns(provider, "tools", "text")
    assert turn.thoughts == "I need both." + ("" if provider in NO_THOUGHTS else "Fine.")
    assert turn.text == ("I look." if provider == "anthropic" else "") + "Both are up."


@every
async def test_the_next_question_works(chat: ProviderChat, provider: str) -> None:
    _, second = await chat.turns(provider, "tools", "text", again="text")
    assert (second.outcome, second.text) == ("completed", "Both are up.")


@every
async def test_a_request_sets_temperature_and_length(chat: ProviderChat, provider: str) -> None:
    await chat.turns(provider, "text", request={"temperature": 0.25, "max_tokens": 777}, llm_temperature=0.5)
    body = chat.llm.asked[0].body
    assert APIS[provider].temperature(body) == 0.25
    assert APIS[provider].max_tokens(body) == 777


@every
async def test_settings_hold_where_a_request_says_nothing(chat: ProviderChat, provider: str) -> None:
    await chat.turns(provider, "text", llm_temperature=0.5, llm_max_tokens=555)
    body = chat.llm.asked[0].body
    assert (APIS[provider].temperature(body), APIS[provider].max_tokens(body)) == (0.5, 555)


@every
async def test_nothing_is_said_about_a_temperature_that_nobody_set(chat: ProviderChat, provider: str) -> None:
    await chat.turns(provider, "text")
    assert APIS[provider].temperature(chat.llm.asked[0].body) is None


@every
async def test_the_summing_up_may_call_no_tool(chat: ProviderChat, provider: str) -> None:
    (turn,) = await chat.turns(provider, "tools", "text", request={"max_iterations": 1})
    assert (turn.outcome, turn.statuses) == ("limited", ["limited", "limited"])
    body = chat.llm.asked[1].body
    assert not APIS[provider].tools(body) or body["tool_choice"] == {"type": "none"}


@every
async def test_a_stop_is_seen_by_the_provider(chat: ProviderChat, provider: str) -> None:
    chat.llm.answer(wire(provider, "text").until(" up."))
    async with chat.socket(provider) as socket:
        sent = await socket.chat("Are they up?")
        await socket.frame("content")
        await socket.command("chat.stop", session_id=sent["session_id"])
        turn = await socket.end_of(sent)
    assert (turn.outcome, turn.text) == ("stopped", "Both are")
    await eventually(lambda: chat.llm.disconnects, "the provider sees the disconnect")


@every
async def test_a_trial_reads_the_same_wire(chat: ProviderChat, provider: str) -> None:
    chat.llm.answer(wire(provider, "tools"))
    trial = await try_out(ModelConfig(provider, APIS[provider].model, chat.llm.url + APIS[provider].base, API_KEY))
    assert (trial.ok, trial.tools, trial.message) == (True, True, "The model answers and calls tools.")


class TestWhatGoesBack:
    """Calls with the provider's own ids, and thoughts where the provider wants them again."""

    @pytest.mark.parametrize(
        ("provider", "ids"),
        [
            ("openai", ["call_LabTopologyReader0001", "call_LabShowVersionR10002"]),
            ("deepseek", ["call_00_LabTopologyReader000001", "call_01_LabShowVersionR100002"]),
            ("openrouter", ["toolu_lab_TopologyReader01", "toolu_lab_ShowVersionR102"]),
            ("xai", ["call_00000001", "call_00000002"]),
        ],
    )
    async def test_ids_to_those_who_speak_as_openai_does(
        self, chat: ProviderChat, provider: str, ids: list[str]
    ) -> None:
        await chat.turns(provider, "tools", "text")
        (answer,) = chat.sent_back("messages")
        assert [call["id"] for call in answer["tool_calls"]] == ids
        assert [json.loads(call["function"]["arguments"]) for call in answer["tool_calls"]] == [{}, SHOW]
        results = [m for m in chat.llm.asked[1].body["messages"] if m["role"] == "tool"]
        assert [result["tool_call_id"] for result in results] == ids

    async def test_to_anthropic(self, chat: ProviderChat) -> None:
        await chat.turns("anthropic", "tools", "text")
        (answer,) = chat.sent_back("messages")
        thinking, text, *uses = answer["content"]
        signature = "EroLabSignatureOfTheThoughts+/=="
        assert thinking == {"type": "thinking", "thinking": "I need both.", "signature": signature}
        assert text == {"type": "text", "text": "I look."}
        ids = ["toolu_01LabTopologyReader01", "toolu_01LabShowVersionR102"]
        assert [(use["type"], use["id"], use["input"]) for use in uses] == [
            ("tool_use", ids[0], {}),
            ("tool_use", ids[1], SHOW),
        ]
        assert [block["tool_use_id"] for block in chat.llm.asked[1].body["messages"][2]["content"]] == ids

    async def test_redacted_thoughts_to_anthropic(self, chat: ProviderChat) -> None:
        turn, _ = await chat.turns("anthropic", "redacted", again="text")
        assert (turn.text, turn.thoughts) == ("Both are up.", "")
        *redacted, text = chat.sent_back("messages")[0]["content"]
        assert redacted == [
            {"type": "redacted_thinking", "data": "EqkLabRedactedFirst+/=="},
            {"type": "redacted_thinking", "data": "EtgLabRedactedSecond=="},
        ]
        assert text["text"] == "Both are up."

    async def test_to_google(self, chat: ProviderChat) -> None:
        """The signature that came with the first call stands at it again; the results are in the calls' order."""
        await chat.turns("google_genai", "tools", "text")
        (answer,) = chat.sent_back("contents")
        first, second = [part for part in answer["parts"] if "functionCall" in part]
        assert [part["functionCall"]["name"] for part in (first, second)] == NAMES
        assert decoded(first["thoughtSignature"]) == b"\xfb\xef\xbe the lab's first call \xff\xfe"
        assert "thoughtSignature" not in second
        results = chat.llm.asked[1].body["contents"][2]["parts"]
        assert [part["functionResponse"]["name"] for part in results] == NAMES
        assert not any(part.get("text") == "I need both." and not part.get("thought") for part in answer["parts"])

    @pytest.mark.parametrize(
        ("case", "model", "signed"),
        [("text", "gemini-3.5-flash", b" the lab's answer "), ("signed", "gemini-2.5-pro", b" the lab's text ")],
    )
    async def test_signed_text_to_google(self, chat: ProviderChat, case: str, model: str, signed: bytes) -> None:
        turn, _ = await chat.turns("google_genai", case, again="text", llm_model=model)
        assert (turn.text, counted(turn)) == ("Both are up.", [(1200, 12)])
        parts = chat.sent_back("contents")[0]["parts"]
        assert "".join(part.get("text", "") for part in parts if not part.get("thought")) == "Both are up."
        (signature,) = [part["thoughtSignature"] for part in parts if "thoughtSignature" in part]
        assert decoded(signature) == b"\xfb\xef\xbe" + signed + b"\xff\xfe"

    async def test_calls_of_google_without_ids(self, chat: ProviderChat) -> None:
        (turn,) = await chat.turns("google_genai", "together", "text", llm_model="gemini-2.0-flash")
        assert (calls(turn), turn.statuses) == ([(NAMES[0], {}), (NAMES[1], SHOW)], ["success", "success"])
        (answer,) = chat.sent_back("contents")
        assert [part["functionCall"]["name"] for part in answer["parts"]] == NAMES

    async def test_to_deepseek(self, chat: ProviderChat) -> None:
        await chat.turns("deepseek", "tools", "text", again="text")
        assert [one.get("reasoning_content") for one in chat.sent_back("messages")] == ["I need both.", "Fine."]

    async def test_to_openrouter(self, chat: ProviderChat) -> None:
        await chat.turns("openrouter", "tools", "text")
        assert chat.sent_back("messages")[0]["reasoning_details"] == [
            {
                "type": "reasoning.text",
                "text": "I need both.",
                "signature": "EtLabSignature+of/the-thoughts==",
                "format": "anthropic-claude-v1",
                "index": 0,
            }
        ]

    async def test_encrypted_thoughts_to_openrouter(self, chat: ProviderChat) -> None:
        turn, _ = await chat.turns("openrouter", "encrypted", again="text")
        assert (turn.text, turn.thoughts, counted(turn)) == ("Both are up.", "", [(1200, 12)])
        assert chat.sent_back("messages")[0]["reasoning_details"] == [
            {
                "type": "reasoning.encrypted",
                "data": "gAAAAABLabEncryptedThoughts==",
                "id": "rs_0lab0000000000000000000000000000000000000000000005",
                "format": "openai-responses-v1",
                "index": 0,
            }
        ]

    async def test_to_openrouter_for_each_call(self, chat: ProviderChat) -> None:
        """As its documents show Gemini's: one encrypted signature a call, told apart by the call's id alone."""
        whole = wire("openrouter", "tools")
        signed = [{"type": "reasoning.encrypted", "index": 0, "id": f"toolu_{n}", "data": f"sig-{n}"} for n in "ab"]
        deltas = [{"role": "assistant", "content": "", "reasoning_details": [detail]} for detail in signed]
        frames = [{"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
        lines = [f"data: {json.dumps({'id': 'gen', 'created': 1, 'model': 'm', **frame})}\n\n" for frame in frames]
        chat.llm.answer(Wire("".join(lines).encode() + whole.body, whole.kind))
        await chat.turns("openrouter", "text")
        assert chat.sent_back("messages")[0]["reasoning_details"][:2] == signed

    async def test_to_ollama(self, chat: ProviderChat) -> None:
        await chat.turns("ollama", "tools", "text")
        (answer,) = chat.sent_back("messages")
        assert answer["thinking"] == "I need both."
        assert [call["function"]["arguments"] for call in answer["tool_calls"]] == [{}, SHOW]


class TestOpenAisResponses:
    """At OpenAI's own address, for models that are offered there only: the environment moves that address."""

    @pytest.fixture(autouse=True)
    def address(self, chat: ProviderChat, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{chat.llm.url}/v1")

    async def turns(self, chat: ProviderChat, *cases: str, **more: Any) -> list[Turn]:
        given = [f"responses-{case}" for case in cases]
        return await chat.turns("openai", *given, llm_model="gpt-5.2-codex", llm_base_url="", **more)

    async def test_answers_and_calls(self, chat: ProviderChat) -> None:
        (turn,) = await self.turns(chat, "tools", "text")
        assert {asked.path for asked in chat.llm.asked} == {"/v1/responses"}
        assert (turn.outcome, turn.statuses) == ("completed", ["success", "success"])
        assert (calls(turn), turn.thoughts) == ([(NAMES[0], {}), (NAMES[1], SHOW)], "I need both.")
        assert (turn.text, counted(turn)) == ("Both are up.", [(1000, 40), (1200, 52)])

    async def test_what_goes_back(self, chat: ProviderChat) -> None:
        await self.turns(chat, "tools", "text", again="responses-text")
        given = [item for item in chat.llm.asked[-1].body["input"] if item.get("role") not in ("system", "user")]
        ids = ["call_LabTopologyReader0001", "call_LabShowVersionR10002"]
        assert given[0] == {
            "type": "reasoning",
            "id": "rs_0lab0000000000000000000000000000000000000000000002",
            "summary": [{"type": "summary_text", "text": "I need both."}],
            "encrypted_content": "gAAAAABLabEncryptedAtTheEndWhichIsLonger==",
        }
        made = [(item["type"], item["call_id"]) for item in given[1:5]]
        assert made == [(kind, id_) for kind in ("function_call", "function_call_output") for id_ in ids]
        assert given[5]["content"][0]["text"] == "Both are up."

    async def test_overrides(self, chat: ProviderChat) -> None:
        await self.turns(chat, "text", request={"max_tokens": 777})
        assert chat.llm.asked[0].body["max_output_tokens"] == 777


async def test_ollama_is_told_the_size_of_the_context_and_left_to_think_as_it_likes(chat: ProviderChat) -> None:
    await chat.turns("ollama", "text", llm_context_tokens=16384)
    body = chat.llm.asked[0].body
    assert body["options"]["num_ctx"] == 16384
    assert "think" not in body


async def test_a_model_that_refuses_temperatures_gets_none(chat: ProviderChat) -> None:
    await chat.turns("openai", "text", llm_model="o3", request={"temperature": 0.2, "max_tokens": 99})
    body = chat.llm.asked[0].body
    assert (body.get("temperature"), body.get("max_completion_tokens"), body.get("max_tokens")) == (None, 99, None)


async def test_anthropics_largest_temperature_is_one(chat: ProviderChat) -> None:
    await chat.turns("anthropic", "text", request={"temperature": 1.8})
    assert chat.llm.asked[0].body["temperature"] == 1.0
