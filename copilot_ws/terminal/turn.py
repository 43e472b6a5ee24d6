"""One turn as the history has it: which messages answer ours, what of them is new, whether they are all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Message = dict[str, Any]


def turn_of(messages: Sequence[Message], message_id: str) -> tuple[list[Message], bool]:
    """The messages that follow ours up to the next person's, and whether there is a next one."""
    ids = [message["id"] for message in messages]
    following = messages[ids.index(message_id) + 1 :] if message_id in ids else []
    ends = [number for number, message in enumerate(following) if message["role"] == "user"]
    return list(following[: ends[0]] if ends else following), bool(ends)


def newest_question(messages: Sequence[Message]) -> str:
    """The id of the newest message that a person wrote; "" if there is none."""
    return next((str(message["id"]) for message in reversed(messages) if message["role"] == "user"), "")


def missing(content: str, shown: str) -> str:
    """What of `content` has not been shown. After a crash the history may hold less than was shown."""
    if shown.startswith(content):
        return ""
    return content.removeprefix(shown)


def is_whole(turn: Sequence[Message]) -> bool:
    """Whether the turn ends with an answer that is complete and asks for nothing more."""
    if not turn or turn[-1]["role"] != "assistant" or turn[-1].get("tool_calls"):
        return False
    metadata = turn[-1].get("metadata") or {}
    return not (metadata.get("partial") or metadata.get("incomplete"))
