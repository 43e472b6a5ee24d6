"""What providers' clients raise, as codes and words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from copilot_ws.agent.faults import PassingFault, bad_end, explain, gave_up
from copilot_ws.wire.errors import LlmError


class Answered(Exception):
    """What a client raises for an answer with an error: the attributes that the real ones have."""

    def __init__(self, text: str = "", headers: dict[str, str] | None = None, **attributes: Any) -> None:
        super().__init__(text)
        self.__dict__.update(attributes)
        self.response = type("Response", (), {"headers": headers or {}})()


def openai(status: int, message: str, code: str | None = None, headers: dict[str, str] | None = None) -> Answered:
    return Answered(message, headers, status_code=status, body={"message": message, "code": code})


def anthropic(kind: str, message: str, status: int = 200) -> Answered:
    """In the middle of a stream the status is that of the stream: 200."""
    return Answered(message, status_code=status, body={"type": "error", "error": {"type": kind, "message": message}})


def google(status: int, message: str, details: list[Any] | None = None) -> Exception:
    """LangChain's error, caused by Google's."""
    error = {"code": status, "message": message, "status": "SOME", "details": details or []}
    fault = RuntimeError(f"Error calling model: {message}")
    fault.__cause__ = Answered(message, code=status, details={"error": error})
    return fault


def ollama(status: int, message: str) -> Answered:
    return Answered(message, status_code=status, error=message)


PASSING = {"llm_rate_limited", "llm_unavailable", "llm_timeout"}


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (openai(401, "Incorrect API key provided"), "llm_auth"),
        (openai(400, "Incorrect API key provided: xa***. Get one at console.x.ai"), "llm_auth"),
        (google(400, "API key not valid. Please pass a valid API key."), "llm_auth"),
        (anthropic("authentication_error", "invalid x-api-key", 401), "llm_auth"),
        (openai(404, "The model does not exist"), "llm_bad_response"),
        (openai(400, "Unknown parameter"), "llm_bad_response"),
        (ollama(400, "llama2 does not support tools"), "llm_bad_response"),
        (openai(400, "too long", "context_length_exceeded"), "llm_context_length"),
        (openai(400, "This model's maximum prompt length is 131072"), "llm_context_length"),
        (openai(400, "the request exceeds the available context size"), "llm_context_length"),
        (anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000", 400), "llm_context_length"),
        (google(400, "The input token count exceeds the maximum number of tokens allowed"), "llm_context_length"),
        (openai(429, "Rate limit reached"), "llm_rate_limited"),
        (anthropic("rate_limit_error", "slow down", 429), "llm_rate_limited"),
        (google(429, "Resource has been exhausted"), "llm_rate_limited"),
        (anthropic("overloaded_error", "Overloaded", 529), "llm_unavailable"),
        (anthropic("overloaded_error", "Overloaded"), "llm_unavailable"),
        (Answered("Provider returned error", body={"code": 502, "message": "bad"}), "llm_unavailable"),
        (ollama(500, "model runner has unexpectedly stopped"), "llm_unavailable"),
        (openai(504, "Gateway"), "llm_timeout"),
        (TimeoutError(), "llm_timeout"),
        (ConnectionRefusedError(), "llm_unavailable"),
        (type("RemoteProtocolError", (Exception,), {})("closed"), "llm_unavailable"),
        (type("ReadTimeout", (Exception,), {})(), "llm_timeout"),
        (ValueError("No generations found in stream"), "llm_bad_response"),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{type(value).__name__} {value}"[:40],
)
def test_the_code_and_whether_it_passes(fault: Exception, code: str) -> None:
    explained = explain(fault)
    assert explained.fault == code
    assert isinstance(explained, PassingFault) == (code in PASSING)


@pytest.mark.parametrize(
    "fault",
    [
        openai(
            429, "You exceeded your current quota, please check your plan and billing details", "insufficient_quota"
        ),
        openai(402, "Insufficient Balance"),
        openai(403, "Your team has either used all available credits or reached its monthly spending limit."),
        anthropic("invalid_request_error", "Your credit balance is too low to access the API", 400),
    ],
    ids=["openai", "deepseek", "xai", "anthropic"],
)
def test_an_empty_account_is_told_as_that_and_not_tried_again(fault: Exception) -> None:
    explained = explain(fault)
    assert explained.fault == "llm_rate_limited"
    assert not isinstance(explained, PassingFault)
    assert "no credit" in explained.message


def test_the_providers_own_words_are_told_without_secrets() -> None:
    said = explain(openai(401, "Wrong key s3cret-key, header Bearer of-a-proxy"), ("s3cret-key",)).message
    assert "Wrong key" in said
    assert "s3cret" not in said
    assert "of-a-proxy" not in said, "a bearer's token is none that anybody should read, whosever it is"


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [
        (openai(429, "slow", headers={"retry-after": "7"}), 7),
        (openai(429, "slow", headers={"retry-after-ms": "250", "retry-after": "1"}), 0.25),
        (openai(503, "slow", headers={"retry-after": "-3"}), 0),
        (openai(503, "slow", headers={"retry-after": "soon"}), None),
        (google(429, "slow", [{"@type": "RetryInfo", "retryDelay": "23.5s"}]), 23.5),
        (openai(500, "slow"), None),
    ],
    ids=["seconds", "milliseconds", "in the past", "rubbish", "google", "none"],
)
def test_how_long_the_provider_asks_to_wait(fault: Exception, seconds: float | None) -> None:
    explained = explain(fault)
    assert isinstance(explained, PassingFault)
    assert explained.retry_after == seconds


def test_a_time_to_wait_until() -> None:
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    explained = explain(openai(429, "slow", headers={"retry-after": at}))
    assert isinstance(explained, PassingFault)
    assert explained.retry_after == pytest.approx(30, abs=2)


def test_an_explained_fault_stays_as_it_is() -> None:
    fault = LlmError("llm_not_configured", "No model is set.")
    assert explain(fault) is fault


@pytest.mark.parametrize(
    ("finish", "words"),
    [
        ("content_filter", "held the answer back"),
        ("safety", "held the answer back"),
        ("blocked: jailbreak", "held the answer back"),
        ("malformed_function_call", "form that cannot be read"),
        ("length", "max_tokens"),
        ("stop", "nothing"),
        ("", "nothing"),
    ],
)
def test_an_answer_with_nothing_in_it_says_why(finish: str, words: str) -> None:
    fault = bad_end(finish, answers=False, thought=False)
    assert fault is not None
    assert words in fault.message


@pytest.mark.parametrize("finish", ["stop", "tool_calls", "length", "end_turn", ""])
def test_an_answer_may_end_like_this(finish: str) -> None:
    assert bad_end(finish, answers=True, thought=False) is None
    assert gave_up(finish) is None


@pytest.mark.parametrize("finish", ["safety", "refusal", "malformed_function_call"])
def test_an_answer_that_ends_like_this_is_not_whole(finish: str) -> None:
    assert bad_end(finish, answers=True, thought=False) is not None


def test_a_failed_response_keeps_its_code_and_words() -> None:
    """As LangChain raises it."""
    fault = ValueError("ResponseError(code='rate_limit_exceeded', message='Slow \"down\".', param=None)")
    explained = explain(fault)
    assert explained.fault == "llm_rate_limited"
    assert 'Slow "down".' in explained.message
