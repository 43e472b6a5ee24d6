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
_PASSING = {"llm_rate_limited", "llm_timeout", "llm_unavailable"}
_CONTEXT = re.compile(
    r"context.{0,20}(?:length|size|limit|window)|maximum (?:context|prompt)|too many tokens|token limit|"
    r"(?:prompt|input) is too long|exceeds the maximum number of tokens",
    re.IGNORECASE,
)
_KEY = re.compile(r"(?:incorrect|invalid) api key|api key not valid|API_KEY_INVALID", re.IGNORECASE)
_NO_CREDIT = re.compile(r"insufficient_quota|exceeded your current quota.{0,40}billing|credit balance", re.IGNORECASE)
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
    status, text = status_of(fault), _text(fault)
    code, what, advice = _of_status(status, text) if status is not None else _of_kind(fault, text)
    own_words = said(fault, secrets)
    quoted = f"It said: {own_words}" if own_words else ""
    if code not in _PASSING or what == _QUOTA:
        return LlmError(code, _sentences(what, advice, quoted))
    wait = _retry_after(fault)
    asks = f"It asks to wait {round(wait)} seconds." if wait is not None and wait >= 1 else ""
    return PassingFault(code, _sentences(what, advice, asks, quoted), _sentences(what, quoted), wait)


def _sentences(*given: str) -> str:
    return " ".join(filter(None, given))


def nothing_said(finish: str, *, thought: bool) -> LlmError:
    """An answer without text and calls, which ended for the reason `finish`; `thought`: there were thoughts."""
    if finish in _HELD_BACK:
        words = f"The model provider held the answer back ({finish}). Ask in other words."
    elif finish in CUT:
        words = "The answer's limit of length was used up before the answer began: raise max_tokens."
    else:
        words = f"The model answered with nothing{' but thoughts' if thought else ''}. Ask it again."
    return LlmError("llm_bad_response", words)


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
    return {}


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


def _of_status(status: int, text: str) -> tuple[str, str, str]:
    """Code, what happened, and what to do."""
    if status == 402 or (status in (400, 429) and _NO_CREDIT.search(text)):
        return "llm_rate_limited", _QUOTA, ""
    code = _code_of_status(status, text)
    if code == "llm_bad_response":
        return (code, *(_UNKNOWN if status == 404 else (_REFUSED, "")))
    return (code, *_WORDS[code])


def _code_of_status(status: int, text: str) -> str:
    if status in (401, 403) or (status == 400 and _KEY.search(text)):
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
