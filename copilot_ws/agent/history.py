"""Conversations between LangChain's messages and the shapes that are stored and shown; and their repair."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, InvalidToolCall, ToolMessage
from langchain_core.messages.tool import ToolCall

from copilot_ws.wire.codecs import JSON, BadFrame, decode_frame
from copilot_ws.wire.models import Message
from copilot_ws.wire.text import clean, clean_json
from copilot_ws.wire.times import utcnow

PROVIDER = "copilot_provider"
"""The key of `response_metadata` that tells which provider made an answer."""
BY_US = "none"
"""In the place of a provider: an answer that was worked out without a model."""
LOST = "No result: the call did not run to its end."


def new_id() -> str:
    return uuid.uuid4().hex


def user_message(text: str, metadata: dict[str, Any]) -> Message:
    shape = {"id": new_id(), "role": "user", "content": text, "created_at": utcnow()}
    return Message({**shape, "metadata": metadata} if metadata else shape)


def tool_message(call_id: str, name: str, content: str, status: str, metadata: dict[str, Any] | None = None) -> Message:
    """The one result of a call; `status` is that of its `tool_end`."""
    return Message(
        {
            "id": new_id(),
            "role": "tool",
            "content": clean(content),
            "created_at": utcnow(),
            "name": name,
            "tool_call_id": call_id,
            "metadata": {"status": status, **(metadata or {})},
        }
    )


def to_message(
    message: AIMessage, created_at: str, metadata: dict[str, Any], bill: dict[str, Any] | None = None
) -> Message:
    """A model's answer as it is stored: what OpenAI's shape cannot hold, and its bill, goes to `native`."""
    shape: dict[str, Any] = {
        "id": message.id or new_id(),
        "role": "assistant",
        "content": clean(str(message.text)),
        "created_at": created_at,
    }
    calls = [_call_shape(call["id"], call["name"], json.dumps(call["args"])) for call in message.tool_calls]
    calls += [_call_shape(call["id"], call["name"], call["args"] or "") for call in message.invalid_tool_calls]
    if calls:
        shape["tool_calls"] = calls
    if metadata:
        shape["metadata"] = metadata
    native: dict[str, Any] = {
        "additional_kwargs": message.additional_kwargs,
        "response_metadata": message.response_metadata,
        "usage_metadata": message.usage_metadata,
    }
    if not isinstance(message.content, str):
        native["content"] = message.content
    if bill is not None:
        native["bill"] = bill
    return Message(clean_json(shape), clean_json(native))


def _call_shape(call_id: str | None, name: str | None, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def to_langchain(message: Message) -> AnyMessage:
    """The stored message as a provider integration takes it."""
    shape, native = message.shape, message.native
    if message.role == "user":
        return HumanMessage(shape["content"], id=message.id)
    if message.role == "tool":
        status = "success" if message.metadata.get("status") == "success" else "error"
        return ToolMessage(
            shape["content"],
            id=message.id,
            name=shape.get("name"),
            tool_call_id=shape["tool_call_id"],
            status=status,
        )
    valid, invalid = _calls(message)
    return AIMessage(
        content=native.get("content", shape["content"]),
        id=message.id,
        tool_calls=valid,
        invalid_tool_calls=invalid,
        additional_kwargs=native.get("additional_kwargs") or {},
        response_metadata=native.get("response_metadata") or {},
        usage_metadata=native.get("usage_metadata"),
    )


def _calls(message: Message) -> tuple[list[ToolCall], list[InvalidToolCall]]:
    """The calls that may have run, and those of an answer that broke off or was no JSON: they never did."""
    valid: list[ToolCall] = []
    invalid: list[InvalidToolCall] = []
    incomplete = message.metadata.get("incomplete")
    for call in message.shape.get("tool_calls") or ():
        function = call["function"]
        arguments = None if incomplete else parsed_arguments(function["arguments"])
        if arguments is not None:
            valid.append(ToolCall(id=call["id"], name=function["name"], args=arguments))
        else:
            invalid.append(invalid_call(call["id"], function["name"], function["arguments"], "no JSON object"))
    return valid, invalid


def parsed_arguments(text: str) -> dict[str, Any] | None:
    """A call's arguments as an object, None if they are none, or too deep. No text at all stands for no arguments."""
    try:
        return decode_frame(JSON, (text or "{}").encode("utf-8", "surrogatepass"))
    except BadFrame:
        return None


def invalid_call(call_id: str, name: str, arguments: str, error: str) -> InvalidToolCall:
    return InvalidToolCall(type="invalid_tool_call", id=call_id, name=name, args=arguments, error=error)


def made_plain(messages: Sequence[AnyMessage], provider: str) -> list[AnyMessage]:
    """`messages` for `provider`: of another one's answers only text and calls, for it would refuse the rest."""

    def plain(message: AnyMessage) -> AnyMessage:
        made_by = message.response_metadata.get(PROVIDER, provider)
        if not isinstance(message, AIMessage) or made_by == provider:
            return message
        return AIMessage(str(message.text), id=message.id, tool_calls=message.tool_calls)

    return [plain(message) for message in messages]


def stored(messages: Sequence[BaseMessage], at: str) -> list[Message]:
    """Messages of another store as they are kept here, each call answered; system messages are left out."""
    found: list[Message] = []
    for message in paired([m for m in messages if isinstance(m, HumanMessage | AIMessage | ToolMessage)]):
        if isinstance(message, AIMessage):
            found.append(to_message(message, at, {}))
        elif isinstance(message, ToolMessage):
            found.append(tool_message(message.tool_call_id, message.name or "", str(message.text), message.status))
        else:
            found.append(user_message(str(message.text), {}))
    return found


def made_by_us(message: Message) -> bool:
    """Whether no model made, and nobody is charged for, this answer."""
    return bool((message.native.get("response_metadata") or {}).get(PROVIDER) == BY_US)


def unanswered(messages: Sequence[Message]) -> list[tuple[str, str]]:
    """(id, name) of each call that no tool message after it answers, in order."""
    found: dict[str, str] = {}
    for message in messages:
        for call in message.shape.get("tool_calls") or ():
            found[call["id"]] = call["function"]["name"]
        if message.role == "tool":
            found.pop(message.shape["tool_call_id"], None)
    return list(found.items())


def _sendable(message: AnyMessage) -> AnyMessage:
    """Calls whose arguments are no JSON are sent back as calls of a note: many providers refuse broken ones."""
    if not isinstance(message, AIMessage) or not message.invalid_tool_calls:
        return message
    noted = [
        ToolCall(id=call["id"], name=call["name"] or "unknown", args={"malformed": (call["args"] or "")[:500]})
        for call in message.invalid_tool_calls
    ]
    return message.model_copy(update={"tool_calls": [*message.tool_calls, *noted], "invalid_tool_calls": []})


def call_ids(message: AnyMessage) -> list[str]:
    if not isinstance(message, AIMessage):
        return []
    return [str(call["id"]) for call in (*message.tool_calls, *message.invalid_tool_calls)]


def _says_nothing(message: AnyMessage) -> bool:
    """Thoughts alone, of an answer that broke off: some providers refuse an empty answer."""
    return isinstance(message, AIMessage) and not message.text and not call_ids(message)


def paired(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """`messages` as every provider takes them: after each call its one answer, and no answer without a call.

    An answer that stands elsewhere is moved to its call; one that never came is made up as lost.
    """
    answers: dict[str, list[ToolMessage]] = {}
    for message in messages:
        if isinstance(message, ToolMessage):
            answers.setdefault(message.tool_call_id, []).append(message)
    found: list[AnyMessage] = []
    for message in messages:
        if isinstance(message, ToolMessage) or _says_nothing(message):
            continue
        message = _sendable(message)
        found.append(message)
        for call in message.tool_calls if isinstance(message, AIMessage) else ():
            call_id = str(call["id"])
            waiting = answers.get(call_id)
            found.append(waiting.pop(0) if waiting else ToolMessage(LOST, tool_call_id=call_id, status="error"))
    return found
