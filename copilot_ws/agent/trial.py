"""Tries a model out with one short call, and says in a person's words what is wrong with it."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, HumanMessage

from copilot_ws.agent.faults import explain, said, status_of
from copilot_ws.agent.models import ModelConfig, close, make
from copilot_ws.agent.outbound import AddressRefused
from copilot_ws.agent.providers.table import call_options

SECONDS = 15.0
TOKENS = 64  # a model that thinks first needs some for that
_QUESTION = "This only checks the connection. Call the tool `ready` now."
_TOOL = {
    "type": "function",
    "function": {
        "name": "ready",
        "description": "Says that you are ready.",
        "parameters": {"type": "object", "properties": {}},
    },
}
_NO_TOOLS = re.compile(r"\btools?\b|\btool[_ -]|function.?call", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"model.{0,120}(?:not.{0,8}(?:exist|found|support|available)|unknown)|model_not_found", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of it. `tools`: whether the model calls tools, None if that did not show."""

    ok: bool
    message: str
    model: str
    latency_ms: int
    tools: bool | None = None
    code: str | None = None

    def shape(self) -> dict[str, Any]:
        code = {"code": self.code} if self.code is not None else {}
        return {
            "ok": self.ok,
            "message": self.message,
            **code,
            "model": self.model,
            "latency_ms": self.latency_ms,
            "tools": self.tools,
        }


async def try_out(config: ModelConfig) -> Trial:
    """One call of at most `SECONDS`; it never raises for what is wrong with the model."""
    begun = time.monotonic()
    try:
        async with asyncio.timeout(SECONDS):
            answer = await _ask(config)
    except Exception as fault:
        code, message = _diagnosis(fault, config)
        return Trial(False, message, config.name, _since(begun), False if code == "llm_no_tools" else None, code)
    if answer is None:
        return Trial(False, _NO_API, config.name, _since(begun), code="llm_bad_response")
    if answer.tool_calls:
        return Trial(True, "The model answers and calls tools.", config.name, _since(begun), True)
    message = "The model answers. Whether it calls tools did not show: it answered without one."
    return Trial(True, message, config.name, _since(begun))


async def _ask(config: ModelConfig) -> AIMessageChunk | None:
    """The whole answer, None if there was none that can be read."""
    model: BaseChatModel = await asyncio.to_thread(make, config)
    try:
        offered = model.bind_tools([_TOOL], **call_options(config, model, None, TOKENS))
        answer: AIMessageChunk | None = None
        async for chunk in offered.astream([HumanMessage(_QUESTION)]):  # as runs do: some servers cannot
            if isinstance(chunk, AIMessageChunk):
                answer = chunk if answer is None else answer + chunk
        return answer
    finally:
        await close(model)


def _since(begun: float) -> int:
    return round((time.monotonic() - begun) * 1000)


_NO_API = "Something answers there, but not as this provider's API does. Check base_url: most end with /v1."


def _diagnosis(fault: Exception, config: ModelConfig) -> tuple[str, str]:
    """(code, what to do about it). The provider's own words are quoted without the key."""
    explained, status = explain(fault, (config.api_key,)), status_of(fault)
    if explained.fault == "llm_not_configured":
        return ("llm_not_allowed" if isinstance(explained, AddressRefused) else explained.fault), explained.message
    if status is None:
        return _of_connection(fault, explained.fault, config)
    code, message = _of_status(status, explained.fault, said(fault, (config.api_key,)), config)
    return code, message


def _of_connection(fault: Exception, code: str, config: ModelConfig) -> tuple[str, str]:
    where = config.base_url or f"the provider {config.provider}"
    for one in _behind(fault):
        redirected = getattr(getattr(one, "response", None), "is_redirect", False)
        if redirected:
            return "llm_wrong_path", f"{where} redirects to another address, which is not followed. Enter that one."
        if isinstance(one, socket.gaierror | UnicodeError):
            return "llm_unknown_host", f"The host of {where} cannot be found (DNS). Check how it is written."
        if isinstance(one, ssl.SSLError):
            return "llm_tls", f"No secure connection to {where}: {_tls(one)}"
        if isinstance(one, ConnectionRefusedError):
            return "llm_unavailable", f"{where} refuses connections: nothing listens there. Check the port."
    if code == "llm_timeout":
        return code, f"{where} did not answer within {SECONDS:g} seconds."
    if code == "llm_unavailable":
        return code, f"{where} cannot be reached, or broke the connection."
    return "llm_bad_response", _NO_API


def _behind(fault: BaseException | None) -> Iterator[BaseException]:
    """The fault and everything that led to it: the HTTP client hides the socket's own error from `__cause__`."""
    while fault is not None:
        yield fault
        fault = fault.__cause__ or fault.__context__


def _tls(fault: ssl.SSLError) -> str:
    if isinstance(fault, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({fault.verify_message})."
    if fault.reason in ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE"):
        return "it does not speak TLS. Is its address http:// and not https://?"
    return "the TLS handshake failed."


def _of_status(status: int, code: str, words: str, config: ModelConfig) -> tuple[str, str]:
    quoted = f" It said: {words}" if words else ""
    if code == "llm_auth":
        # Not quoted: providers repeat parts of the key here.
        return code, f"The key was not accepted (HTTP {status}). Check api_key, and that it may use this model."
    if code == "llm_rate_limited":
        return code, f"The key works, but there were too many requests, or there is no credit (HTTP {status}).{quoted}"
    if status in (400, 404, 422, 500, 501) and _NO_TOOLS.search(words):
        return "llm_no_tools", f"This model does not take tools, which the copilot needs. Choose another one.{quoted}"
    if status in (400, 404, 422) and _NO_MODEL.search(words):
        return "llm_unknown_model", f"There is no model {config.model!r} there. Check how it is written.{quoted}"
    if status in (404, 405):
        hint = "" if _has_version(config.base_url) else " Should it end with /v1?"
        return "llm_wrong_path", f"The server has no such API at {config.base_url} (HTTP {status}).{hint}{quoted}"
    return code, f"The provider answered with HTTP {status}.{quoted}"


def _has_version(base_url: str) -> bool:
    return re.search(r"/v\d+[a-z]*/?$", base_url) is not None
