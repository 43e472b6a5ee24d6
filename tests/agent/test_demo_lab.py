"""What the demo model does with a lab: its tool calls, and that its answers are what the tools said."""

from __future__ import annotations

import json

import pytest
from demo_consoles import CLOCK, CONSOLES, IOS_PING, IOS_TRACE_LOST, NO_IP, VPCS_LOST, VPCS_NO_GATEWAY, VPCS_UNREACHABLE
from demo_world import COMMANDS, NODES, READ_TOPOLOGY, VPCS, World, commands, node

# ------------------------------------------------------------------ the lab


@pytest.mark.parametrize("request_", ["hi", "Who are you?", "what can you do", "please help me!"])
async def test_says_what_it_is(request_: str) -> None:
    world = World()
    text = await world.ask(request_)
    assert "demo model" in text
    assert "not a language model" in text
    assert "no key" in text
    assert world.calls == []


async def test_topology() -> None:
    world = World()
    text = await world.ask("What's in this lab?")
    assert world.calls == [READ_TOPOLOGY]
    assert "4 devices and 3 links" in text
    assert "| R1 | dynamips | ios | started |" in text
    assert "| PC1 | e0 | R1 | Gi0/0 |" in text


async def test_links_of_one_device() -> None:
    text = await World().ask("what is connected to PC2?")
    assert "| R2 | Gi0/0 | PC2 | e0 |" in text
    assert "PC1" not in text


async def test_status() -> None:
    world = World(nodes=[*NODES[:3], node("PC2", "vpcs", "stopped")])
    assert await world.ask("which devices are up?") == "3 of 4 devices running: R1, R2, PC1. PC2 is stopped."
    assert await world.ask("what is down?") == "1 of 4 devices stopped: PC2."
    assert await world.ask("is PC2 up?") == "PC2 is stopped."
    assert await World().ask("which devices are stopped?") == "No device is stopped."
    assert await World().ask("is everything up?") == "All 4 devices are running: R1, R2, PC1, PC2."


async def test_empty_lab() -> None:
    world = World(nodes=[])
    assert "no devices" in await world.ask("show topology")
    assert "no devices" in await world.ask("show version on R1")


# ------------------------------------------------------------------ show


async def test_show_on_several_platforms() -> None:
    world = World()
    text = await world.ask("ip addresses of R1 and PC1")
    assert world.calls == [
        READ_TOPOLOGY,
        commands(COMMANDS, ("R1", "show ip interface brief")),
        commands(VPCS, ("PC1", "show ip")),
    ]
    assert "10.0.1.1 (GigabitEthernet0/0), 10.0.12.1 (GigabitEthernet0/1)" in text
    assert "PC1: 10.0.1.10/24 (gateway 10.0.1.1)" in text


async def test_show_quotes_the_console() -> None:
    world = World()
    text = await world.ask("R1: show clock")
    assert world.calls == [READ_TOPOLOGY, commands(COMMANDS, ("R1", "show clock"))]
    assert f"```text\n{CLOCK.strip()}\n```" in text


async def test_show_on_a_group() -> None:
    world = World()
    await world.ask("show version on all routers")
    assert world.calls[1:] == [commands(COMMANDS, ("R1", "show version"), ("R2", "show version"))]


async def test_a_failure_does_not_hide_the_others() -> None:
    text = await World().ask("show clock on R1 and R2")
    assert "10:21:07" in text
    assert "R2 failed: The console is silent." in text


async def test_refused_commands_are_named() -> None:
    blocked = {"command": "show x", "reason": "not a read-only command"}
    result = {"device_name": "R1", "status": "failed", "output": "", "blocked_commands": [blocked]}
    text = await World(raw={COMMANDS: json.dumps({"results": [result]})}).ask("show x on R1")
    assert "`show x` was not run: not a read-only command" in text


async def test_without_a_device_it_asks_back() -> None:
    world = World()
    assert "On which device?" in await world.ask("show clock")
    assert "10:21:07" in await world.ask("R1")


async def test_follow_up() -> None:
    world = World()
    await world.ask("show ip interface brief on R1")
    text = await world.ask("and R2?")
    assert world.calls == [READ_TOPOLOGY, commands(COMMANDS, ("R2", "show ip interface brief"))]
    assert "10.0.12.2" in text


async def test_unknown_device() -> None:
    world = World()
    text = await world.ask("show version on R11")
    assert "no device named `R11`" in text
    assert "Did you mean R1?" in text
    assert "R1, R2, PC1, PC2" in text
    assert world.calls == [READ_TOPOLOGY]


async def test_stopped_device_and_device_without_console() -> None:
    switch = node("SW1", "generic", console=None)
    world = World(nodes=[node("R1", "ios"), node("R2", "ios", "stopped"), switch])
    assert "R2 is stopped" in await world.ask("show version on R2")
    assert "R2 is stopped" in await world.ask("ping R2 from R1")
    assert "SW1 has no console" in await world.ask("show version on SW1")
    text = await world.ask("show clock on all devices")
    assert "10:21:07" in text
    assert "R2 is stopped" in text
    assert world.calls[1:] == [commands(COMMANDS, ("R1", "show clock"))]


# ------------------------------------------------------------------ ping and trace


async def test_ping_between_hosts() -> None:
    world = World()
    text = await world.ask("Can PC1 reach PC2?")
    assert world.calls == [
        READ_TOPOLOGY,
        commands(VPCS, ("PC2", "show ip")),
        commands(VPCS, ("PC1", "ping 10.0.2.10")),
    ]
    verdict = "Yes: PC1 reaches PC2 (10.0.2.10), 5 of 5 replies, about 0.6 ms."
    assert text.splitlines()[0] == verdict
    assert "icmp_seq=5" in text


async def test_ping_takes_an_address_that_is_up() -> None:
    world = World(consoles={**CONSOLES, ("R1", "ping 10.0.12.2"): IOS_PING.replace("10.0.2.10", "10.0.12.2")})
    text = await world.ask("ping from R1 to R2")
    assert world.calls[1:] == [
        commands(COMMANDS, ("R2", "show ip interface brief")),
        commands(COMMANDS, ("R1", "ping 10.0.12.2")),
    ]
    assert "only 4 of 5 replies came, about 2 ms" in text


async def test_ping_an_address() -> None:
    world = World()
    text = await world.ask("ping 10.0.2.10 from R1")
    assert world.calls == [READ_TOPOLOGY, commands(COMMANDS, ("R1", "ping 10.0.2.10"))]
    assert text.startswith("Partly: R1 reaches 10.0.2.10, but only 4 of 5 replies came, about 2 ms.")


@pytest.mark.parametrize(
    ("output", "verdict"),
    [
        (VPCS_LOST, "No: PC1 does not reach PC2 (10.0.2.10), 0 of 5 replies."),
        (VPCS_NO_GATEWAY, "The console says: `host (10.0.1.1) not reachable`"),
        (VPCS_UNREACHABLE, "0 of 5 replies. The console says: `*10.0.1.1 icmp_seq=1"),
        ("PC1> ping 10.0.2.10\nBad command\n", "I cannot tell"),
        ("", "I cannot tell: the ping did not run."),
    ],
)
async def test_failed_pings(output: str, verdict: str) -> None:
    consoles = {**CONSOLES, ("PC1", "ping 10.0.2.10"): output}
    text = await World(consoles=consoles).ask("ping PC2 from PC1")
    assert verdict in text
    assert "Yes" not in text


async def test_ping_a_host_without_address() -> None:
    world = World(consoles={**CONSOLES, ("PC2", "show ip"): NO_IP})
    text = await world.ask("ping PC2 from PC1")
    assert "no IP address of PC2" in text
    assert len(world.calls) == 2


async def test_ping_asks_back_for_its_source() -> None:
    world = World()
    assert "From which device?" in await world.ask("ping PC2")
    assert (await world.ask("from PC1")).startswith("Yes: PC1 reaches PC2")


async def test_trace() -> None:
    world = World(consoles={**CONSOLES, ("R1", "traceroute 10.0.2.10"): IOS_TRACE_LOST})
    text = await world.ask("trace from PC1 to PC2")
    assert world.calls[-1] == commands(VPCS, ("PC1", "trace 10.0.2.10"))
    assert "PC1 reaches PC2 (10.0.2.10) in 3 hops: 10.0.1.1 → 10.0.12.2 → 10.0.2.10." in text
    text = await world.ask("traceroute 10.0.2.10 from R1")
    assert world.calls[-1] == commands(COMMANDS, ("R1", "traceroute 10.0.2.10"))
    assert "does not get to 10.0.2.10: the last answer is from 10.0.12.2." in text


async def test_several_requests_are_answered_one_after_the_other() -> None:
    world = World(consoles={**CONSOLES, ("PC1", "ping 10.0.99.9"): VPCS_LOST.replace("10.0.2.10", "10.0.99.9")})
    text = await world.ask("ping 10.0.99.9 from PC1, ping PC7 from PC2 and show clock on R1")
    assert "No: PC1 does not reach 10.0.99.9, 0 of 5 replies." in text
    assert "no device named `PC7`" in text
    assert "10:21:07" in text
    assert world.calls == [
        READ_TOPOLOGY,
        commands(VPCS, ("PC1", "ping 10.0.99.9")),
        READ_TOPOLOGY,
        READ_TOPOLOGY,
        commands(COMMANDS, ("R1", "show clock")),
    ]
