"""The IOS-like configuration mode, what it changes, and what saving and restarting do to that."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from test_local_kit import Client, demo


async def _shown(client: Client, lines: str) -> list[str]:
    """The prompts after each of these lines."""
    prompts = []
    for line in lines.splitlines():
        client.send(f"{line}\r")
        await client.until(r"\r\n")
        prompts.append((await client.until(r"(?<![^\n])[\w.-]+(\([\w-]+\))?[>#]$")).rpartition("\n")[2])
    return prompts


async def test_modes_and_prompts(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        lines = "conf t\nint g0/1\nrouter ospf 1\nline vty 0 4\nint lo 7\nhostname Core\ninterface Gi0/2\nexit\nend"
        assert await _shown(client, lines) == [
            "R1(config)#",
            "R1(config-if)#",
            "R1(config-router)#",
            "R1(config-line)#",
            "R1(config-if)#",
            "Core(config)#",
            "Core(config-if)#",
            "Core(config)#",
            "Core#",
        ]
        assert await _shown(client, "conf t\nint lo0\nend\nconf t\nexit\n") == [
            "Core(config)#",
            "Core(config-if)#",
            "Core#",
            "Core(config)#",
            "Core#",
        ]


async def test_leaving_tells_who_configured(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        assert await client.ask("conf t") == "Enter configuration commands, one per line.  End with CNTL/Z.\n"
        assert "%SYS-5-CONFIG_I: Configured from console by console\n" in await client.ask("end")


async def test_control_keys_leave(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        await client.ask("conf t")
        client.send("hostname Zed\x1a")
        await client.until("Zed#$")
        await client.ask("conf t")
        await client.ask("int g0/1")
        client.send("\x1a")
        await client.until("Zed#$")
        await client.ask("conf t")
        client.send("hostname No\x03")
        await client.until("Zed#$")
        assert [line.split("\t")[1] for line in bench.log("R1")][-4:] == [
            "hostname Zed",
            "conf t",
            "int g0/1",
            "conf t",
        ]


async def test_configure_asks_from_where(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        client.send("configure\r")
        await client.until(r"Configuring from terminal, memory, or network \[terminal\]\? $")
        client.send("\r")
        await client.until(r"R1\(config\)#$")


async def test_user_mode_may_not(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        await client.ask("disable")
        for line in ("conf t", "reload", "write", "erase startup-config", "debug all"):
            assert "Invalid input" in await client.ask(line)


async def test_do_anywhere(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        await client.ask("conf t")
        assert "10.0.1.1" in await client.ask("do sh ip int br")
        await client.ask("int g0/1")
        assert "UTC" in await client.ask("DO show clock")
        assert "!!!!!" in await client.ask("do ping 10.0.12.2")
        assert "Invalid input" in await client.ask("do do show clock")
        assert await client.ask("do") == "% Incomplete command.\n\n"
        answer = await client.ask("do show xyz")
        assert answer.startswith(" " * len("R1(config-if)#do show ") + "^\n")
        assert "Already in configuration mode" in await client.ask("do conf t")
        await client.ask("do reload cancel")
        assert "mode" not in await client.ask("description still here")


async def test_help_and_completion(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        await client.ask("conf t")
        client.send("?")
        text = await client.until(r"R1\(config\)#$")
        for word in ("banner", "default", "do", "end", "hostname", "interface", "no", "router"):
            assert f"\n  {word} " in text
        client.send("int g0/0\r")
        await client.until(r"config-if\)#$")
        client.send("desc?")
        assert "description" in await client.until(r"config-if\)#desc$")
        client.send("\x15no shu\t")
        await client.until("no shutdown $")
        client.send("\x15do show ip ro?")
        assert "route" in await client.until(r"config-if\)#do show ip ro$")
        client.send("\x15")


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        ("interface g0/9", "Invalid input"),
        ("no interface g0/0", "% Removal of physical interfaces is not permitted"),
        ("interface g0/2\nip address 10.0.1.77 255.255.255.0", "% 10.0.1.0 overlaps with GigabitEthernet0/0"),
        ("interface g0/2\nip address 10.9.9.9 255.0.255.0", "Bad mask 0xFF00FF00 for address 10.9.9.9"),
        ("interface g0/2\nip address 10.9.9.0 255.255.255.0", "Bad mask /24 for address 10.9.9.0"),
        ("interface g0/2\nip address 10.9.9.9 255.255.255.255", "Bad mask /32 for address 10.9.9.9"),
        ("interface g0/2\nip address 224.0.0.5 255.255.255.0", "Not a valid host address - 224.0.0.5"),
        ("ip route 10.9.9.9 255.255.255.0 10.0.12.2", "%Inconsistent address and mask"),
        ("ip route 10.9.9.0 255.255.255.0 10.0.1.1", "%Invalid next hop address (it's this router)"),
        ("no ip route 10.9.9.0 255.255.255.0", "%No matching route to delete"),
        ("hostname 9lives", "% Hostname contains one or more illegal characters."),
        ("hostname", "% Incomplete command."),
        ("enable secret x", "keeps no secrets"),
        ("line vty 4 0", "Invalid input"),
        ("interface lo99999999999", "Invalid input"),
        ("router ospf 1\nnetwork 10.0.0.0 0.0.255.1 area 0", "discontiguous mask"),
        ("no ip routing\nrouter ospf 1", "IP routing not enabled"),
        ("i", '% Ambiguous command:  "i"'),
    ],
)
async def test_refusals(tmp_path: Path, lines: str, answer: str) -> None:
    async with demo(tmp_path) as bench:
        assert answer in await (await bench.router()).configure(*lines.splitlines())


async def test_a_refused_line_leaves_the_mode_alone(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        assert await _shown(client, "conf t\nint g0/1\ninterface g0/9\nno ip route 9.0.0.0 255.0.0.0") == [
            "R1(config)#",
            *["R1(config-if)#"] * 3,
        ]


async def test_what_is_configured_shows_and_acts(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client, other = await bench.router(), await bench.router("R2")
        lines = ("interface lo5", "ip address 5.5.5.5 255.255.255.255", "description a b  c", "ip host five 5.5.5.5")
        assert await client.configure(*lines) == ""
        running = await client.ask("show running-config")
        assert "interface Loopback5\n description a b  c\n ip address 5.5.5.5 255.255.255.255\n" in running
        assert "ip host five 5.5.5.5\n" in running
        assert "Loopback5                  5.5.5.5         YES manual up                    up" in await client.ask(
            "show ip interface brief"
        )
        assert "C        5.5.5.5/32 is directly connected, Loopback5" in await client.ask("show ip route")
        assert "!!!!!" in await client.ask("ping five")
        assert "five" in await client.ask("show hosts")
        assert "0 percent" in await other.ask("ping 5.5.5.5 timeout 0")
        await other.configure("ip route 5.5.5.5 255.255.255.255 10.0.12.1")
        assert "!!!!!" in await other.ask("ping 5.5.5.5")
        await client.configure("no interface lo5", "no ip host five")
        assert "Unrecognized host" in await client.ask("ping five")
        assert "Loopback5" not in await client.ask("show running-config")
        assert "0 percent" in await other.ask("ping 5.5.5.5 timeout 0")


async def test_shutdown_and_its_other_end(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client, other = await bench.router(), await bench.router("R2")
        await client.configure("interface g0/1", "shutdown")
        assert "administratively down down" in (await client.ask("show ip interface brief | include 0/1"))
        assert "down                  down" in (await other.ask("show ip interface brief | include 0/1"))
        assert "10.0.12" not in await client.ask("show ip route")
        await client.configure("int g0/1", "no shut", "no description", "no ip address 10.0.12.1 255.255.255.252")
        assert await client.ask("show run | section 0/1") == (
            "interface GigabitEthernet0/1\n no ip address\n duplex auto\n speed auto\n"
        )


async def test_default_interface(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        answer = await client.configure("default interface g0/1")
        assert "Interface GigabitEthernet0/1 set to default configuration" in answer
        assert await client.ask("show run | section 0/1") == (
            "interface GigabitEthernet0/1\n no ip address\n shutdown\n duplex auto\n speed auto\n"
        )


async def test_no_ip_routing(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client, host = await asyncio.gather(bench.router(), bench.host())
        await client.configure("no ip routing")
        assert "Default gateway is not set" in await client.ask("show ip route")
        assert "no ip routing\n" in await client.ask("show running-config")
        assert "!!!!!" in await client.ask("ping 10.0.12.2")
        assert "0 percent" in await client.ask("ping 10.0.2.1 timeout 0")
        assert "84 bytes" not in await host.ask("ping 10.0.2.10 -c 1 -w 10")
        await client.configure("ip routing")
        assert "S        10.0.2.0/24" in await client.ask("show ip route")
        assert "84 bytes" in await host.ask("ping 10.0.2.10 -c 1")


async def test_banner(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        await client.ask("conf t")
        await client.ask("banner motd #one line#ignored")
        assert "banner motd ^Cone line^C\n" in await client.ask("do show run")
        client.send("banner motd %\r")
        await client.until(r"Enter TEXT message\.  End with the character '%'\.\r\n$")
        client.send("! no comment?\r\r  end\tof#it % not this\r")
        await client.until(r"config\)#$")
        text = await client.ask("do show run | section banner")
        assert text == "banner motd ^C\n"
        assert "banner motd ^C\n! no comment?\n\n  endof#it ^C\n" in await client.ask("do show run")
        assert bench.lines("R1")[-5] == "! no comment?"
        client.send("end\rwrite\rexit\r")
        await client.until("Press RETURN")
        client.send("\r")
        await client.until(r"\n! no comment\?\r\n\r\n  endof#it \r\nR1>$")
        await bench.stop("R1")
        await bench.start("R1")
        client = await bench.router()
        assert "banner motd ^C\n! no comment?\n\n  endof#it ^C\n" in await client.ask("show run")
        await client.configure("no banner motd")
        assert "banner" not in await client.ask("show run")


async def test_lines(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        vty = (
            "line vty 0 4",
            "exec-timeout 0 0",
            "transport input ssh telnet",
            "no login",
            "line vty 5 15",
            "login local",
        )
        await client.configure(*vty, "line con 0", "logging synchronous", "password cisco", "no password")
        assert (await client.ask("show run")).endswith(
            "line con 0\n logging synchronous\nline aux 0\n"
            "line vty 0 4\n exec-timeout 0 0\n no login\n transport input ssh telnet\n"
            "line vty 5 15\n login local\n!\nend\n\n"
        )
        running = await client.ask("show run")
        await client.ask("write")
        await bench.stop("R1")
        await bench.start("R1")
        assert await (await bench.router()).ask("show run") == running


async def test_comments_and_shown_lines_are_taken(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        running = await client.ask("show running-config")
        lines = [line for line in running.splitlines()[3:] if line.strip() not in ("end", "")]
        assert await client.configure("! a comment", "  ! reload", *lines) == ""
        assert await client.ask("show running-config") == running


@pytest.mark.parametrize("line", ["write", "wr mem", "copy run start"])
async def test_saving(tmp_path: Path, line: str) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        await client.configure("hostname Saved")
        client.send(f"{line}\r")
        if line.startswith("copy"):
            await client.until(r"Destination filename \[startup-config\]\? $")
            client.send("\r")
        assert "Building configuration...\r\n[OK]\r\n" in await client.until("Saved#$")
        assert "hostname Saved" in await client.ask("show startup-config")
        assert "hostname Saved" in next((Path(bench.project.path) / "devices").glob("R1.*")).read_text()
    async with demo(tmp_path) as bench:
        client = await bench.connect("R1")
        client.send("\r")
        await client.until("Saved>$")


async def test_reload_forgets_what_was_not_saved(tmp_path: Path) -> None:
    async with demo(tmp_path, reload_seconds=0.5) as bench:
        client = await bench.router()
        await client.configure("interface g0/2", "description kept")
        await client.ask("wr")
        await client.configure("interface g0/3", "description lost")
        port = (await bench.node("R1")).console
        client.send("reload\r")
        await client.until(r"System configuration has been modified\. Save\? \[yes/no\]: $")
        client.send("perhaps\r")
        await client.until(r"Please answer 'yes' or 'no'[^:]*: $")
        client.send("no\r")
        await client.until(r"Proceed with reload\? \[confirm\]$")
        began = time.monotonic()
        client.send("\r")
        await client.until("%SYS-5-RELOAD")
        assert await client.closed()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", port)
        assert (await bench.node("R1")).status == "started"
        client = await bench.again("R1")
        assert time.monotonic() - began >= 0.5
        assert (await bench.node("R1")).console == port
        text = await client.ask("show running-config")
        assert "kept" in text
        assert "lost" not in text
        assert bench.lines("R1")[-7:-3] == ["reload", "perhaps", "no", ""]


async def test_reload_saves_when_asked_to(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        await client.configure("interface g0/2", "description kept")
        client.send("reload\ryes\r")
        await client.until(r"\[OK\]\r\nProceed with reload\? \[confirm\]$")
        client.send("y")
        assert await client.closed()
        assert "kept" in await (await bench.again("R1")).ask("show running-config")


@pytest.mark.parametrize("key", ["n", "\x03", "\x1e"])
async def test_reload_is_called_off(tmp_path: Path, key: str) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        client.send("reload\r")
        await client.until(r"Proceed with reload\? \[confirm\]$")
        client.send(key)
        await client.until("R1#$")
        assert "UTC" in await client.ask("show clock")


async def test_a_question_is_interrupted(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        await client.configure("hostname X")
        client.send("reload\r")
        await client.until(r"\[yes/no\]: $")
        client.send("ye\x03")
        await client.until("X#$")
        assert "X" in await client.ask("show run | i hostname")


async def test_power_off_during_a_reload(tmp_path: Path) -> None:
    async with demo(tmp_path, reload_seconds=30) as bench:
        client = await bench.router()
        client.send("reload\r\r")
        assert await client.closed()
        async with asyncio.timeout(1):
            await bench.stop("R1")
            await bench.start("R1")
        await bench.router()


async def test_erasing(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        client.send("write erase\r")
        await client.until(r"remove all configuration files! Continue\? \[confirm\]$")
        client.send("n")
        await client.until("R1#$")
        assert "hostname R1" in await client.ask("show startup-config")
        client.send("erase startup-config\r")
        await client.until(r"\[confirm\]$")
        client.send("\r")
        assert "[OK]" in await client.until("Erase of nvram: complete")
        await client.until("R1#$")
        assert "startup-config is not present" in await client.ask("show startup-config")
        assert "hostname R1" in await client.ask("show running-config")
        client.send("reload\rno\r\r")
        assert await client.closed()
        client = await bench.again("R1")
        assert "no ip address" in await client.ask("show run interface g0/0")
        assert client.prompt == "Router#"


async def test_files_and_counters(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        client.send("delete flash:x\r\r\r")
        assert "%Error deleting flash:x (No such file" in await client.until("R1#$")
        client.send("format flash:\r\r\r")
        assert "Format of flash: complete" in await client.until("R1#$")
        client.send("clear counters\r\r")
        await client.until(r"on all interfaces \[confirm\]\r\nR1#$")
        await client.ask("ping 10.0.12.2")
        await client.ask("clear arp-cache")
        assert "10.0.12.2 " not in await client.ask("show arp")
        assert await client.ask("debug ip icmp") == "ICMP packet debugging is on\n"
        assert "ICMP packet debugging is on" in await client.ask("show debugging")
        assert await client.ask("u all") == "All possible debugging has been turned off\n"
        assert "No files" in await client.ask("dir")
        assert "No reload is scheduled" in await client.ask("reload cancel")
        assert "at once only" in await client.ask("reload in 5")


async def test_odd_input(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        await client.ask("conf t")
        await client.ask("interface g0/3")
        client.send("description " + "x" * 5000 + "\r")
        await client.until(r"config-if\)#$")
        for keys in (
            "desc\x00r\x07iption \x1b[Aa\x1b[3~b\x7f\r",
            "\r\r",
            "no\r",
            "   \r",
            "é\udc00".encode("utf-8", "replace").decode() + "\r",
        ):
            client.send(keys)
            await client.until(r"config-if\)#$")
        await client.ask("interface g0/2")
        client.send("descrip\x1a")
        await client.until("R1#$")
        assert len((await client.ask("show run | i xxx")).strip()) == len("description ") + 200
