"""The VPCS-like host's settings: address, name, saving."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from test_local_kit import demo

from copilot_ws.labs.local import vpcs


@pytest.fixture
def quick_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """Addresses are checked at once: the second that it takes is tested by itself."""
    monkeypatch.setattr(vpcs, "DUPLICATE_CHECK", 0.01)


@pytest.mark.parametrize(
    "line",
    [
        "ip 10.0.1.20/24 10.0.1.1",
        "ip 10.0.1.20 255.255.255.0 10.0.1.1",
        "ip 10.0.1.20 10.0.1.1 24",
        "ip 10.0.1.20 24 10.0.1.1",
        "ip 10.0.1.20 10.0.1.1",
    ],
)
@pytest.mark.usefixtures("quick_check")
async def test_address(tmp_path: Path, line: str) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.host()
        assert (await client.ask(line)).strip("\n") == (
            "Checking for duplicate address...\nPC1 : 10.0.1.20 255.255.255.0 gateway 10.0.1.1"
        )
        assert "IP/MASK     : 10.0.1.20/24\nGATEWAY     : 10.0.1.1\n" in await client.ask("show ip")
        assert "84 bytes" in await client.ask("ping 10.0.2.10 -c 1")


async def test_without_gateway(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.host()
        began = time.monotonic()
        assert "PC1 : 10.0.1.20 255.255.255.128\n" in await client.ask("ip 10.0.1.20/25")
        assert 0.9 <= time.monotonic() - began < 3
        assert "GATEWAY     : 0.0.0.0" in await client.ask("show ip")
        assert "No gateway found" in await client.ask("ping 10.0.2.10")


@pytest.mark.usefixtures("quick_check")
async def test_a_duplicate_address_is_found(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client, router = await bench.host(), await bench.router()
        mac = (await router.ask("show interfaces g0/0 | i bia")).split()[-1].strip(")").replace(".", "")
        colons = ":".join(mac[at : at + 2] for at in range(0, 12, 2))
        answer = await client.ask("ip 10.0.1.1/24")
        assert f"10.0.1.1 is being used by MAC {colons}\nAddress not changed\n" in answer
        await router.configure("interface g0/0", "shutdown")
        assert "PC1 : 10.0.1.1 " in await client.ask("ip 10.0.1.1/24")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("ip 10.0.1", "Invalid address"),
        ("ip 10.0.1.20/24 gateway", "Invalid address"),
        ("ip 10.0.1.5/33", "Invalid address"),
        ("ip 10.0.1.0/24", "Invalid host address"),
        ("ip 10.0.1.255/24", "Invalid host address"),
        ("ip 10.0.1.5/24 10.0.1.0", "Invalid gateway address"),
        ("ip 10.0.1.5/24 10.0.7.1", "not same subnet"),
        ("ip 10.0.1.5/24 10.0.1.5", "Invalid address"),
        ("ip 10.0.1.5/24 10.0.1.1 10.0.1.2", "Invalid options"),
        ("ip 10.0.1.5 255.0.255.0", "Invalid address"),
        ("ip ::1/64", "does not offer"),
        ("ip", "address [mask] [gateway]"),
        ("set pcname", "Incomplete command."),
        ("set pcname a!b", "Invalid hostname"),
        (f"set pcname {'x' * 64}", "Hostname is too long"),
        ("set nothing", "Invalid command."),
        ("clear nothing", "Invalid options"),
        ("save other.vpc", "Only startup.vpc"),
        ("load other", 'Can\'t open "other"'),
        ("!ip 10.0.1.5/24", "never run"),
    ],
)
async def test_refusals(tmp_path: Path, line: str, answer: str) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.host()
        assert answer in await client.ask(line)
        assert "IP/MASK     : 10.0.1.10/24" in await client.ask("show ip")


@pytest.mark.usefixtures("quick_check")
async def test_name_save_and_load(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.host()
        await client.ask("set pcname Alice")
        assert client.prompt.strip() == "Alice>"
        await client.ask("ip 10.0.1.30/24 10.0.1.1")
        assert await client.ask("save") == "Saving startup configuration to startup.vpc\n.  done\n\n"
        await client.ask("set pcname Bob")
        assert "cleared" in await client.ask("clear ip")
        assert "0.0.0.0/0" in await client.ask("show ip")
        await bench.stop("PC1")
        await bench.start("PC1")
        client = await bench.host()
        assert client.prompt.strip() == "Alice>"
        assert "IP/MASK     : 10.0.1.30/24\nGATEWAY     : 10.0.1.1\n" in await client.ask("show ip")
        await client.ask("clear ip")
        assert "Alice : 10.0.1.30" in await client.ask("load", within=5)
    async with demo(tmp_path) as bench:
        assert "Alice[1]" in await (await bench.host()).ask("show ip")


@pytest.mark.usefixtures("quick_check")
async def test_what_was_not_saved_is_lost(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.host()
        await client.ask("ip 10.0.1.30/24")
        await bench.stop("PC1")
        await bench.start("PC1")
        assert "10.0.1.10/24" in await (await bench.host()).ask("show ip")


async def test_dhcp_finds_no_server(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.host()
        client.send("ip dhcp\r")
        await client.until("DD", within=3)
        client.send("\x03")
        await client.until("PC1> $", within=1)
        assert "10.0.1.10/24" in await client.ask("show ip")


async def test_an_interrupted_check_sets_nothing(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.host()
        client.send("ip 10.0.1.30/24\r")
        await client.until("duplicate address")
        client.send("\x03")
        await client.until("PC1> $")
        assert "10.0.1.10/24" in await client.ask("show ip")
