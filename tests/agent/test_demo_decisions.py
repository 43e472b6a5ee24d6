"""What the demo model makes of a person's decisions and of what the devices say."""

from __future__ import annotations

from typing import Any

import pytest
from demo_world import (
    ADDRESS,
    ADDRESS_CALL,
    CONFIGURE,
    READ_PORTS,
    READ_TOPOLOGY,
    REJECTED,
    World,
    configs,
    lines,
    results,
)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"error": REJECTED.format(""), "reason": None}, "You rejected it; nothing was changed."),
        (
            {"error": REJECTED.format(" and says: not today"), "reason": "not today"},
            "You rejected it; nothing was changed. Your reason: not today",
        ),
        (
            {"error": "Nobody decided about this call in time: it was not run."},
            "Nobody decided in time, so it was not run; nothing was changed.",
        ),
        (
            {"error": "Not run: the run was stopped before a person had decided."},
            "It was stopped before it ran; nothing was changed.",
        ),
        (
            {"error": "Stopped before it had ended.", "sent": {"R1": ["interface GigabitEthernet0/2"]}},
            "It was stopped while it ran: Stopped before it had ended.\n\nThese lines had been sent:\n\n"
            "```text\nR1: interface GigabitEthernet0/2\n```",
        ),
        (
            {"error": "Unknown: this call had started. It may have been applied: check the device."},
            "It was not done: Unknown: this call had started. It may have been applied: check the device.",
        ),
        ({"error": "The limit of 5 tools is reached."}, "It was not done: The limit of 5 tools is reached."),
        ("no object", 'It was not done: "no object"'),
    ],
)
async def test_calls_that_did_not_run(answer: Any, told: str) -> None:
    world = World(queued={CONFIGURE: [answer]})
    assert await world.ask(ADDRESS) == told
    assert world.calls == [READ_TOPOLOGY, READ_PORTS, ADDRESS_CALL], "it is not tried again, nothing is checked"


async def test_replaced_arguments_are_called_exactly() -> None:
    new = lines(("R1", ["interface GigabitEthernet0/2", "ip address 10.9.9.2 255.255.255.0"]))
    other = lines(("R2", ["interface GigabitEthernet0/2"]))
    replaced = [{"replaced": True, "old_args": {}, "new_args": args} for _, args in (new, other)]
    world = World(queued={CONFIGURE: replaced})
    text = await world.ask(ADDRESS)
    assert world.calls[2:] == [ADDRESS_CALL, new, other]
    assert "Done: R2 took every line." in text


async def test_a_replaced_call_that_is_rejected_ends_it() -> None:
    replaced = {"replaced": True, "new_args": ADDRESS_CALL[1]}
    world = World(queued={CONFIGURE: [replaced, {"error": REJECTED.format(""), "reason": ""}]})
    assert await world.ask(ADDRESS) == "You rejected it; nothing was changed."
    assert len(configs(world)) == 2


async def test_lines_that_a_person_changed_are_shown() -> None:
    executed = lines(("R1", ["interface GigabitEthernet0/2", "no shutdown"]))[1]
    entry = {"device_name": "R1", "status": "success", "output": "R1(config-if)#no shutdown"}
    world = World(queued={CONFIGURE: [{**results(entry), "note": "A person changed it.", "executed_args": executed}]})
    text = await world.ask(ADDRESS)
    assert text.startswith("A person changed the lines; these ran:")
    assert "R1: interface GigabitEthernet0/2\nR1: no shutdown" in text


async def test_each_device_is_told_by_itself() -> None:
    taken = {"device_name": "R1", "status": "success", "output": "R1(config)#do write memory\n[OK]"}
    failed = {"device_name": "R2", "status": "failed", "output": "", "error": "The console is silent."}
    text = await World(queued={CONFIGURE: [results(taken, failed)]}).ask("save all routers")
    assert "Done: R1 took every line." in text
    assert "R2 failed: The console is silent." in text


async def test_a_line_that_a_device_refuses() -> None:
    error = "The device refused 'ip address 10.9.9.1 255.255.255.0': % 10.9.9.0 overlaps with GigabitEthernet0/1."
    entry = {"device_name": "R1", "status": "partial_success", "output": "R1(config-if)#ip address", "error": error}
    world = World(queued={CONFIGURE: [results(entry)]})
    text = await world.ask(ADDRESS)
    assert "R1 took only a part of the lines." in text
    assert "% 10.9.9.0 overlaps with GigabitEthernet0/1." in text
    assert "Done" not in text
    assert world.calls[-1] == READ_PORTS, "a part was taken, so it looks"
