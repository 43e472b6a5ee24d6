"""What the demo model asks a person for before it configures devices, and what it says of the outcome."""

from __future__ import annotations

import json
from typing import Any

import pytest
from demo_world import (
    BRIEF,
    COMMANDS,
    CONFIGURE,
    CONSOLES,
    NODES,
    READ_TOPOLOGY,
    RUNNING,
    TOPOLOGY,
    VPCS,
    World,
    commands,
    configs,
    lines,
    node,
)
from langchain_core.messages import AIMessage

READ_PORTS = commands(COMMANDS, ("R1", "show ip interface brief"))
ADDRESS = "set the address of R1 Gi0/2 to 10.9.9.1/24"
ADDRESS_CALL = lines(("R1", ["interface GigabitEthernet0/2", "ip address 10.9.9.1 255.255.255.0", "no shutdown"]))
REJECTED = "A person rejected this call{}. Do not try it again unless you are asked to."


def said_before(world: World, tool: str) -> str:
    """What the model said when it called a tool."""
    answers = [message for message in world.messages if isinstance(message, AIMessage)]
    return next(str(a.text) for a in answers if any(call["name"] == tool for call in a.tool_calls))


def results(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"results": list(entries)}


# ------------------------------------------------------------------ what is asked


@pytest.mark.parametrize(
    ("request_", "asked", "told"),
    [
        (ADDRESS, "set 10.9.9.1/24 on R1 GigabitEthernet0/2", ADDRESS_CALL),
        (
            "configure 10.9.9.1 255.255.255.0 on R1 GigabitEthernet0/2",
            "set 10.9.9.1/24 on R1 GigabitEthernet0/2",
            ADDRESS_CALL,
        ),
        (
            "set the address of R1 Gi0/1 to 10.0.12.9/30",
            "set 10.0.12.9/30 on R1 GigabitEthernet0/1 in place of 10.0.12.1",
            lines(
                ("R1", ["interface GigabitEthernet0/1", "ip address 10.0.12.9 255.255.255.252", "no shutdown"]),
            ),
        ),
        (
            "create loopback 10 with 1.1.1.1/32 on R1",
            "set 1.1.1.1/32 on R1 Loopback10",
            lines(("R1", ["interface Loopback10", "ip address 1.1.1.1 255.255.255.255"])),
        ),
        (
            "remove the address from R1 Gi0/1",
            "remove the address 10.0.12.1 from R1 GigabitEthernet0/1",
            lines(("R1", ["interface GigabitEthernet0/1", "no ip address"])),
        ),
        (
            "add a static route to 10.0.9.0/24 via 10.0.12.2 on R1",
            "add a static route to 10.0.9.0/24 via 10.0.12.2 on R1",
            lines(("R1", ["ip route 10.0.9.0 255.255.255.0 10.0.12.2"])),
        ),
        (
            "default route on R2 via 10.0.12.1",
            "add a static route to 0.0.0.0/0 via 10.0.12.1 on R2",
            lines(("R2", ["ip route 0.0.0.0 0.0.0.0 10.0.12.1"])),
        ),
        (
            "remove the static route to 10.0.9.0/24 on R1",
            "remove the static route to 10.0.9.0/24 on R1",
            lines(
                (
                    "R1",
                    [
                        "no ip route 10.0.9.0 255.255.255.0 10.0.12.2",
                        "no ip route 10.0.9.0 255.255.255.0 10.0.1.10 200",
                    ],
                )
            ),
        ),
        (
            "remove the static route to 10.0.9.0/24 via 10.0.12.2 on R1",
            "remove the static route to 10.0.9.0/24 on R1",
            lines(("R1", ["no ip route 10.0.9.0 255.255.255.0 10.0.12.2"])),
        ),
        (
            "shut down interface Gi0/0 on R1",
            "shut down R1 GigabitEthernet0/0 (10.0.1.1)",
            lines(("R1", ["interface GigabitEthernet0/0", "shutdown"])),
        ),
        (
            "bring up R1 Gi0/2",
            "bring up R1 GigabitEthernet0/2",
            lines(("R1", ["interface GigabitEthernet0/2", "no shutdown"])),
        ),
        ("set the hostname of R1 to Core1", "set the hostname of R1 to Core1", lines(("R1", ["hostname Core1"]))),
        (
            "set description of R1 Gi0/1 to 'to R2'",
            "set the description of R1 GigabitEthernet0/1 to `to R2`",
            lines(("R1", ["interface GigabitEthernet0/1", "description to R2"])),
        ),
        (
            "save the configuration of all routers",
            "save the configuration of R1 and R2",
            lines(("R1", ["do write memory"]), ("R2", ["do write memory"])),
        ),
    ],
)
async def test_asks_to_configure_a_router(request_: str, asked: str, told: tuple[str, dict[str, Any]]) -> None:
    world = World()
    text = await world.ask(request_)
    assert [call for call in world.calls if call[0] == CONFIGURE] == [told]
    assert said_before(world, CONFIGURE) == f"I ask for your confirmation to {asked}."
    assert "Done: R" in text


@pytest.mark.parametrize(
    ("request_", "asked", "line"),
    [
        (
            "give PC1 the address 10.0.1.20/24 with gateway 10.0.1.1",
            "set 10.0.1.20/24 with the gateway 10.0.1.1 on PC1",
            "ip 10.0.1.20/24 10.0.1.1",
        ),
        ("set PC1 e0 to 10.0.1.20/24", "set 10.0.1.20/24 on PC1, without a gateway", "ip 10.0.1.20/24"),
        ("save PC1", "save the configuration of PC1", "save"),
    ],
)
async def test_asks_to_configure_a_host(request_: str, asked: str, line: str) -> None:
    world = World()
    text = await world.ask(request_)
    assert world.calls[:2] == [READ_TOPOLOGY, commands(VPCS, ("PC1", line))]
    assert said_before(world, VPCS) == f"I ask for your confirmation to {asked}."
    assert text.startswith("Done: PC1 took every line.")


async def test_routers_and_hosts_have_their_own_tools() -> None:
    world = World(nodes=[*NODES[:3], node("PC2", "vpcs", "stopped")])
    text = await world.ask("save everything")
    saved = lines(("R1", ["do write memory"]), ("R2", ["do write memory"]))
    assert world.calls == [READ_TOPOLOGY, saved, commands(VPCS, ("PC1", "save"))]
    assert "PC2 is stopped" in text


async def test_an_address_is_checked_where_it_was_set() -> None:
    world = World()
    text = await world.ask(ADDRESS)
    assert world.calls == [READ_TOPOLOGY, READ_PORTS, ADDRESS_CALL, READ_PORTS]
    assert "R1(config)#ip address 10.9.9.1 255.255.255.0" in text
    assert "GigabitEthernet0/2     unassigned" in text, "what the device says then, whatever it is"


# ------------------------------------------------------------------ what is not asked


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ("set the address of R1 to 10.9.9.1/24", "Which interface of R1? It has: GigabitEthernet0/0 (10.0.1.1)"),
        ("set the address of R1 Gi0/2", "Which address is R1 to have?"),
        ("set the gateway of PC1 to 10.0.1.1", "Which address is PC1 to have?"),
        ("set 10.9.9.1/24 on Gi0/2", "On which device? The lab has: R1, R2, PC1, PC2."),
        ("set the address of R1 Gi0/2 to 10.9.9.1", "With which mask?"),
        ("set the address of R1 Gi0/7 to 10.9.9.1/24", "R1 has no interface `Gi0/7`"),
        ("set the address of R1 Gi0/2 to 10.9.9.300/24", "`10.9.9.300` is not an IPv4 address"),
        ("set the address of R1 Gi0/2 to 10.9.9.1/33", "`/33` is not a mask"),
        ("set the address of R1 Gi0/2 to 10.9.9.1 255.0.255.0", "`/255.0.255.0` is not a mask"),
        ("set the address of R1 Gi0/2 to 10.9.9.0/24", "10.9.9.0 is the network address of 10.9.9.0/24"),
        ("set the address of R1 Gi0/2 to 10.9.9.255/24", "10.9.9.255 is the broadcast address"),
        ("set the address of R1 Gi0/2 to 224.0.0.5/24", "not an address that an interface can have"),
        ("set the address of R11 Gi0/2 to 10.9.9.1/24", "no device named `R11`. Did you mean R1?"),
        ("set the address of R1 and R2 Gi0/2 to 10.9.9.1/24", "One device at a time"),
        ("give PC1 the address 10.0.1.20/24 with gateway 10.0.2.1", "The gateway 10.0.2.1 is not another address"),
        ("set the address of PC1 Gi0/2 to 10.9.9.1/24", "it has only e0"),
        ("remove the address from R1 Gi0/2", "has no address: there is nothing to remove"),
        ("add a static route on R1 via 10.0.12.2", "To which network?"),
        ("add a static route to 10.0.9.0/24 on R1", "Via which next hop?"),
        ("add a static route to 10.0.9.0/24 via R2 on R1", "Via which next hop?"),
        ("add a static route to 10.0.9.7/24 via 10.0.12.2 on R1", "Do you mean 10.0.9.0/24?"),
        ("remove the static route to 10.0.7.0/24 on R1", "no static route to 10.0.7.0/24 on R1"),
        ("default route on PC1 via 10.0.1.1", "PC1 is a VPCS host"),
        ("shut down interface Gi0/7 on R1", "R1 has no interface `Gi0/7`"),
        ("set the hostname of R1 to Core_1", "`Core_1` is not a hostname"),
        ("set description of R1 Gi0/1 to 'why?'", "A description cannot hold a question mark"),
        ("configure OSPF", "On which routers?"),
        ("configure OSPF on PC1", "PC1 is a VPCS host"),
        ("configure OSPF on R1 and R7", "no device named `R7`"),
        ("save", "Of which device?"),
        ("set the address of R1 Gi0/2 to 10.9.9.1/24 and save R1", "One request at a time, please"),
        ("how do I set the address of R1 Gi0/2 to 10.9.9.1/24?", "Say what you want and I do it"),
    ],
)
async def test_asks_back_or_says_what_is_wrong(request_: str, told: str) -> None:
    world = World()
    assert told in await world.ask(request_)
    assert all(call in (READ_TOPOLOGY, READ_PORTS) or call[0] == COMMANDS for call in world.calls)


async def test_an_answer_completes_the_change() -> None:
    world = World()
    assert "Which interface of R1?" in await world.ask("set the address of R1 to 10.9.9.1/24")
    await world.ask("Gi0/2")
    assert ADDRESS_CALL in world.calls


async def test_interfaces_that_cannot_be_read() -> None:
    world = World(consoles={})
    text = await world.ask(ADDRESS)
    assert "I could not read the interfaces of R1" in text
    assert "The console is silent." in text
    assert configs(world) == []


async def test_other_platforms_are_left_alone() -> None:
    world = World(nodes=[node("L1", "linux")])
    assert "L1 is of platform `linux`" in await world.ask("set the address of L1 eth0 to 10.9.9.1/24")
    assert world.calls == [READ_TOPOLOGY]


async def test_without_the_tool_it_says_so() -> None:
    world = World(tools=(TOPOLOGY, COMMANDS, VPCS))
    text = await world.ask(ADDRESS)
    assert f"For this I need `{CONFIGURE}`, which I cannot use here." in text
    assert configs(world) == []


# ------------------------------------------------------------------ what came of it


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


# ------------------------------------------------------------------ OSPF

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
