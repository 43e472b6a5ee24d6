"""OSPF: what routers learn from one another over the topology, and when they forget it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from pathlib import Path

from test_local_kit import Bench, Client, demo

from copilot_ws.labs.local.network import Network, Plug
from copilot_ws.labs.local.ospf import neighbours
from copilot_ws.labs.local.stack import Interface, OspfNetwork, OspfProcess, Stack

ANY = IPv4Address("255.255.255.255")
ZERO = IPv4Address("0.0.0.0")


async def _ospf_instead_of_statics(bench: Bench) -> tuple[Client, Client]:
    r1, r2 = await asyncio.gather(bench.router("R1"), bench.router("R2"))
    for client, other in ((r1, 2), (r2, 1)):
        await client.configure(
            f"no ip route {other}.{other}.{other}.{other} 255.255.255.255",
            f"no ip route 10.0.{other}.0 255.255.255.0",
        )
    for client, own in ((r1, 1), (r2, 2)):
        await client.configure(
            "router ospf 1",
            f"network {own}.{own}.{own}.{own} 0.0.0.0 area 0",
            f"network 10.0.{own}.0 0.0.0.255 area 0",
            "network 10.0.12.0 0.0.0.3 area 0",
            "passive-interface g0/0",
        )
    return r1, r2


async def test_the_demo_over_ospf(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        host = await bench.host()
        r1, _ = await _ospf_instead_of_statics(bench)
        routes = await r1.ask("show ip route")
        assert re.search(r"^O +10\.0\.2\.0/24 \[110/2\] via 10\.0\.12\.2, 00:00:0\d, GigabitEthernet0/1$", routes, re.M)
        assert re.search(r"^O +2\.2\.2\.2(/32)? \[110/2\] via 10\.0\.12\.2", routes, re.M)
        assert "10.0.1.0/24 [110" not in routes
        assert "84 bytes from 10.0.2.10" in await host.ask("ping 10.0.2.10 -c 1")
        assert 'Known via "ospf' in await r1.ask("show ip route 10.0.2.10")
        only = await r1.ask("show ip route ospf")
        assert "\nO " in only
        assert "\nC " not in only
        await r1.configure("interface g0/1", "shutdown")
        assert "\nO " not in await r1.ask("show ip route | begin Gateway")
        assert await r1.ask("show ip ospf neighbor") == ""
        assert "unreachable" in await host.ask("ping 10.0.2.10 -c 1")
        await r1.configure("interface g0/1", "no shutdown")
        assert "84 bytes from 10.0.2.10" in await host.ask("ping 10.0.2.10 -c 1")


async def test_what_is_shown(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        r1, r2 = await _ospf_instead_of_statics(bench)
        table = (await r1.ask("show ip ospf neighbor")).splitlines()
        assert table[1].split() == ["Neighbor", "ID", "Pri", "State", "Dead", "Time", "Address", "Interface"]
        assert re.fullmatch(r"2\.2\.2\.2 +1 +FULL/DR +00:00:3\d +10\.0\.12\.2 +GigabitEthernet0/1", table[2])
        assert "FULL/BDR" in await r2.ask("show ip ospf neighbor")
        brief = [line.split() for line in (await r1.ask("show ip ospf interface brief")).splitlines()]
        assert brief[1:] == [
            ["Lo0", "1", "0", "1.1.1.1/32", "1", "LOOP", "0/0"],
            ["Gi0/0", "1", "0", "10.0.1.1/24", "1", "DR", "0/0"],
            ["Gi0/1", "1", "0", "10.0.12.1/30", "1", "BDR", "1/1"],
        ]
        protocols = await r1.ask("show ip protocols")
        for text in (
            'Routing Protocol is "ospf 1"',
            "Router ID 1.1.1.1",
            "    10.0.12.0 0.0.0.3 area 0\n",
            "  Passive Interface(s):\n    GigabitEthernet0/0\n",
            "    2.2.2.2              110      00:00:0",
            "Distance: (default is 110)",
        ):
            assert text in protocols
        assert 'Routing Process "ospf 1" with ID 1.1.1.1' in await r1.ask("show ip ospf")
        running = await r1.ask("show running-config")
        assert (
            "router ospf 1\n passive-interface GigabitEthernet0/0\n network 1.1.1.1 0.0.0.0 area 0\n"
            " network 10.0.1.0 0.0.0.255 area 0\n network 10.0.12.0 0.0.0.3 area 0\n!\n"
        ) in running
        await r1.ask("write")
        await bench.stop("R1")
        assert await r2.ask("show ip ospf neighbor") == ""
        assert "\nO " not in await r2.ask("show ip route | begin Gateway")
        await bench.start("R1")
        assert await (await bench.router("R1")).ask("show running-config") == running
        assert "\nO " in await r2.ask("show ip route | begin Gateway")


async def test_configuration_decides(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        r1, r2 = await _ospf_instead_of_statics(bench)

        async def neighbours_after(*lines: str) -> int:
            await r1.configure(*lines)
            shown = (await r1.ask("show ip ospf neighbor")).count("FULL"), (await r2.ask("sh ip o n")).count("FULL")
            assert shown[0] == shown[1]
            return shown[0]

        router = "router ospf 1"
        assert await neighbours_after(router, "passive-interface g0/1") == 0
        assert await neighbours_after(router, "no passive-interface g0/1") == 1
        assert await neighbours_after(router, "passive-interface default") == 0
        assert "passive-interface default\n" in await r1.ask("show running-config")
        assert await neighbours_after(router, "no passive-interface g0/1") == 1
        assert "no passive-interface GigabitEthernet0/1\n" in await r1.ask("show running-config")
        assert await neighbours_after(router, "no passive-interface default") == 1
        assert await neighbours_after(router, "network 10.0.12.0 0.0.0.3 area 1") == 0
        assert await neighbours_after(router, "network 10.0.12.0 0.0.0.3 area 0.0.0.0") == 1
        assert await neighbours_after(router, "router-id 2.2.2.2") == 0
        assert await neighbours_after(router, "router-id 9.9.9.9") == 1
        assert "9.9.9.9" in await r2.ask("show ip ospf neighbor")
        assert await neighbours_after(router, "no router-id") == 1
        assert await neighbours_after(router, "no network 10.0.12.0 0.0.0.3 area 0") == 0
        assert await neighbours_after(router, "network 10.0.0.0 255.255.0.0 area 0") == 1
        assert "network 10.0.0.0 0.0.255.255 area 0" in await r1.ask("show running-config")
        assert await neighbours_after("int g0/1", "ip address 10.0.12.1 255.255.255.248") == 0
        assert await neighbours_after("int g0/1", "ip address 10.0.12.1 255.255.255.252") == 1
        assert await neighbours_after("no router ospf 1") == 0
        assert "router ospf" not in await r1.ask("show running-config")


async def test_costs_and_ages(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        r1, _ = await _ospf_instead_of_statics(bench)
        await r1.configure("interface g0/1", "ip ospf cost 40")
        assert "10.0.2.0/24 [110/41] via" in await r1.ask("show ip route")
        assert " ip ospf cost 40\n" in await r1.ask("show running-config")
        r1.send("clear ip ospf process\r")
        await r1.until(r"Reset ALL OSPF processes\? \[no\]: $")
        r1.send("yes\r")
        await r1.until("R1#$")
        assert "00:00:00" in await r1.ask("show ip route")


def _router(name: str, area_of: dict[str, int], passive: Iterable[str] = ()) -> Stack:
    """Interfaces by address; those in `area_of` run OSPF there. A `/32` is a loopback."""
    stack = Stack(name, True, 255)
    process = OspfProcess(1, passive=set(passive))
    for address, area in area_of.items():
        at = IPv4Interface(address)
        port = f"Loopback{len(stack.interfaces)}" if at.network.prefixlen == 32 else str(at.network)
        stack.interfaces[port] = Interface(port, "", at)
        process.networks.append(OspfNetwork(at.ip, ZERO, area))
    stack.ospf[1] = process
    return stack


def _joined(*routers: Stack) -> Network:
    """Interfaces in the same subnet are cabled."""
    seen: dict[str, Plug] = {}
    network = Network()
    for router in routers:
        network.attach(router)
        for name in router.interfaces:
            plug = Plug(router.node_id, name)
            if name in seen and not name.startswith("Loopback"):
                network.connect(seen[name], plug)
            seen[name] = plug
    return network


def _learned(network: Network, stack: Stack) -> dict[str, tuple[str, int, list[str]]]:
    found: dict[str, tuple[str, int, list[str]]] = {}
    for route in network.ospf.routes(stack):
        entry = found.setdefault(str(route.network), (route.source, route.metric, []))
        entry[2].append(str(route.gateway))
    return found


def test_shortest_paths_and_equal_ones() -> None:
    a = _router("a", {"10.1.0.1/24": 0, "10.2.0.1/24": 0})
    b = _router("b", {"10.1.0.2/24": 0, "10.3.0.2/24": 0})
    c = _router("c", {"10.2.0.3/24": 0, "10.4.0.3/24": 0})
    d = _router("d", {"10.3.0.4/24": 0, "10.4.0.4/24": 0, "4.4.4.4/32": 0})
    network = _joined(a, b, c, d)
    assert _learned(network, a) == {
        "4.4.4.4/32": ("O", 3, ["10.1.0.2", "10.2.0.3"]),
        "10.3.0.0/24": ("O", 2, ["10.1.0.2"]),
        "10.4.0.0/24": ("O", 2, ["10.2.0.3"]),
    }
    a.interfaces["10.1.0.0/24"].ospf_cost = 5
    network.settle()
    assert _learned(network, a)["10.3.0.0/24"] == ("O", 3, ["10.2.0.3"])
    network.detach("c")
    assert _learned(network, a)["4.4.4.4/32"] == ("O", 7, ["10.1.0.2"])


def test_areas_meet_in_area_0() -> None:
    a = _router("a", {"10.1.0.1/24": 1, "1.1.1.1/32": 1})
    b = _router("b", {"10.1.0.2/24": 1, "10.0.0.2/24": 0})
    c = _router("c", {"10.0.0.3/24": 0, "10.2.0.3/24": 2})
    d = _router("d", {"10.2.0.4/24": 2, "4.4.4.4/32": 2})
    network = _joined(a, b, c, d)
    assert _learned(network, a) == {
        "4.4.4.4/32": ("O IA", 4, ["10.1.0.2"]),
        "10.0.0.0/24": ("O IA", 2, ["10.1.0.2"]),
        "10.2.0.0/24": ("O IA", 3, ["10.1.0.2"]),
    }
    assert _learned(network, b)["1.1.1.1/32"] == ("O", 2, ["10.1.0.1"])
    assert _learned(network, c)["1.1.1.1/32"] == ("O IA", 3, ["10.0.0.2"])


def test_areas_without_area_0_stay_apart() -> None:
    a = _router("a", {"10.1.0.1/24": 1, "1.1.1.1/32": 1})
    b = _router("b", {"10.1.0.2/24": 1, "10.2.0.2/24": 2})
    c = _router("c", {"10.2.0.3/24": 2})
    network = _joined(a, b, c)
    assert _learned(network, c) == {}
    assert set(_learned(network, b)) == {"1.1.1.1/32"}


def test_a_passive_network_is_told() -> None:
    a = _router("a", {"10.1.0.1/24": 0, "10.9.0.1/24": 0}, passive=["10.9.0.0/24"])
    b, far = _router("b", {"10.1.0.2/24": 0}), Stack("far", False, 64)
    far.interfaces["10.9.0.0/24"] = Interface("10.9.0.0/24", "", IPv4Interface("10.9.0.9/24"))
    network = _joined(a, b, far)
    assert _learned(network, b) == {"10.9.0.0/24": ("O", 2, ["10.1.0.1"])}
    assert [each.stack.node_id for each in neighbours(network, a)] == ["b"]


def test_ages_begin_with_each_appearance() -> None:
    now = 100.0
    a, b = _router("a", {"10.1.0.1/24": 0}), _router("b", {"10.1.0.2/24": 0, "10.9.0.2/24": 0})
    far = Stack("far", False, 64)
    far.interfaces["10.9.0.0/24"] = Interface("10.9.0.0/24", "", IPv4Interface("10.9.0.9/24"))
    network = Network(clock=lambda: now)
    for stack in (a, b, far):
        network.attach(stack)
    network.connect(Plug("a", "10.1.0.0/24"), Plug("b", "10.1.0.0/24"))
    network.connect(Plug("b", "10.9.0.0/24"), Plug("far", "10.9.0.0/24"))
    now = 172.5
    (route,) = network.ospf.routes(a)
    assert route.network == IPv4Network("10.9.0.0/24")
    assert network.ospf.age(a, route) == 72.5
    network.detach("b")
    assert network.ospf.routes(a) == []
    network.attach(b)
    assert network.ospf.age(a, route) == 0


def test_a_ring_of_routers_converges() -> None:
    count = 30
    ring = [
        _router(f"r{at}", {f"10.0.{at}.1/24": 0, f"10.0.{(at + 1) % count}.2/24": 0, f"1.1.1.{at + 1}/32": 0})
        for at in range(count)
    ]
    network = _joined(*ring)
    learned = _learned(network, ring[0])
    assert len(learned) == 2 * count - 3
    assert learned[f"1.1.1.{count // 2 + 1}/32"][1] == count // 2 + 1
    assert len(learned[f"1.1.1.{count // 2 + 1}/32"][2]) == 2
