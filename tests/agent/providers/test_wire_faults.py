"""How each provider says that something went wrong, before, within and at the end of an answer. See README.md."""

from __future__ import annotations

import time
from typing import Any

import pytest
from kit.provider_chat import ProviderChat, every, wire
from kit.waiting import eventually
from kit.wire_llm import Wire

from copilot_ws.agent.patience import ATTEMPTS

Json = dict[str, Any]


def openais(message: str, code: Any = None, kind: str | None = None) -> Json:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def anthropics(kind: str, message: str) -> Json:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_lab"}


def googles(code: int, message: str, status: str = "X", *details: Json) -> Json:
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


def routers(code: int, message: str, **metadata: Any) -> Json:
    return {"error": {"message": message, "code": code, "metadata": metadata}, "user_id": "user_lab"}


class TestRefusals:
    """Answers with another status than 200, in each provider's own shape."""

    @pytest.mark.parametrize(
        ("provider", "status", "body", "code"),
        [
            ("openai", 401, openais("Incorrect API key provided: k***y."), "llm_auth"),
            ("openai", 404, openais("The model does not exist", "model_not_found"), "llm_bad_response"),
            ("anthropic", 401, anthropics("authentication_error", "invalid x-api-key"), "llm_auth"),
            ("anthropic", 404, anthropics("not_found_error", "model: claude-9"), "llm_bad_response"),
            ("google_genai", 400, googles(400, "API key not valid."), "llm_auth"),
            ("google_genai", 404, googles(404, "no such model"), "llm_bad_response"),
            ("ollama", 404, {"error": "model 'qwen3.6' not found"}, "llm_bad_response"),
            ("ollama", 400, {"error": "does not support tools"}, "llm_bad_response"),
            ("deepseek", 401, openais("Authentication Fails", "invalid_request_error"), "llm_auth"),
            ("openrouter", 401, routers(401, "User not found."), "llm_auth"),
            ("xai", 400, {"code": "invalid argument", "error": "Incorrect API key provided: k***y."}, "llm_auth"),
            ("xai", 404, {"code": "not found", "error": "The model grok-9 does not exist"}, "llm_bad_response"),
        ],
        ids=lambda value: str(value) if isinstance(value, str | int) else "",
    )
    async def test_are_told_and_not_tried_again(
        self, chat: ProviderChat, provider: str, status: int, body: Json, code: str
    ) -> None:
        chat.llm.answer(Wire.refusal(status, body))
        (turn,) = await chat.turns(provider)
        assert (turn.error_code, len(chat.llm.asked)) == (code, 1)
        said = body["error"] if isinstance(body["error"], str) else body["error"]["message"]
        assert said in turn.of("error")[0]["error"]

    @pytest.mark.parametrize(
        ("provider", "status", "body"),
        [
            ("openai", 429, openais("You exceeded your current quota.", "insufficient_quota", "insufficient_quota")),
            ("anthropic", 400, anthropics("invalid_request_error", "Your credit balance is too low.")),
            ("google_genai", 429, googles(429, "Your prepayment credits are depleted.", "RESOURCE_EXHAUSTED")),
            ("deepseek", 402, openais("Insufficient Balance", "invalid_request_error", "unknown_error")),
            ("openrouter", 402, routers(402, "Insufficient credits. Add more.")),
            ("xai", 403, {"code": "permission denied", "error": "Your team has used all available credits."}),
            ("xai", 429, {"code": "exhausted", "error": "Your team has either used all available credits or more."}),
        ],
        ids=lambda value: str(value) if isinstance(value, str | int) else "",
    )
    async def test_of_an_empty_account(self, chat: ProviderChat, provider: str, status: int, body: Json) -> None:
        chat.llm.answer(Wire.refusal(status, body))
        (turn,) = await chat.turns(provider)
        assert (turn.error_code, len(chat.llm.asked)) == ("llm_rate_limited", 1)
        assert "no credit" in turn.of("error")[0]["error"]

    async def test_of_a_quota_that_fills_up_again(self, chat: ProviderChat) -> None:
        """Google speaks of plan and billing also where a minute's free requests are used up; then it asks to wait."""
        wait = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.1s"}
        words = "You exceeded your current quota, please check your plan and billing details."
        chat.llm.answer(Wire.refusal(429, googles(429, words, "RESOURCE_EXHAUSTED", wait)))
        (turn,) = await chat.turns("google_genai", "text")
        assert (turn.outcome, turn.text, len(chat.llm.asked)) == ("completed", "Both are up.", 2)

    async def test_of_moderation_are_not_the_keys_fault(self, chat: ProviderChat) -> None:
        body = routers(403, "This model requires moderation. Your input was flagged.", reasons=["violence"])
        chat.llm.answer(Wire.refusal(403, body))
        (turn,) = await chat.turns("openrouter")
        assert (turn.error_code, len(chat.llm.asked)) == ("llm_bad_response", 1)
        assert "Ask in other words" in turn.of("error")[0]["error"]

    @every
    async def test_that_pass_are_tried_again(self, chat: ProviderChat, provider: str) -> None:
        chat.llm.answer(Wire.refusal(503, {"error": {"message": "busy", "code": 503}}))
        (turn,) = await chat.turns(provider, "text")
        assert (turn.outcome, len(chat.llm.asked)) == ("completed", 2)


@every
async def test_silence_ends_after_the_time_out_and_not_a_multiple(chat: ProviderChat, provider: str) -> None:
    comment = {"openrouter": b": OPENROUTER PROCESSING\n\n", "deepseek": b": keep-alive\n\n"}.get(provider, b"")
    chat.llm.answer(Wire(comment, wire(provider, "text").kind, hangs=True))
    async with chat.socket(provider, llm_timeout=1) as socket:
        begun = time.monotonic()
        turn = await socket.turn("Are they up?")
    assert (turn.error_code, len(chat.llm.asked)) == ("llm_timeout", 1)
    assert time.monotonic() - begun < 3


class TestWithinAnAnswer:
    """What was said stays; the question is not asked again."""

    @pytest.mark.parametrize(
        ("provider", "case", "words"),
        [
            ("anthropic", "overloaded", "Overloaded"),
            ("google_genai", "unavailable", "The model is overloaded."),
            ("ollama", "error", "an error was encountered"),
            ("openrouter", "error", "Provider returned error"),
        ],
    )
    async def test_an_error_is_told(self, chat: ProviderChat, provider: str, case: str, words: str) -> None:
        (turn,) = await chat.turns(provider, case)
        assert (turn.outcome, turn.error_code, turn.text) == ("failed", "llm_unavailable", "Both are")
        assert words in turn.of("error")[0]["error"]
        assert len(chat.llm.asked) == 1

    @pytest.mark.parametrize(("provider", "case"), [("openai", "filtered"), ("google_genai", "safety")])
    async def test_the_rest_that_is_held_back_is_told(self, chat: ProviderChat, provider: str, case: str) -> None:
        (turn,) = await chat.turns(provider, case)
        assert (turn.outcome, turn.error_code, turn.text) == ("failed", "llm_bad_response", "Both are")
        assert "held the rest of the answer back" in turn.of("error")[0]["error"]

    async def test_a_break_off_without_an_error_is_told(self, chat: ProviderChat) -> None:
        whole = wire("deepseek", "text")
        reason = b'"finish_reason":"insufficient_system_resource"'
        chat.llm.answer(Wire(whole.body.replace(b'"finish_reason":"stop"', reason), whole.kind))
        (turn,) = await chat.turns("deepseek")
        assert (turn.error_code, turn.text) == ("llm_unavailable", "Both are up.")

    async def test_the_next_question_works(self, chat: ProviderChat) -> None:
        _, second = await chat.turns("ollama", "error", again="text")
        assert (second.outcome, second.text) == ("completed", "Both are up.")


class TestBeforeAnAnswer:
    """Nothing was said."""

    @pytest.mark.parametrize(
        ("provider", "case", "words"),
        [("anthropic", "refusal", "held the answer back"), ("google_genai", "blocked", "prohibited_content")],
    )
    async def test_what_is_held_back_is_not_asked_again(
        self, chat: ProviderChat, provider: str, case: str, words: str
    ) -> None:
        (turn,) = await chat.turns(provider, case)
        assert (turn.error_code, len(chat.llm.asked)) == ("llm_bad_response", 1)
        assert words in turn.of("error")[0]["error"]

    async def test_a_malformed_call_is_asked_for_once_more(self, chat: ProviderChat) -> None:
        (turn,) = await chat.turns("google_genai", "malformed", "text")
        assert (turn.outcome, turn.text, turn.done["usage"]["llm_calls"]) == ("completed", "Both are up.", 2)

    async def test_a_second_malformed_call_is_told(self, chat: ProviderChat) -> None:
        (turn,) = await chat.turns("google_genai", "malformed", "malformed")
        assert (turn.error_code, len(chat.llm.asked)) == ("llm_bad_response", 2)
        assert "called a tool in a form that cannot be read" in turn.of("error")[0]["error"]

    async def test_an_error_in_the_place_of_an_answer_passes(self, chat: ProviderChat) -> None:
        comment, _text, *failed = wire("openrouter", "error").body.split(b"\n\n")
        chat.llm.answer(Wire(b"\n\n".join([comment, *failed])))
        (turn,) = await chat.turns("openrouter", "text")
        assert (turn.outcome, turn.text) == ("completed", "Both are up.")

    @pytest.mark.parametrize(("case", "code"), [("quota", "llm_rate_limited"), ("failed", "llm_unavailable")])
    async def test_failed_responses_of_openai(
        self, chat: ProviderChat, monkeypatch: pytest.MonkeyPatch, case: str, code: str
    ) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{chat.llm.url}/v1")
        asked = 1 if code == "llm_rate_limited" else ATTEMPTS
        given = [f"responses-{case}"] * asked
        (turn,) = await chat.turns("openai", *given, llm_model="gpt-5.2-codex", llm_base_url="")
        assert (turn.error_code, len(chat.llm.asked)) == (code, asked)
        words = {"quota": "no credit", "failed": "The lab's model stumbled."}[case]
        assert words in turn.of("error")[0]["error"]


class TestLimitsOfLength:
    @pytest.mark.parametrize("provider", ["anthropic", "google_genai", "ollama"])
    async def test_a_call_that_is_cut_never_runs(self, chat: ProviderChat, provider: str) -> None:
        (turn,) = await chat.turns(provider, "cut", "text")
        assert (turn.outcome, turn.statuses, turn.text) == ("completed", ["error"], "Both are up.")

    async def test_are_no_limits_of_the_context(self, chat: ProviderChat) -> None:
        """OpenRouter sends an error about tokens after an answer that `max_tokens` ended."""
        (turn,) = await chat.turns("openrouter", "limit", request={"max_tokens": 10})
        assert (turn.error_code, turn.thoughts, len(chat.llm.asked)) == ("llm_bad_response", "I need both", 1)
        assert "raise max_tokens" in turn.of("error")[0]["error"]


@pytest.mark.parametrize("provider", ["openai", "xai", "deepseek", "openrouter"])
async def test_nothing_is_lost_where_the_stream_falls_silent_after_its_end(chat: ProviderChat, provider: str) -> None:
    whole = wire(provider, "text")
    end = whole.body.index(b"\n\n", whole.body.index(b'"finish_reason":"stop"')) + 2
    chat.llm.answer(Wire(whole.body[:end], whole.kind, hangs=True))
    (turn,) = await chat.turns(provider, llm_timeout=1)
    assert (turn.outcome, turn.text, len(chat.llm.asked)) == ("completed", "Both are up.", 1)
    await eventually(lambda: chat.llm.disconnects, "the provider sees the disconnect")
