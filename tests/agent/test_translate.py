"""Reading a model's stream, in every shape in which providers send it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.messages.tool import tool_call_chunk

from copilot_ws.agent.calls import CallAssembler
from copilot_ws.agent.translate import AnswerReader

Json = dict[str, Any]


@dataclass
class Heard:
    """A `Speech` that remembers."""

    text: str = ""
    thoughts: str = ""
    calls: list[tuple[str, str, str, bool]] = field(default_factory=list)

    def content(self, message_id: str, text: str) -> None:
        text.encode()
        self.text += text

    def reasoning(self, message_id: str, text: str) -> None:
        self.thoughts += text

    def tool_call(self, message_id: str, call_id: str, name: str, arguments: str, complete: bool) -> None:
        self.calls.append((call_id, name, arguments, complete))


def read(
    *chunks: AIMessageChunk, whole: bool = True, taken: set[str] | None = None, usage_adds_up: bool = False
) -> tuple[Heard, AIMessage]:
    heard = Heard()
    reader = AnswerReader("m", heard, set() if taken is None else taken, usage_adds_up=usage_adds_up)
    for chunk in chunks:
        reader.feed(chunk)
    return heard, reader.message(whole=whole)


def fragment(
    args: str | None = None, *, name: str | None = None, id: str | None = None, index: Any = None
) -> AIMessageChunk:
    return AIMessageChunk("", tool_call_chunks=[tool_call_chunk(name=name, args=args, id=id, index=index)])


def block(kind: str, index: int, **content: str) -> AIMessageChunk:
    """A chunk as langchain-anthropic makes it."""
    return AIMessageChunk(
        [{"type": kind, "index": index, **content}], response_metadata={"model_provider": "anthropic"}
    )


def calls(message: AIMessage) -> list[tuple[str, Json]]:
    return [(call["name"], call["args"]) for call in message.tool_calls]


A, B = ("first", {"a": 1}), ("second", {"b": [2, {"c": "3"}]})
A1, A2 = '{"a"', ": 1}"
B1, B2 = '{"b": [2, ', '{"c": "3"}]}'


class TestParallelCalls:
    """Two calls, told apart in each provider's own way."""

    @pytest.mark.parametrize(
        "stream",
        [
            [
                fragment("", name="first", id="1", index=0),
                fragment(A1, index=0),
                fragment(A2, index=0),
                fragment("", name="second", id="2", index=1),
                fragment(B1, index=1),
                fragment(B2, index=1),
            ],
            [
                fragment("", name="first", id="1", index=0),
                fragment("", name="second", id="2", index=1),
                fragment(A1, index=0),
                fragment(B1, index=1),
                fragment(A2, index=0),
                fragment(B2, index=1),
            ],
            [
                fragment("", name="first", id="1", index=0),
                fragment(A1, index=0),
                fragment(A2, index=0),
                fragment("", name="second", id="2", index=0),
                fragment(B1, index=0),
                fragment(B2, index=0),
            ],
            [
                fragment("", name="first", id="1", index=0),
                fragment("", name="second", id="2", index=0),
                fragment(A1, id="1", index=0),
                fragment(B1, id="2", index=0),
                fragment(A2, id="1", index=0),
                fragment(B2, id="2", index=0),
            ],
            [
                fragment(A1, name="first", index=0),
                fragment(A2, index=0),
                fragment(B1, name="second", index=1),
                fragment(B2, index=1),
            ],
            [
                fragment(A1, name="first"),
                fragment(A2),
                fragment(B1, name="second"),
                fragment(B2),
            ],
            [fragment(A1 + A2, name="first", index=0), fragment(B1 + B2, name="second", index=0)],
            [
                fragment("", name="first", id="1", index=0),
                fragment(A1, name="first", id="1", index=0),
                fragment(A2, name="first", id="1", index=0),
                fragment("", name="second", id="2", index=1),
                fragment(B1, name="second", id="2", index=1),
                fragment(B2, name="second", id="2", index=1),
            ],
        ],
        ids=[
            "one after the other, by index",
            "interleaved, by index",
            "all index 0, one after the other",
            "all index 0, interleaved, id on each fragment",
            "no ids",
            "no ids, no index",
            "no ids, all index 0, whole",
            "name and id on each fragment",
        ],
    )
    def test_are_put_together(self, stream: list[AIMessageChunk]) -> None:
        heard, message = read(*stream)
        assert calls(message) == [A, B]
        complete = [(call_id, name, json.loads(text)) for call_id, name, text, done in heard.calls if done]
        assert [(name, arguments) for _, name, arguments in complete] == [A, B]
        assert [call["id"] for call in message.tool_calls] == [call_id for call_id, _, _ in complete]
        assert len({call_id for call_id, _, _ in complete}) == 2

    def test_each_is_announced_without_arguments_first(self) -> None:
        heard, _ = read(fragment(A1, name="first", id="1", index=0), fragment(A2, index=0))
        assert heard.calls == [
            ("1", "first", "", False),
            ("1", "first", A1, False),
            ("1", "first", A1 + A2, False),
            ("1", "first", A1 + A2, True),
        ]


@given(st.lists(st.tuples(st.integers(0, 2), st.text("abc", min_size=1)), max_size=30))
def test_fragments_of_a_lane_keep_their_order(pieces: list[tuple[int, str]]) -> None:
    assembler = CallAssembler(set())
    for lane in range(3):
        assembler.feed({"index": lane, "id": f"id{lane}", "name": "tool", "args": ""})
    for lane, piece in pieces:
        assembler.feed({"index": lane, "args": piece})
    for lane, call in enumerate(assembler.calls):
        assert call.text == "".join(piece for number, piece in pieces if number == lane)


def test_an_id_of_an_earlier_answer_is_made_new() -> None:
    taken: set[str] = set()
    ids = [read(fragment("{}", name="tool", id="call_0"), taken=taken)[1].tool_calls[0]["id"] for _ in range(3)]
    assert len(set(ids)) == 3


def test_a_call_without_an_id_gets_one() -> None:
    assert read(fragment("{}", name="tool"))[1].tool_calls[0]["id"]


@pytest.mark.parametrize("text", ["", "{}"])
def test_no_arguments_are_an_empty_object(text: str) -> None:
    assert calls(read(fragment(text, name="tool", id="1"))[1]) == [("tool", {})]


@pytest.mark.parametrize("text", ['{"a": ', "[1]", "null", "5", "rubbish", '{"a": 1} {"b": 2}'])
def test_arguments_that_are_no_object_make_the_call_invalid(text: str) -> None:
    _, message = read(fragment(text, name="tool", id="1"))
    assert message.tool_calls == []
    assert [(call["id"], call["name"], call["args"]) for call in message.invalid_tool_calls] == [("1", "tool", text)]


def test_no_call_of_an_answer_that_broke_off_is_valid() -> None:
    heard, message = read(fragment('{"a": 1}', name="tool", id="1"), whole=False)
    assert message.tool_calls == []
    assert [call["id"] for call in message.invalid_tool_calls] == ["1"]
    assert [complete for *_, complete in heard.calls] == [False, False, True]


def ending(**metadata: Any) -> AIMessageChunk:
    return AIMessageChunk("", response_metadata=metadata)


@pytest.mark.parametrize(
    "end",
    [
        ending(finish_reason="length"),
        ending(stop_reason="max_tokens"),
        ending(finish_reason="MAX_TOKENS"),
        ending(done_reason="length"),
        ending(status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
    ],
    ids=["openai", "anthropic", "google", "ollama", "openai's responses"],
)
def test_the_last_call_before_a_limit_of_length_is_invalid(end: AIMessageChunk) -> None:
    parts = [fragment("{}", name="first", id="1", index=0), fragment(A1 + A2, name="second", id="2", index=1)]
    _, message = read(*parts, end)
    assert [call["id"] for call in message.tool_calls] == ["1"]
    assert [(call["id"], call["args"]) for call in message.invalid_tool_calls] == [("2", A1 + A2)]


def test_call_blocks_of_the_content_are_left_to_the_calls() -> None:
    started = block("tool_use", 1, id="1", name="tool").model_copy(
        update={"tool_call_chunks": [tool_call_chunk(name="tool", args="", id="1", index=1)]}
    )
    _, message = read(block("text", 0, text="I look."), started, taken={"1"})
    assert [part["type"] for part in message.content if isinstance(part, dict)] == ["text"]
    assert message.tool_calls[0]["id"] != "1"


def test_what_a_provider_keeps_by_call_follows_the_calls_new_id() -> None:
    signatures = {"__gemini_function_call_thought_signatures__": {"1": "sig"}}
    chunk = fragment("{}", name="tool", id="1").model_copy(update={"additional_kwargs": signatures})
    _, message = read(chunk, taken={"1"})
    kept = message.additional_kwargs["__gemini_function_call_thought_signatures__"]
    assert kept == {message.tool_calls[0]["id"]: "sig"}


class TestText:
    def test_plain(self) -> None:
        heard, message = read(AIMessageChunk("Hello "), AIMessageChunk("you"))
        assert heard.text == message.content == "Hello you"

    def test_halves_of_a_character_meet(self) -> None:
        heard, message = read(AIMessageChunk("a\ud83d"), AIMessageChunk("\ude42b"))
        assert heard.text == message.content == "a🙂b"

    def test_a_half_that_stays_alone_is_replaced(self) -> None:
        heard, message = read(AIMessageChunk("a\ud83d"))
        assert heard.text == message.content == "a�"

    def test_blocks_are_text_and_thoughts(self) -> None:
        heard, message = read(
            block("thinking", 0, thinking="Hm. "),
            block("thinking", 0, thinking="Yes."),
            block("thinking", 0, signature="sig"),
            block("text", 1, text="It is "),
            block("text", 1, text="up."),
        )
        assert (heard.text, heard.thoughts) == ("It is up.", "Hm. Yes.")
        assert message.text == "It is up."

    def test_blocks_go_back_to_the_provider_with_their_signature(self) -> None:
        _, message = read(
            block("thinking", 0, thinking="Hm."),
            block("thinking", 0, thinking="", signature="sig"),
            block("text", 1, text="Up."),
        )
        assert isinstance(message.content, list)
        assert [block for block in message.content if isinstance(block, dict) and block.get("signature") == "sig"]

    def test_text_that_turns_into_blocks_is_not_lost(self) -> None:
        heard, message = read(AIMessageChunk("It is "), block("text", 0, text="up."))
        assert heard.text == message.text == "It is up."

    def test_unknown_blocks_are_never_shown(self) -> None:
        heard, _ = read(block("server_thing", 0, data="secret"))
        assert heard.text == ""

    def test_thoughts_beside_the_text(self) -> None:
        heard, message = read(AIMessageChunk("", additional_kwargs={"reasoning_content": "Hm."}), AIMessageChunk("Up."))
        assert (heard.thoughts, heard.text, message.text) == ("Hm.", "Up.", "Up.")

    @pytest.mark.parametrize("reason", ["stop", "STOP", "length", "tool_calls", "end_turn", "content_filter", None])
    def test_no_text_depends_on_how_the_provider_says_that_it_ends(self, reason: str | None) -> None:
        ended = AIMessageChunk("b", response_metadata={"finish_reason": reason})
        assert read(AIMessageChunk("a"), ended, AIMessageChunk("c"))[0].text == "abc"


@pytest.mark.parametrize(
    ("reports", "adds_up", "counted"),
    [
        ([], False, (0, 0)),
        ([(10, 5)], False, (10, 5)),
        ([(10, 0), (10, 3), (10, 7)], False, (10, 7)),
        ([(10, 0), (0, 7)], False, (10, 7)),
        ([(10, 2), (0, 3), (0, 2)], True, (10, 7)),
        ([(12, 2), (-2, 5)], True, (10, 7)),
    ],
    ids=["never", "at the end", "growing", "in two parts", "in differences", "in differences, corrected"],
)
def test_usage_in_the_ways_in_which_it_is_reported(
    reports: list[tuple[int, int]], adds_up: bool, counted: tuple[int, int]
) -> None:
    chunks = [
        AIMessageChunk(
            "x", usage_metadata={"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
        )
        for read, written in reports
    ]
    _, message = read(*chunks, usage_adds_up=adds_up)
    assert message.usage_metadata is not None
    assert (message.usage_metadata["input_tokens"], message.usage_metadata["output_tokens"]) == counted
