"""A conversation as Markdown, for people: whatever was said or printed stays within its quote or its fence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]
SPEAKERS = {"user": "You", "assistant": "Copilot", "tool": "Tool"}
NOTES = {
    "partial": "still being written",
    "incomplete": "broke off here",
    "cut": "cut off by a limit of length",
}


def conversation(session: Json, messages: Sequence[Json]) -> str:
    """A ChatSession and its OpenAIMessages as one document."""
    turn: Json = {}
    results = {message["tool_call_id"]: message for message in messages if message["role"] == "tool"}
    parts = list(_head(session))
    for message in messages:
        if message["role"] == "user":
            parts += _ending(turn)
            turn = message.get("metadata") or {}
        if message["role"] != "tool":
            parts += _message(message, results)
    parts += _ending(turn)
    return "\n\n".join(parts) + "\n"


def _head(session: Json) -> Iterator[str]:
    yield f"# {_escaped(session['title'])}"
    facts = [f"Begun {_when(session['created_at'])}", f"last message {_when(session['last_message_at'])}"]
    facts += [f"{session['message_count']} messages", f"{session['total_tokens']} tokens"]
    yield ", ".join(facts) + "."


def _message(message: Json, results: Mapping[str, Json]) -> Iterator[str]:
    metadata = message.get("metadata") or {}
    yield f"## {SPEAKERS[message['role']]}, {_when(message.get('created_at'))}"
    if thoughts := metadata.get("reasoning"):
        yield "Thoughts:"
        yield _quoted(thoughts)
    if thoughts and message["content"]:
        yield "Answer:"
    if message["content"]:
        yield _quoted(message["content"])
    yield from (f"({note})" for key, note in NOTES.items() if metadata.get(key))
    for call in message.get("tool_calls") or ():
        yield from _call(call["function"], results.get(call["id"]))


def _ending(turn: Json) -> Iterator[str]:
    """What became of a turn, where that is more than its answer. `turn` is the metadata of the user's message."""
    for limit in turn.get("limits", ()):
        yield f"Limit: {_escaped(limit['message'])}"
    if "error" in turn:
        yield f"Error: {_escaped(turn['error']['message'])}"
    elif turn.get("outcome") == "stopped":
        yield "Stopped."


def _call(function: Json, result: Json | None) -> Iterator[str]:
    yield f"### Tool {_code(function['name'])}"
    yield "Arguments:"
    yield _fenced(_readable(function["arguments"]))
    metadata = (result or {}).get("metadata") or {}
    if "executed_args" in metadata:
        yield "A person changed them before it ran, to:"
        yield _fenced(_readable(metadata["executed_args"]))
    if result is None or metadata.get("partial"):
        yield "No result yet."
        return
    took = f" after {metadata['duration_ms']} ms" if metadata.get("duration_ms") else ""
    yield f"Result: {metadata.get('status', 'unknown')}{took}"
    yield _fenced(_readable(result["content"]))


def _when(time: str | None) -> str:
    """ISO 8601, UTC, to the second."""
    return f"{time[:19].replace('T', ' ')} UTC" if time else "at an unknown time"


def _escaped(text: str) -> str:
    """One line of plain text."""
    return re.sub(r"([\\`*_{}\[\]<>#|!~&])", r"\\\1", " ".join(text.split()))


def _code(text: str) -> str:
    return _fence_for(text, 1) + f" {' '.join(text.split())} " + _fence_for(text, 1)


def _quoted(text: str) -> str:
    """What it opens (a list, a fence, HTML) ends with the quote."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _fenced(text: str) -> str:
    fence = _fence_for(text, 3)
    return f"{fence}text\n{text}\n{fence}"


def _fence_for(text: str, least: int) -> str:
    """Longer than any row of backticks in the text."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(least, longest + 1)


def _readable(value: Any) -> str:
    """JSON, or its text, laid out so that the lines of a device are lines; other text as it is."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return str(value)
    return "\n".join(_lines(value)) or "(nothing)"


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _labelled(f"{key}:", item)
    elif isinstance(value, list):
        for item in value:
            yield from _labelled("-", item)
    elif isinstance(value, str):
        yield from value.splitlines()
    else:
        yield json.dumps(value)


def _labelled(label: str, value: Any) -> Iterator[str]:
    lines = list(_lines(value))
    if len(lines) == 1 and not isinstance(value, dict | list):
        yield f"{label} {lines[0]}"
        return
    yield label
    yield from (f"  {line}" for line in lines)
