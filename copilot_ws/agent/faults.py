"""Turns what a provider's client raises into an error code and words that help."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from copilot_ws.wire.errors import LlmError
from copilot_ws.wire.text import clean, shorten

_WORDS = {  # what happened, and what to do
    "llm_auth": (
        "The model provider did not accept the API key.",
        "Check it: COPILOT_WS_LLM_API_KEY, or your own model's.",
    ),
    "llm_rate_limited": ("The model provider says that there were too many requests.", "Try again in a while."),
    "llm_timeout": ("The model did not answer in time.", "Try again, or raise COPILOT_WS_LLM_TIMEOUT."),
    "llm_unavailable": ("The model provider cannot be reached, or the connection to it was lost.", "Try again."),
    "llm_context_length": (
        "The conversation is longer than this model can read.",
        "Start a new chat, or tell the model's size with COPILOT_WS_LLM_CONTEXT_TOKENS: then older messages are left"
        " out.",
    ),
    "llm_bad_response": ("The model provider sent an answer that cannot be used.", ""),
}
SILENT = " ".join(_WORDS["llm_timeout"])
_QUOTA = "The account at the model provider has no credit, or its quota is used up."
_UNKNOWN = (
    "The model provider does not know this model, or nothing is at this address.",
    "Check COPILOT_WS_LLM_MODEL and COPILOT_WS_LLM_BASE_URL, or your own model's.",
)
_REFUSED = "The model provider refused the request."
_FORBIDDEN = "The model provider does not allow this with the API key."
_FLAGGED = "The model provider's moderation held the question back."

# How providers say that they held an answer, or the rest of it, back. Google's `blocked: ...` are of the question.
_HELD_BACK = {
    "content_filter",
    "safety",
    "refusal",
    "recitation",
    "prohibited_content",
    "blocklist",
    "spii",
    "language",
}
# How providers say that a limit of length ended an answer.
CUT = {"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded"}
# How they say that the model called a tool in a form that cannot be read, which is then nowhere in the answer.
_MISCALLED = {"malformed_function_call", "malformed_response", "unexpected_tool_call", "too_many_tool_calls"}
# How they say that they broke the answer off, without an error.
_GAVE_UP = {"error", "insufficient_system_resource"}
_PASSING = {"llm_rate_limited", "llm_timeout", "llm_unavailable"}
_CONTEXT = re.compile(
    r"context.{0,20}(?:length|size|limit|window)|maximum (?:context|prompt)|too many tokens|token limit|"
    r"(?:prompt|input) is too long|exceeds the maximum number of tokens",
    re.IGNORECASE,
)
_KEY = re.compile(r"(?:incorrect|invalid) api key|api key not valid|API_KEY_INVALID", re.IGNORECASE)
_NO_CREDIT = re.compile(
    r"insufficient_quota|exceeded your current quota.{0,40}billing|credit balance|credits? (?:is|are) depleted|"
    r"used all available credits|run out of credits",
    re.IGNORECASE,
)
_MODERATION = re.compile(r"\bmoderation\b|\bflagged\b", re.IGNORECASE)
# What LangChain makes of a failed answer of OpenAI's responses API: the text of its error.
_FAILED = re.compile(r"code='(?P<code>\w+)',? message=(?P<quote>['\"])(?P<message>.*?)(?P=quote)[,)]", re.DOTALL)
_BEARER = re.compile(r"Bearer\s+\S+", re.IGNORECASE)
_CONNECTION = ("Connect", "Connection", "Network", "Protocol", "ReadError", "WriteError", "Disconnected", "Payload")
_STATUS_OF_TYPE = {  # errors that come in the middle of a stream have no status of their own
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}


class PassingFault(LlmError):
    """A fault that the next attempt may not meet. `what` happened, without what a person could do about it.

    `retry_after`: the seconds that the provider asks to wait.
    """

    def __init__(self, fault: str, message: str, what: str, retry_after: float | None) -> None:
        super().__init__(fault, message)
        self.what, self.retry_after = what, retry_after

    def final(self) -> LlmError:
        """The same fault where no other attempt may follow."""
        return LlmError(self.fault, self.message)


def explain(fault: Exception, secrets: tuple[str, ...] = ()) -> LlmError:
    """The fault as an `LlmError`, a `PassingFault` if trying again may help; no secret of `secrets` is in its text."""
    for one in _chain(fault):
        if isinstance(one, LlmError):  # raised below a provider's client, which may wrap it
            return one
    status, text, wait = status_of(fault), _text(fault), _retry_after(fault)
    waits = wait is not None
    code, what, advice = _of_status(status, text, waits=waits) if status is not None else _of_kind(fault, text)
    own_words = said(fault, secrets)
    quoted = f"It said: {own_words}" if own_words else ""
    if code not in _PASSING or what == _QUOTA:
        return LlmError(code, _sentences(what, advice, quoted))
    asks = f"It asks to wait {round(wait)} seconds." if wait is not None and wait >= 1 else ""
    return PassingFault(code, _sentences(what, advice, asks, quoted), _sentences(what, quoted), wait)


def _sentences(*given: str) -> str:
    return " ".join(filter(None, given))


def bad_end(finish: str, *, answers: bool, thought: bool) -> LlmError | None:
    """What is wrong with an answer that ended for the reason `finish`; None: nothing.

    `answers`: whether there is text or a call; `thought`: whether there are thoughts at least.
    """
    if _held_back(finish):
        part = "the rest of the answer" if answers else "the answer"
        words = f"The model provider held {part} back ({finish}). Ask in other words."
    elif finish in _MISCALLED:
        words = f"The model called a tool in a form that cannot be read ({finish}). Ask it again, or for less at once."
    elif answers:
        return None
    elif finish in CUT:
        words = "The answer's limit of length was used up before the answer began: raise max_tokens."
    else:
        words = f"The model answered with nothing{' but thoughts' if thought else ''}. Ask it again."
    return LlmError("llm_bad_response", words)


def may_do_better(finish: str) -> bool:
    """Whether the same question may have an answer, where it had none and that ended for the reason `finish`."""
    return finish not in CUT and not _held_back(finish)


def _held_back(finish: str) -> bool:
    return finish in _HELD_BACK or finish.startswith("blocked")


def gave_up(finish: str) -> PassingFault | None:
    """The fault of an answer that its provider broke off for the reason `finish`; None if that is another."""
    if finish not in _GAVE_UP:
        return None
    what = f"The model provider broke the answer off ({finish})."
    return PassingFault("llm_unavailable", f"{what} Try again.", what, None)


def _chain(fault: BaseException | None) -> Iterator[BaseException]:
    """The fault and what caused it: integrations wrap what their client raised."""
    while fault is not None:
        yield fault
        fault = fault.__cause__


def _error(fault: BaseException) -> dict[str, Any]:
    """The provider's own error object, wherever its client keeps it."""
    for name in ("body", "details"):
        found = getattr(fault, name, None)
        inner = found.get("error", found) if isinstance(found, dict) else found
        if isinstance(inner, dict):
            return inner
        if isinstance(inner, str) and not inner.lstrip().startswith("<"):  # some say it without an object
            return {"message": inner}
    failed = _FAILED.search(str(fault))
    return failed.groupdict() if failed is not None else {}


def status_of(fault: Exception) -> int | None:
    """The HTTP status, or the one that an error within a stream stands for."""
    for one in _chain(fault):
        error = _error(one)
        given = (getattr(one, "status_code", None), getattr(one, "code", None), error.get("code"))
        named = (_STATUS_OF_TYPE.get(str(error.get("type"))), _STATUS_OF_TYPE.get(str(error.get("code"))))
        for status in (*given, *named):
            if isinstance(status, int) and 400 <= status < 600:
                return status
    return None


def _text(fault: Exception) -> str:
    """Everything that the fault says, to look for signs in; it may hold secrets."""
    return " ".join(f"{one} {_error(one)}" for one in _chain(fault))


def _of_status(status: int, text: str, *, waits: bool) -> tuple[str, str, str]:
    """Code, what happened, and what to do. Who asks to wait (`waits`) has a quota that fills up again."""
    if status == 402 or (status in (400, 403, 429) and _NO_CREDIT.search(text) and not waits):
        return "llm_rate_limited", _QUOTA, ""
    if status == 403:
        return _of_forbidden(text)
    code = _code_of_status(status, text)
    if code == "llm_bad_response":
        return (code, *(_UNKNOWN if status == 404 else (_REFUSED, "")))
    return (code, *_WORDS[code])


def _of_forbidden(text: str) -> tuple[str, str, str]:
    if _MODERATION.search(text):
        return "llm_bad_response", _FLAGGED, "Ask in other words."
    return "llm_auth", _FORBIDDEN, _WORDS["llm_auth"][1]


def _code_of_status(status: int, text: str) -> str:
    if status == 401 or (status == 400 and _KEY.search(text)):
        return "llm_auth"
    if status == 429:
        return "llm_rate_limited"
    if status == 413 or (status in (400, 422) and _CONTEXT.search(text)):
        return "llm_context_length"
    if status in (408, 504):
        return "llm_timeout"
    return "llm_unavailable" if status >= 500 else "llm_bad_response"


def _of_kind(fault: Exception, text: str) -> tuple[str, str, str]:
    kinds = [type(one).__name__ for one in _chain(fault)]
    if isinstance(fault, TimeoutError) or any("Timeout" in kind for kind in kinds):
        code = "llm_timeout"
    elif isinstance(fault, OSError) or any(word in kind for word in _CONNECTION for kind in kinds):
        code = "llm_unavailable"
    else:
        code = "llm_context_length" if _CONTEXT.search(text) else "llm_bad_response"
    return (code, *_WORDS[code])


def said(fault: Exception, secrets: tuple[str, ...]) -> str:
    """The provider's own message without any of `secrets`; empty where there is none."""
    return _hidden(_said(fault), secrets)


def _said(fault: Exception) -> str:
    """The provider's own message, where it answered with one."""
    for one in _chain(fault):
        for text in (_error(one).get("message"), getattr(one, "error", None)):
            if isinstance(text, str):
                return text
    return ""


def _hidden(text: str, secrets: tuple[str, ...]) -> str:
    text = _BEARER.sub("[hidden]", text)
    for secret in secrets:
        if secret:
            text = text.replace(secret, "[hidden]")
    return shorten(clean(text), 500)


def _retry_after(fault: Exception) -> float | None:
    """The seconds that the provider asks to wait, in a header or as Google does in its error's details."""
    for one in _chain(fault):
        headers = getattr(getattr(one, "response", None), "headers", None) or {}
        for text, unit in ((headers.get("retry-after-ms"), 0.001), (headers.get("retry-after"), 1.0)):
            if text is not None and (wait := _seconds(str(text), unit)) is not None:
                return wait
        details = _error(one).get("details")
        for detail in details if isinstance(details, list) else ():
            if isinstance(detail, dict) and "retryDelay" in detail:
                return _seconds(str(detail["retryDelay"]).removesuffix("s"), 1.0)
    return None


def _seconds(text: str, unit: float) -> float | None:
    """A number of seconds, or the time until an HTTP date; None for what is neither."""
    try:
        return max(0.0, float(text) * unit)
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
