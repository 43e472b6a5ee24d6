"""The IOS-like console: show commands, abbreviations, faults, help, paging, filters, ping."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from test_local_kit import configured, demo


async def test_user_and_privileged_exec(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.connect("R1")
        client.send("\r")
        await client.until("R1>$")
        assert "Invalid input" in await client.ask("show running-config")
        client.send("en\r")
        await client.until("R1#$")
        assert "hostname R1" in await client.ask("sh ru | i hostname")
        client.send("disable\r")
        await client.until("R1>$")
        client.send("exit\r")
        await client.until("R1 con0 is now available")
        await client.until("Press RETURN to get started")
        client.send("\r\n")
        await client.until("R1>$")


async def test_show_running_and_startup(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        text = await client.ask("show running-config")
        head, _, body = text.partition("!\n")
        size = len(("!\n" + body).rstrip("\n") + "\n")
        assert head == f"Building configuration...\n\nCurrent configuration : {size} bytes\n"
        assert text.endswith("!\nend\n\n")
        assert "interface GigabitEthernet0/0\n description to PC1\n ip address 10.0.1.1 255.255.255.0\n" in text
        assert "interface GigabitEthernet0/2\n no ip address\n shutdown\n" in text
        assert "ip route 10.0.2.0 255.255.255.0 10.0.12.2\n" in text
        saved = await client.ask("show startup-config")
        assert saved.partition("!\n")[2] == body
        only = await client.ask("sh run int gi 0/1")
        assert "interface GigabitEthernet0/1" in only
        assert "hostname" not in only


async def test_show_commands(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        brief = (await client.ask("sh ip int br")).splitlines()
        assert brief[0].split() == ["Interface", "IP-Address", "OK?", "Method", "Status", "Protocol"]
        assert brief[1].split() == ["GigabitEthernet0/0", "10.0.1.1", "YES", "NVRAM", "up", "up"]
        assert "GigabitEthernet0/2         unassigned      YES NVRAM  administratively down down" in brief[3]
        routes = await client.ask("show ip route")
        assert "Gateway of last resort is not set" in routes
        assert "      10.0.0.0/8 is variably subnetted, 5 subnets, 3 masks\n" in routes
        assert "S        10.0.2.0/24 [1/0] via 10.0.12.2\n" in routes
        assert "L        10.0.12.1/32 is directly connected, GigabitEthernet0/1\n" in routes
        assert 'Known via "static", distance 1' in await client.ask("show ip route 10.0.2.77")
        assert "% Network not in table" in await client.ask("show ip route 192.0.2.1")
        assert "Version 15.7" in await client.ask("show version")
        assert "Gi0/0                          up             up       to PC1" in await client.ask("sh int des")
        assert "GigabitEthernet0/0 is up, line protocol is up" in await client.ask("show interfaces g0/0")
        assert "UTC" in await client.ask("show clock")
        assert "  show clock\n" in await client.ask("show history")
        assert "con 0" in await client.ask("show users")
        assert "Internet address is 10.0.12.1/30" in await client.ask("show protocols")
        await client.ask("ping 10.0.1.10")
        assert "Internet  10.0.1.10               0   0050.7966.6800  ARPA" in await client.ask("sh arp")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("show i", '% Ambiguous command:  "show i"\n'),
        ("show ip", "% Incomplete command.\n"),
        ("sh ip foo", "         ^\n% Invalid input detected at '^' marker.\n"),
        ("crypto key", "    ^\n% Invalid input detected at '^' marker.\n"),
        ("show version extra", "                ^\n% Invalid input detected at '^' marker.\n"),
        ("show interfaces g0/9", "                   ^\n% Invalid input detected at '^' marker.\n"),
        ("show verbose", "           ^\n% Invalid input detected at '^' marker.\n"),
        ("ping nowhere", "% Unrecognized host or address, or protocol not running.\n"),
        ("! a comment", ""),
    ],
)
async def test_faults(tmp_path: Path, line: str, answer: str) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        assert (await client.ask(line)).rstrip("\n") == answer.rstrip("\n")


async def test_help_acts_at_once(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        client.send("show ?")
        text = await client.until("R1#show $")
        assert "  running-config  Current operating configuration\r\n" in text
        client.send("int?")
        assert "interfaces\r\n" in await client.until("R1#show int$")
        client.send(" ?")
        text = await client.until("R1#show int $")
        assert "  <cr>\r\n" in text
        assert "GigabitEthernet" in text
        client.send("\x15sho\t")
        await client.until("R1#show $")
        client.send("clock\r")
        await client.until("UTC")
        assert [line.split("\t")[1] for line in bench.log("R1")][2:] == ["show clock"]


async def test_paging(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        await client.ask("terminal length 24")
        client.send("show running-config\r")
        first = await client.until(" --More-- $")
        assert first.count("\r\n") == 24  # the echoed line and 23 of output
        client.send("\r")
        assert (await client.until(" --More-- $")).count("\r\n") == 1
        client.send(" ")
        assert (await client.until(" --More-- $")).startswith("\b" * 9 + " " * 8 + "\b" * 9)
        client.send("q")
        assert (await client.until("R1#$")).endswith("\bR1#")
        assert "end" in await client.ask("show running-config | begin line con")


async def test_filters(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        assert (await client.ask("sh run | include ^ip route|^hostname")).count("\n") == 3
        assert "!" not in await client.ask("sh run | exclude !")
        section = await client.ask("sh run | section interface Loop")
        assert section == "interface Loopback0\n ip address 1.1.1.1 255.255.255.255\n"
        assert "% Failed to compile regular expression" in await client.ask("sh run | i (")
        began = time.monotonic()
        assert (await client.ask("sh run | i (i*)*(e*)*(.*)*!x")) == ""
        assert time.monotonic() - began < 2


async def test_history_and_editing(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        await client.ask("show clock")
        client.send("\x1b[A\x1b[A\x1b[B\r")
        assert "UTC" in await client.until("R1#$")
        client.send("abc\x03show clock\r")
        assert "UTC" in await client.until(r"R1#show clock\r\n[^#]*R1#$")


async def test_reachable(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        text = await client.ask("ping 10.0.2.10")
        assert "Sending 5, 100-byte ICMP Echos to 10.0.2.10, timeout is 2 seconds:\n!!!!!\n" in text
        assert "Success rate is 100 percent (5/5), round-trip min/avg/max = " in text
        text = await client.ask("ping 10.0.2.10 source Loopback0 repeat 80")
        assert "!" * 70 + "\n" + "!" * 10 in text
        assert "(80/80)" in text
        trace = await client.ask("traceroute 10.0.2.10")
        assert "  1 10.0.12.2 " in trace
        assert "  2 10.0.2.10 " in trace


async def test_unreachable_takes_two_seconds(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        began = time.monotonic()
        text = await client.ask("ping 10.9.9.9 repeat 1")
        assert 2 <= time.monotonic() - began < 4
        assert "\n.\nSuccess rate is 0 percent (0/1)\n" in text


@pytest.mark.parametrize("key", ["\x1e", "\x03"])
async def test_a_ping_is_interrupted(tmp_path: Path, key: str) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        client.send(f"ping 10.9.9.9\rshow clock\r{key}")
        assert "0 percent" in await client.until("UTC", within=1)


async def test_a_stopped_neighbour_takes_the_line_down(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        await bench.stop("PC2")
        r1, r2 = await bench.router("R1"), await bench.router("R2")
        assert "GigabitEthernet0/0         10.0.2.1        YES NVRAM  down" in await r2.ask("sh ip int br")
        assert "\nU.U\n" in await r1.ask("ping 10.0.2.10 repeat 3 timeout 0")
        assert "  2 10.0.12.2 !H !H !H" in await r1.ask("traceroute 10.0.2.10")
        await bench.start("PC2")
        assert "!!!!!" in await r1.ask("ping 10.0.2.10")
        await bench.stop("R2")
        assert "0 percent" in await r1.ask("ping 10.0.2.10 timeout 0")


async def test_a_routing_loop_ends(tmp_path: Path) -> None:
    loop = {
        "R1": "ip route 0.0.0.0 0.0.0.0 10.0.12.2\n",
        "R2": "ip route 0.0.0.0 0.0.0.0 10.0.12.1\nnonsense\n",
    }
    await configured(tmp_path, loop)
    async with demo(tmp_path) as bench:
        client, host = await asyncio.gather(bench.router(), bench.host())
        assert "S*    0.0.0.0/0 [1/0] via 10.0.12.2\n" in await client.ask("show ip route")
        assert "0 percent (0/2)" in await client.ask("ping 9.9.9.9 repeat 2 timeout 0")
        assert "ICMP type:11, code:0" in await host.ask("ping 9.9.9.9 -c 1")
