"""What the demo model asks a person for before it configures devices."""

from __future__ import annotations

from typing import Any

import pytest
from demo_world import (
    ADDRESS,
    ADDRESS_CALL,
    COMMANDS,
    CONFIGURE,
    NODES,
    READ_PORTS,
    READ_TOPOLOGY,
    TOPOLOGY,
    VPCS,
    World,
    commands,
    configs,
    lines,
    node,
    said_before,
)

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
