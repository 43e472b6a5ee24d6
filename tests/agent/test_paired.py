"""Whatever the history holds, a provider gets a well-formed one."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.scripted_llm import refusal
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage, convert_to_openai_messages
from langchain_core.messages.tool import InvalidToolCall, ToolCall

from copilot_ws.agent.history import LOST, paired, to_langchain, to_message, tool_message, unanswered, user_message

IDS = st.sampled_from(["a", "b", "c", "d"])


def asks(*ids: str, invalid: Sequence[str] = ()) -> AIMessage:
    return AIMessage(
        "text",
        tool_calls=[ToolCall(id=call_id, name="tool", args={"x": 1}) for call_id in ids],
        invalid_tool_calls=[
            InvalidToolCall(id=call_id, name="tool", args='{"x": ', error=None, type="invalid_tool_call")
            for call_id in invalid
        ],
    )


def answers(call_id: str, text: str = "result") -> ToolMessage:
    return ToolMessage(text, tool_call_id=call_id)


messages = st.lists(
    st.one_of(
        st.just(HumanMessage("hello")),
        st.builds(AIMessage, st.text(min_size=1)),
        st.lists(IDS, unique=True, max_size=3).map(lambda ids: asks(*ids[1:], invalid=ids[:1])),
        st.lists(IDS, unique=True, max_size=3).map(lambda ids: asks(*ids)),
        IDS.map(answers),
    ),
    max_size=12,
)


def refused(found: Sequence[AnyMessage]) -> str | None:
    return refusal(convert_to_openai_messages(list(found)))


@given(messages)
def test_any_list_becomes_one_that_a_provider_takes(given: list[AnyMessage]) -> None:
    assert refused(paired(given)) is None


@given(messages)
def test_repairing_twice_is_repairing_once(given: list[AnyMessage]) -> None:
    once = paired(given)
    assert [(m.type, m.content) for m in paired(once)] == [(m.type, m.content) for m in once]


@given(messages)
def test_nothing_that_was_said_is_lost(given: list[AnyMessage]) -> None:
    def spoken(found: Sequence[AnyMessage]) -> list[tuple[str, object]]:
        return [(message.type, message.content) for message in found if not isinstance(message, ToolMessage)]

    assert spoken(paired(given)) == spoken(given)


@given(messages.filter(lambda given: refused(given) is None))
def test_a_valid_history_stays_as_it_is(given: list[AnyMessage]) -> None:
    if not any(isinstance(message, AIMessage) and message.invalid_tool_calls for message in given):
        assert paired(given) == given


def test_an_answer_that_says_nothing_is_left_out() -> None:
    assert paired([HumanMessage("x"), AIMessage(""), HumanMessage("y")]) == [HumanMessage("x"), HumanMessage("y")]


def test_an_answer_elsewhere_is_moved_to_its_call() -> None:
    asked, late = asks("a"), answers("a")
    assert paired([asked, HumanMessage("meanwhile"), late]) == [asked, late, HumanMessage("meanwhile")]


def test_an_answer_that_never_came_is_made_up_as_lost() -> None:
    found = paired([asks("a"), HumanMessage("next")])
    assert isinstance(found[1], ToolMessage)
    assert (found[1].tool_call_id, found[1].content, found[1].status) == ("a", LOST, "error")


def test_an_answer_without_a_call_goes() -> None:
    assert paired([HumanMessage("x"), answers("nobody")]) == [HumanMessage("x")]


def test_a_malformed_call_becomes_a_note_with_its_answer() -> None:
    found = paired([asks(invalid=["a"]), answers("a", "it was no JSON")])
    assert isinstance(found[0], AIMessage)
    assert [call["args"] for call in found[0].tool_calls] == [{"malformed": '{"x": '}]
    assert found[1].content == "it was no JSON"


@pytest.mark.parametrize(
    "message",
    [
        user_message("hello", {}),
        tool_message("a", "tool", "text", "success"),
        tool_message("a", "tool", "text", "stopped"),
        to_message(
            AIMessage("text", id="m", usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}), "", {}
        ),
        to_message(asks("a", "b", invalid=["c"]).model_copy(update={"id": "m"}), "", {}),
        to_message(AIMessage([{"type": "text", "text": "in blocks"}], id="m"), "", {}),
    ],
)
def test_a_message_survives_storage(message) -> None:  # type: ignore[no-untyped-def]
    back = to_langchain(message)
    again = to_message(back, message.shape["created_at"], {}) if isinstance(back, AIMessage) else None
    assert (back.id, back.text) == (message.id, message.shape["content"])
    if again is not None:
        assert (again.shape, again.native) == (message.shape, message.native)


def test_arguments_that_are_no_json_are_kept_as_the_model_wrote_them() -> None:
    shape = to_message(asks(invalid=["a"]), "", {}).shape
    assert shape["tool_calls"][0]["function"] == {"name": "tool", "arguments": '{"x": '}
    json.dumps(shape)


def test_unanswered_calls_are_found_in_order() -> None:
    history = [to_message(asks("a", "b", "c"), "", {}), tool_message("b", "tool", "", "success")]
    assert unanswered(history) == [("a", "tool"), ("c", "tool")]
