"""How the demo model configures OSPF: from what the routers say, and looking at what came of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from demo_consoles import BRIEF, CONSOLES, RUNNING
from demo_world import COMMANDS, CONFIGURE, READ_TOPOLOGY, REJECTED, World, configs, lines, results, said_before
from langchain_core.messages import AIMessage

OSPF_CALL = lines(
    ("R1", ["router ospf 1", "network 10.0.1.0 0.0.0.255 area 0", "network 10.0.12.0 0.0.0.3 area 0"]),
    ("R2", ["router ospf 1", "network 10.0.12.0 0.0.0.3 area 0"]),
)
NEIGHBORS = """\
Neighbor ID     Pri   State           Dead Time   Address         Interface
10.0.12.2         1   FULL/DR         00:00:33    10.0.12.2       GigabitEthernet0/1
"""
OSPF_CONSOLES = {
    **CONSOLES,
    ("R1", "show ip ospf neighbor"): NEIGHBORS,
    (
        "R1",
        "show ip route ospf",
    ): "Codes: L - local\n       O - OSPF\n\nO        10.0.2.0/24 [110/2] via 10.0.12.2, GigabitEthernet0/1",
    ("R2", "show ip ospf neighbor"): "R2#show ip ospf neighbor",
}


def several(tool: str, told: list[str], *names: str) -> tuple[str, dict[str, Any]]:
    return tool, {"device_configs": [{"device_name": name, "commands": told} for name in names]}


@pytest.mark.parametrize(
    "request_", ["configure OSPF on R1 and R2", "Set up OSPF on all routers", "enable OSPF on R1, R2 in area 0"]
)
async def test_ospf(request_: str) -> None:
    world = World(consoles=OSPF_CONSOLES)
    text = await world.ask(request_)
    assert world.calls == [
        READ_TOPOLOGY,
        several(COMMANDS, ["show ip interface brief", "show running-config"], "R1", "R2"),
        OSPF_CALL,
        several(COMMANDS, ["show ip ospf neighbor", "show ip route ospf"], "R1", "R2"),
    ]
    where = "R1 (10.0.1.0/24, 10.0.12.0/30) and R2 (10.0.12.0/30)"
    assert said_before(world, CONFIGURE) == f"I ask for your confirmation to configure OSPF in area 0 on {where}."
    assert "R1 sees 10.0.12.2 (FULL) as an OSPF neighbor." in text
    assert "R1 has 1 OSPF route in its table." in text
    assert "R2 sees no OSPF neighbor yet" in text
    assert "R2 has no OSPF route in its table" in text
    assert "Codes:" not in text
    assert "O        10.0.2.0/24 [110/2] via 10.0.12.2" in text
    assert "R2 GigabitEthernet0/0 (10.0.2.1) is down: I leave its network out." in text


async def test_ospf_that_is_rejected() -> None:
    world = World(queued={CONFIGURE: [{"error": REJECTED.format(""), "reason": ""}]})
    assert "You rejected it; nothing was changed." in await world.ask("configure OSPF on R1 and R2")
    assert world.calls[-1] == OSPF_CALL


async def test_ospf_is_completed_not_repeated() -> None:
    process = "router ospf 7\n network 10.0.1.0 0.0.0.255 area 0\n!\n"
    process += "router ospf 70\n network 10.0.12.0 0.0.0.3 area 0\n!\n"
    whole = "router ospf 1\n network 10.0.12.0 0.0.0.3 area 0\n!\n"
    world = World(
        consoles={
            **OSPF_CONSOLES,
            ("R1", "show running-config"): RUNNING["R1"] + process,
            ("R2", "show running-config"): RUNNING["R2"] + whole,
        }
    )
    text = await world.ask("configure OSPF on all routers")
    assert configs(world) == [lines(("R1", ["router ospf 7", "network 10.0.12.0 0.0.0.3 area 0"]))[1]]
    assert "R2 has OSPF on all its connected networks already." in text


async def test_ospf_never_invents_a_network() -> None:
    world = World(consoles={("R1", "show ip interface brief"): BRIEF["R1"]})
    text = await world.ask("configure OSPF on R1 and R2")
    assert configs(world) == []
    assert "I see no mask for R1 GigabitEthernet0/0 (10.0.1.1)" in text
    assert "I could not read the interfaces of R2. R2 failed: The console is silent." in text
    assert text.endswith("So there is nothing to change.")


async def test_ospf_checks_only_routers_that_took_it() -> None:
    taken = {"device_name": "R1", "status": "success", "output": "R1(config-router)#"}
    failed = {"device_name": "R2", "status": "failed", "output": "", "error": "The console is silent."}
    world = World(consoles=OSPF_CONSOLES, queued={CONFIGURE: [results(taken, failed)]})
    text = await world.ask("configure OSPF on R1 and R2")
    assert world.calls[-1] == several(COMMANDS, ["show ip ospf neighbor", "show ip route ospf"], "R1")
    assert "R2 failed: The console is silent." in text


async def test_a_turn_with_a_change_goes_on_from_its_messages_alone() -> None:
    world = World(consoles=OSPF_CONSOLES)
    await world.ask("configure OSPF on R1 and R2")
    asked = next(
        at
        for at, message in enumerate(world.messages)
        if isinstance(message, AIMessage) and any(call["name"] == CONFIGURE for call in message.tool_calls)
    )
    calls = json.dumps([call["args"] for call in world.messages[asked].tool_calls])  # type: ignore[union-attr]
    world.messages = world.messages[:asked]
    again = await world.think()
    assert json.dumps([call["args"] for call in again.tool_calls]) == calls
