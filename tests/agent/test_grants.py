"""What a person's changed arguments allow the model to run once without asking: exactly that, and nothing worse."""

from __future__ import annotations

from typing import Any

import pytest

from copilot_ws.agent.plan import Grant, Planned, grant_for

ARGUMENTS = {"device_configs": [{"device_name": "R1", "config_commands": ["hostname Core"]}]}


def granted(**changes: Any) -> Grant:
    grant: Any = {
        "hitl_session_id": "h-1",
        "tool_call_id": "call-1",
        "name": "configure",
        "arguments": ARGUMENTS,
        "targets": {"R1": "node-1"},
        "danger_level": "medium",
        **changes,
    }
    return grant


def planned(danger_level: str = "medium", **changes: Any) -> Planned:
    call: Any = {
        "id": "call-2",
        "name": "configure",
        "arguments": ARGUMENTS,
        "error": None,
        "limited": None,
        "touches": ["node-1"],
        "changes": True,
        "targets": {"R1": "node-1"},
        "pending": {"danger_level": danger_level},
        **changes,
    }
    return call


def test_the_same_call_uses_it_up() -> None:
    other, grant = granted(name="other"), granted()
    assert grant_for(planned(), [other, grant]) is grant


@pytest.mark.parametrize(
    "call",
    [planned(name="other"), planned(arguments={"device_configs": []}), planned(targets={"R1": "node-2"})],
    ids=["another tool", "other arguments", "a name that means another device now"],
)
def test_another_call_does_not(call: Planned) -> None:
    assert grant_for(call, [granted()]) is None


def test_what_has_become_dangerous_since_is_asked_about() -> None:
    assert grant_for(planned("high"), [granted()]) is None
    known = granted(danger_level="high")
    assert grant_for(planned("high"), [known]) is known
