"""Arguments as a text that a person edits, and back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from copilot_ws.terminal.editable import Unreadable, as_arguments, as_text
from copilot_ws.terminal.question import Call


def call(arguments: dict[str, Any]) -> Call:
    return Call("c1", "tool", arguments, "medium", "Does\n[it]", (), (), None)


def device(name: str, *commands: str, key: str = "config_commands") -> dict[str, Any]:
    return {"device_name": name, key: list(commands)}


def body(text: str) -> str:
    return text.partition("\n\n")[2]


@pytest.mark.parametrize(
    ("items", "shown"),
    [
        ([device("R1", "interface lo0", "shutdown")], "[R1]\ninterface lo0\nshutdown\n"),
        (
            [device("R1", "a"), device("R 2", "# b", "[x]"), device("R1", "路由")],
            "[R1]\na\n\n[R 2]\n# b\n [x]\n\n[R1]\n路由\n",
        ),
        ([device("PC1", "show", key="commands")], "[PC1]\nshow\n"),
    ],
)
def test_lines_there_and_back(items: list[dict[str, Any]], shown: str) -> None:
    asked = call({"device_configs": items, "more": 1})
    assert body(as_text(asked)) == shown
    assert as_arguments(as_text(asked), asked) == asked.arguments


def test_a_string_of_several_lines_becomes_the_lines_that_are_sent() -> None:
    asked = call({"device_configs": [device("R1", "interface lo0\n shutdown\n\n")]})
    assert as_arguments(as_text(asked), asked) == {"device_configs": [device("R1", "interface lo0", "shutdown")]}


def test_what_a_person_may_write() -> None:
    asked = call({"device_configs": [device("R1", "a")]})
    ours = as_text(asked).splitlines()[1]
    text = f"# mine\n\n[R1]  \r\n\n  a b \n{ours}\n[R2]\nc\n"
    assert as_arguments(text, asked) == {"device_configs": [device("R1", "a b"), device("R2", "c")]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "No [DEVICE] is left"),
        ("# only a comment\n", "No [DEVICE] is left"),
        ("#\nshutdown\n[R1]\na\n", "Line 2 stands above the first [DEVICE]: shutdown"),
        ("[R1]\n\n[R2]\na\n", "[R1] has no commands"),
        ("[ ]\na\n", "has no name"),
    ],
)
def test_lines_that_cannot_be_read(text: str, words: str) -> None:
    with pytest.raises(Unreadable) as caught:
        as_arguments(text, call({"device_configs": [device("R1", "a")]}))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "arguments",
    [
        {"node_ids": ["R2", "路由"]},
        {},
        {"device_configs": []},
        {"device_configs": [device("R1", "a"), device("R2", "b", key="commands")]},
        {"device_configs": [{**device("R1", "a"), "mode": "x"}]},
        {"device_configs": [device("R1", "a\x1b[2J\u202e")]},
        {"device_configs": [device("", "a")]},
        {"device_configs": "x"},
    ],
)
def test_json_there_and_back(arguments: dict[str, Any]) -> None:
    asked = call(arguments)
    text = as_text(asked)
    assert json.loads(body(text)) == arguments
    assert all(line.isprintable() for line in text.splitlines())
    assert as_arguments(text, asked) == arguments


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# a\n\n{\n  oops\n}", "line 4, column 3"),
        ("", "no JSON: line 1"),
        ("[1]", "one JSON object"),
        ('{"a": NaN}', "NaN is no number"),
        ('{"a": ' + "[" * 100_000, "no JSON"),
    ],
)
def test_json_that_cannot_be_read(text: str, words: str) -> None:
    with pytest.raises(Unreadable) as caught:
        as_arguments(text, call({}))
    assert words in str(caught.value)
