"""The VPCS-like console: what it shows, its abbreviations, ping and its truth table."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from test_local_kit import configured, demo


async def test_show(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.host()
        text = await client.ask("show ip")
        assert "NAME        : PC1[1]\nIP/MASK     : 10.0.1.10/24\nGATEWAY     : 10.0.1.1\n" in text
        assert "MAC         : 00:50:79:66:68:00\n" in text
        assert await client.ask("sh ip") == text
        assert "PC1    10.0.1.10/24         10.0.1.1" in await client.ask("show")
        assert "arp table is empty" in await client.ask("arp")
        await client.ask("p 10.0.2.10 -c 1")
        assert "10.0.1.1 expires in" in await client.ask("show arp")
        assert "Virtual PC Simulator" in await client.ask("version")
        assert "trace HOST" in await client.ask("?")
        assert "show arp" in await client.ask("history")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("foo bar", 'Bad command: "foo bar". Use ? for help.\n'),
        ("!touch /tmp/x", "Commands of the host are never run from here.\n"),
        ("  ! id", "Commands of the host are never run from here.\n"),
        ("ip mtu 1400", "VPCS has this command; the embedded lab does not offer it yet.\n"),
        ("s", "save\nset\nshow\nsleep\n"),
        ("# comment", ""),
        ("ping", "Usage: HOST [OPTION ...]. See ?\n"),
        ("ping nowhere", "Cannot resolve nowhere\n"),
        ("ping 10.0.1.1 -x", "Invalid options\n"),
        ("ping 10.0.1.1 -c many", "Invalid options\n"),
        ("show nothing", "Invalid arguments\n"),
        ("sleep 3601", "Invalid seconds: 0 to 3600\n"),
        ("sleep 0", ""),
    ],
)
async def test_answers(tmp_path: Path, line: str, answer: str) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.host()
        assert (await client.ask(line)).rstrip("\n") == answer.rstrip("\n")


async def test_reachable(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.host()
        text = await client.ask("ping 10.0.2.10")
        assert text.count("84 bytes from 10.0.2.10 icmp_seq=") == 5
        assert "icmp_seq=5 ttl=62 time=" in text
        assert "ttl=255" in await client.ask("ping 10.0.1.1 -c 1")
        assert "10.0.1.10 icmp_seq=1 ttl=64 time=0.001 ms" in await client.ask("ping 10.0.1.10 -c 1")
        trace = await client.ask("trace 10.0.2.10")
        assert " 1   10.0.1.1   " in trace
        assert " 2   10.0.12.2   " in trace
        assert " 3   *10.0.2.10   " in trace


async def test_no_route_behind_the_gateway(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.host()
        began = time.monotonic()
        text = await client.ask("ping 10.9.9.9 -c 1")
        assert time.monotonic() - began >= 2
        assert "*10.0.1.1 icmp_seq=1 ttl=255 time=" in text
        assert " ms (ICMP type:3, code:1, Destination host unreachable)" in text


async def test_nobody_answers_arp(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.host()
        began = time.monotonic()
        assert "host (10.0.1.99) not reachable" in await client.ask("ping 10.0.1.99")
        assert time.monotonic() - began >= 2


async def test_no_way_back(tmp_path: Path) -> None:
    await configured(tmp_path, {"R2": "no ip route 10.0.1.0 255.255.255.0\n"})
    async with demo(tmp_path) as bench:
        client = await bench.host()
        began = time.monotonic()
        assert "10.0.2.10 icmp_seq=1 timeout" in await client.ask("ping 10.0.2.10 -c 1")
        assert time.monotonic() - began >= 2
        assert "84 bytes" not in await client.ask("ping 10.0.2.10 -c 1 -w 1")


async def test_no_gateway(tmp_path: Path) -> None:
    await configured(tmp_path, {"PC1": "ip 10.0.1.10/24\n"})
    async with demo(tmp_path) as bench:
        client = await bench.host()
        assert "No gateway found" in await client.ask("ping 10.0.2.10")
        assert "84 bytes" in await client.ask("ping 10.0.1.1 -c 1")


async def test_sleep_and_interrupt(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.host()
        began = time.monotonic()
        assert (await client.ask("sleep 1 good night")).strip() == "good night"
        assert 1 <= time.monotonic() - began < 3
        client.send("ping 10.9.9.9 -t\r")
        await client.until("unreachable")
        client.send("\x03")
        await client.until("PC1> $", within=1)
