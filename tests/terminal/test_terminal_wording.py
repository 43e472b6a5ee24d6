"""Calls, results and times in short lines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from copilot_ws.terminal.wording import call_words, cut, duration, faults, preview, printable


def device(name: str, *commands: str, key: str = "commands") -> dict[str, Any]:
    return {"device_name": name, key: list(commands)}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", ["tool"]),
        ("{}", ["tool"]),
        ('{"nodes": ["R1"]}', ['tool {"nodes": ["R1"]}']),
        (json.dumps({"device_configs": [device("R1", "a", "b")]}), ["tool R1: a; b"]),
        (
            json.dumps({"device_configs": [device("R1", "a"), device("R2", "b", key="config_commands")]}),
            ["tool", "  R1: a", "  R2: b"],
        ),
        ('{"device_configs": [{"device_na', ['tool {"device_configs": [{"device_na']),
        ('{"device_configs": 3}', ['tool {"device_configs": 3}']),
        ('{"device_configs": []}', ['tool {"device_configs": []}']),
    ],
)
def test_a_call(arguments: str, words: list[str]) -> None:
    assert call_words("tool", arguments) == words


def test_a_long_call_is_cut_to_one_line() -> None:
    (line,) = call_words("tool", json.dumps({"x": "y\n" * 500}))
    assert line.endswith("...")
    assert len(line) < 200


@pytest.mark.parametrize(
    ("output", "lines"),
    [
        ("", []),
        ("{}", []),
        ("plain", ["plain"]),
        ('{"nodes": [{"name": "R1"}, {"name": "R2"}], "links": [{}]}', ["nodes (2): R1, R2; links (1)"]),
        ('{"results": [{"output": "a\\n\\nb"}, {"output": null}]}', ["a", "b"]),
        ('{"results": [{"output": "1\\n2\\n3\\n4\\n5"}]}', ["1", "2", "3", "4", "5"]),
        ('{"results": [{"output": "1\\n2\\n3\\n4\\n5\\n6"}]}', ["1", "2", "3", "4", "(2 more lines)"]),
        ('{"results": [1]}', ["results (1)"]),
    ],
)
def test_a_preview(output: str, lines: list[str]) -> None:
    assert preview(output) == lines


@pytest.mark.parametrize(
    ("output", "lines"),
    [
        ("no json", []),
        ("[]", []),
        ('{"error": "broken"}', ["broken"]),
        ('{"results": [{"device_name": "R1", "error": "gone"}, {"device_name": "R2"}]}', ["R1: gone"]),
        (
            '{"results": [{"device_name": "R1", "blocked_commands": [{"command": "reload", "reason": "no"}]}]}',
            ["R1: reload: no"],
        ),
    ],
)
def test_faults(output: str, lines: list[str]) -> None:
    assert faults(output) == lines


def test_durations() -> None:
    assert [duration(ms) for ms in (0, 999, 1000, 59_940, 61_000)] == ["0 ms", "999 ms", "1.0 s", "59.9 s", "1 min 1 s"]


def test_control_characters_go_others_stay() -> None:
    assert printable("a\x1b[1m\r\n\tb\x85\x00路🙂") == "a[1m\n\tb路🙂"
    assert cut("a\n b", 10) == "a b"
