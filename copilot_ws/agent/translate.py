"""Reads a model's stream: text, thoughts, tool-call fragments and usage, in whatever shape they come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from langchain_core.messages import AIMessage, AIMessageChunk, InvalidToolCall
from langchain_core.messages.ai import add_ai_message_chunks
from langchain_core.messages.tool import ToolCall

from copilot_ws.agent.calls import CallAssembler, CallParts
from copilot_ws.agent.faults import CUT
from copilot_ws.agent.history import PROVIDER, invalid_call
from copilot_ws.agent.tokens import reported
from copilot_ws.wire.text import CleanStream, clean

NO_OBJECT = "The arguments are no JSON object: they may be cut off. Call again with whole arguments."

_FINISH = ("finish_reason", "stop_reason", "done_reason")
_CALL_BLOCKS = {"tool_use", "input_json_delta", "function_call", "tool_call", "tool_call_chunk", "invalid_tool_call"}
_THOUGHTS = "reasoning_content"
_SIGNATURES = "__gemini_function_call_thought_signatures__"


class Speech(Protocol):
    """Where a stream's parts go, as they come."""

    def content(self, message_id: str, text: str) -> None: ...

    def reasoning(self, message_id: str, text: str) -> None: ...

    def tool_call(self, message_id: str, call_id: str, name: str, arguments: str, complete: bool) -> None: ...


class AnswerReader:
    """Folds the chunks of one model answer into speech as they come and one `AIMessage` at the end.

    `provider`: whose answer it is. `usage_adds_up`: its client reports the tokens since its last report, not
    those so far.
    """

    def __init__(
        self, message_id: str, speech: Speech, taken: set[str], *, provider: str = "", usage_adds_up: bool = False
    ) -> None:
        self.message_id = message_id
        self._provider = provider
        self.said_something = False
        self._usage_adds_up = usage_adds_up
        self._speech = speech
        self._text, self._thoughts = CleanStream(), CleanStream()
        self._calls = CallAssembler(taken)
        self._last_call: CallParts | None = None
        self._finish = ""
        self._pieces: list[str] = []
        self._thought: list[str] = []
        self._chunks: list[AIMessageChunk] = []
        self._plain = True
        self._usage = {"input_tokens": 0, "output_tokens": 0}

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    @property
    def finish(self) -> str:
        """Why the provider says that the answer ended, in lower case; "" if it does not say."""
        return self._finish

    @property
    def cut(self) -> bool:
        """Whether a limit of length ended the answer."""
        return self._finish in CUT

    @property
    def answers(self) -> bool:
        """Whether there is an answer: text or calls. Thoughts alone are none."""
        return bool(self._calls.calls or self.text.strip())

    def feed(self, chunk: AIMessageChunk) -> None:
        self._keep(chunk)
        content = chunk.content
        if isinstance(content, str):
            if content:
                self._say(content)
            if thoughts := chunk.additional_kwargs.get(_THOUGHTS):
                self._think(str(thoughts))
        else:
            for block in chunk.content_blocks:
                if block["type"] == "text":
                    self._say(block.get("text") or "")
                elif block["type"] == "reasoning":
                    self._think(block.get("reasoning") or "")
        for fragment in chunk.tool_call_chunks:
            self._call(dict(fragment))
        if chunk.usage_metadata:
            self._count(chunk.usage_metadata)
        self._finish = _finish_of(chunk.response_metadata) or self._finish

    def _keep(self, chunk: AIMessageChunk) -> None:
        """Keeps what the whole message needs beyond text and calls, which are collected on their own."""
        if not self._plain:
            self._chunks.append(chunk)
        elif not isinstance(chunk.content, str):
            self._plain = False
            self._chunks += [AIMessageChunk(content=[{"type": "text", "text": self.text}] if self.text else []), chunk]
        else:
            more = {key: value for key, value in chunk.additional_kwargs.items() if key != _THOUGHTS}
            if more or chunk.response_metadata.keys() - {"model_provider"}:
                metadata = chunk.response_metadata
                self._chunks.append(AIMessageChunk(content="", additional_kwargs=more, response_metadata=metadata))

    def _say(self, text: str) -> None:
        if text := self._text.feed(text):
            self.said_something = True
            self._pieces.append(text)
            self._speech.content(self.message_id, text)

    def _think(self, text: str) -> None:
        if text := self._thoughts.feed(text):
            self.said_something = True
            self._thought.append(text)
            self._speech.reasoning(self.message_id, text)

    def _call(self, fragment: dict[str, Any]) -> None:
        self.said_something = True
        call, new = self._calls.feed(fragment)
        self._last_call = call
        if new:
            self._speech.tool_call(self.message_id, call.id, call.name, "", False)
        if call.arguments:
            self._speech.tool_call(self.message_id, call.id, call.name, clean(call.text), False)

    def _count(self, usage: Any) -> None:
        """Most repeat a growing total, or report once: the largest figure is the call's."""
        for key, before in self._usage.items():
            now = usage.get(key) or 0
            self._usage[key] = before + now if self._usage_adds_up else max(before, now)

    @property
    def usage(self) -> tuple[int, int]:
        """(input tokens, output tokens) of this call, 0 where the provider reported none."""
        return reported(self._usage["input_tokens"]), reported(self._usage["output_tokens"])

    def metadata(self, *, whole: bool) -> dict[str, Any]:
        """What history tells beside the text: the thoughts, that an answer broke off, or was cut at a limit."""
        found: dict[str, Any] = {} if whole else {"incomplete": True}
        if self.cut:
            found["cut"] = True
        if self._thought:
            found["reasoning"] = "".join(self._thought)
        return found

    def message(self, *, whole: bool) -> AIMessage:
        """What was said. Of an answer that broke off (not `whole`) no call is valid: none may run."""
        if rest := self._text.end():
            self._pieces.append(rest)
            self._speech.content(self.message_id, rest)
        if rest := self._thoughts.end():
            self._thought.append(rest)
            self._speech.reasoning(self.message_id, rest)
        merged = self._merged()
        valid, invalid = self._sorted(whole)
        read, written = self.usage
        for call, text in self._arguments(valid):
            self._speech.tool_call(self.message_id, call.id, call.name, text, True)
        return AIMessage(
            content=self.text if self._plain else _without_calls(merged.content),
            id=self.message_id,
            tool_calls=valid,
            invalid_tool_calls=invalid,
            additional_kwargs=self._more(merged.additional_kwargs),
            response_metadata={**merged.response_metadata, PROVIDER: self._provider},
            usage_metadata={"input_tokens": read, "output_tokens": written, "total_tokens": read + written},
        )

    def _merged(self) -> AIMessageChunk:
        return add_ai_message_chunks(AIMessageChunk(content="" if self._plain else []), *self._chunks)

    def _more(self, merged: dict[str, Any]) -> dict[str, Any]:
        """What the provider wants back beside content and calls; what it keeps by call has our ids."""
        found = {key: value for key, value in merged.items() if key not in ("tool_calls", "function_call")}
        if isinstance(signatures := found.get(_SIGNATURES), dict):
            ours = {call.given: call.id for call in self._calls.calls}
            found[_SIGNATURES] = {ours.get(key, key): value for key, value in signatures.items()}
        if self._plain and self._thought:
            found[_THOUGHTS] = "".join(self._thought)
        return found

    def _arguments(self, valid: Sequence[ToolCall]) -> list[tuple[CallParts, str]]:
        """Each call with its arguments as JSON text: some providers send none at all where there are none."""
        none = {call["id"]: "{}" for call in valid}
        return [(call, clean(call.text) or none.get(call.id, "")) for call in self._calls.calls]

    def _sorted(self, whole: bool) -> tuple[list[ToolCall], list[InvalidToolCall]]:
        """The calls that may run, and those that may not.

        Where a limit of length cut the answer, its last call never runs: some servers close the JSON that the
        model could not finish. The calls before it are whole.
        """
        valid: list[ToolCall] = []
        invalid: list[InvalidToolCall] = []
        for call in self._calls.calls:
            arguments = call.parsed() if whole else None
            fault = _fault(arguments, whole, self.cut and call is self._last_call)
            if arguments is None or fault:
                invalid.append(invalid_call(call.id, call.name, clean(call.text), fault))
            else:
                valid.append(ToolCall(id=call.id, name=call.name, args=arguments))
        return valid, invalid


def _finish_of(metadata: dict[str, Any]) -> str:
    details = metadata.get("incomplete_details")  # OpenAI's responses API
    reasons = [*map(metadata.get, _FINISH), details.get("reason") if isinstance(details, dict) else None]
    return next((str(reason).lower() for reason in reasons if reason), "")


def _fault(arguments: dict[str, Any] | None, whole: bool, cut: bool) -> str:
    if not whole:
        return "The answer broke off."
    if cut:
        return (
            "The answer was cut at its limit of length (max_tokens), so this call may not be whole: it was not run."
            " Call again with less in one call."
        )
    return "" if arguments is not None else NO_OBJECT


def _without_calls(content: Any) -> Any:
    """The content's blocks but for those of calls: these stand in `tool_calls`, with the ids of this run."""
    if not isinstance(content, list):
        return content
    return [block for block in content if not isinstance(block, dict) or block.get("type") not in _CALL_BLOCKS]
