"""What a model sees of a conversation: the person's requests, and the tool calls of this turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

NO_ANSWER = '{"error": "The tool gave no answer."}'


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    args: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Round:
    """The calls of one model answer, and the tools' answers in the same order."""

    calls: tuple[Call, ...]
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    requests: tuple[str, ...]
    rounds: tuple[Round, ...]


def read_turn(messages: Sequence[BaseMessage], *, last_call: bool) -> Turn:
    """The turn that the messages end with: what came after the last thing that the person said.

    On a run's `last_call`, without tools, a request right behind tool answers is the server's, to sum up.
    """
    if last_call and len(messages) > 1 and isinstance(messages[-2], ToolMessage):
        messages = messages[:-1]
    spoken = [at for at, message in enumerate(messages) if isinstance(message, HumanMessage)]
    since = messages[spoken[-1] + 1 :] if spoken else messages
    answers = {message.tool_call_id: str(message.text) for message in since if isinstance(message, ToolMessage)}
    return Turn(
        requests=tuple(str(messages[at].text) for at in spoken),
        rounds=tuple(
            Round(
                tuple(Call(call["name"], call["args"]) for call in message.tool_calls),
                tuple(answers.get(call["id"] or "", NO_ANSWER) for call in message.tool_calls),
            )
            for message in since
            if isinstance(message, AIMessage) and message.tool_calls
        ),
    )
