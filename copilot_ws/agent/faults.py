"""Turns what a provider's client raises into an error code and words that help."""

from __future__ import annotations

import re

from copilot_ws.wire.errors import LlmError
from copilot_ws.wire.text import clean, shorten

_WORDS = {
    "llm_auth": "The model provider did not accept the API key. Check COPILOT_WS_LLM_API_KEY.",
    "llm_rate_limited": "The model provider says that there were too many requests. Try again in a while.",
    "llm_timeout": "The model did not answer in time. Try again, or raise COPILOT_WS_LLM_TIMEOUT.",
    "llm_unavailable": "The model provider cannot be reached, or the connection to it was lost. Try again.",
    "llm_context_length": "The conversation is longer than this model can read. Start a new chat.",
    "llm_bad_response": "The model provider sent an answer that cannot be used.",
}
_CONTEXT = re.compile(r"context.{0,20}length|maximum context|too many tokens|prompt is too long", re.IGNORECASE)
_BEARER = re.compile(r"Bearer\s+\S+", re.IGNORECASE)
_CONNECTION = ("Connect", "Connection", "Network", "Protocol", "ReadError", "WriteError")


def explain(fault: Exception, secrets: tuple[str, ...] = ()) -> LlmError:
    """The fault as an `LlmError`; no secret of `secrets` is in its text."""
    if isinstance(fault, LlmError):
        return fault
    code = _code(fault)
    said = _said(fault, secrets)
    return LlmError(code, f"{_WORDS[code]} It said: {said}" if said else _WORDS[code])


def _code(fault: Exception) -> str:
    status = getattr(fault, "status_code", None)
    if isinstance(status, int):
        return _code_of_status(status, str(fault))
    kind = type(fault).__name__
    if isinstance(fault, TimeoutError) or "Timeout" in kind:
        return "llm_timeout"
    if isinstance(fault, OSError) or any(word in kind for word in _CONNECTION):
        return "llm_unavailable"
    if _CONTEXT.search(str(fault)):
        return "llm_context_length"
    return "llm_bad_response"


def _code_of_status(status: int, text: str) -> str:
    if status in (401, 403):
        return "llm_auth"
    if status == 429:
        return "llm_rate_limited"
    if status == 413 or (status == 400 and _CONTEXT.search(text)):
        return "llm_context_length"
    if status in (408, 504):
        return "llm_timeout"
    return "llm_unavailable" if status >= 500 else "llm_bad_response"


def _said(fault: Exception, secrets: tuple[str, ...]) -> str:
    """The provider's own message, where it answered with one."""
    body = getattr(fault, "body", None)
    text = body.get("message") if isinstance(body, dict) else None
    if not isinstance(text, str):
        return ""
    text = _BEARER.sub("[hidden]", text)
    for secret in secrets:
        if secret:
            text = text.replace(secret, "[hidden]")
    return shorten(clean(text), 500)
