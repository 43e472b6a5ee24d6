"""The console driver on the embedded lab's devices."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from copilot_ws.labs.base import Caller, Node
from copilot_ws.labs.console import ConsoleError, Consoles
from copilot_ws.labs.local.lab import LocalLab

Nodes = dict[str, Node]


@pytest.fixture
async def nodes(tmp_path: Path) -> AsyncIterator[Nodes]:
    lab, caller = LocalLab(tmp_path), Caller("local")
    await lab.start()
    try:
        (project,) = await lab.projects(caller)
        yield {node.name: node for node in await lab.nodes(caller, project.project_id)}
    finally:
        await lab.close()


@pytest.fixture
def consoles() -> Consoles:
    return Consoles()


async def test_show_commands(nodes: Nodes, consoles: Consoles) -> None:
    async with consoles.hold(nodes["R1"], "test") as console:
        assert console.prompt == "R1#"
        assert "Version" in (await console.run("show version")).text
        brief = (await console.run("show ip interface brief")).text
        assert brief.startswith("Interface")
        assert (await console.run("sh ip int br")).text == brief
        for _ in range(50):
            assert (await console.run("show ip interface brief")).text == brief


async def test_paging(nodes: Nodes, consoles: Consoles) -> None:
    async with consoles.hold(nodes["R1"], "test") as console:
        whole = (await console.run("show running-config")).text
        await console.run("terminal length 10")
        paged = (await console.run("show running-config")).text
    assert whole.endswith("end")
    assert paged == whole
    assert not any("More" in line for line in consoles.tail(nodes["R1"].node_id, 1000))


async def test_help(nodes: Nodes, consoles: Consoles) -> None:
    async with consoles.hold(nodes["R1"], "test") as console:
        assert "version" in (await console.run("show ?")).text
        assert "Version" in (await console.run("show version")).text


async def test_ping_across_the_lab(nodes: Nodes, consoles: Consoles) -> None:
    async with consoles.hold(nodes["PC2"], "test") as console:
        address = re.search(r"[\d.]+(?=/\d)", (await console.run("show ip")).text)
    assert address
    async with consoles.hold(nodes["PC1"], "test") as console:
        assert (await console.run(f"ping {address[0]} -c 2")).text.count("ttl=") == 2
        assert (await console.run("sleep 1", timeout=5)).text == ""


@pytest.mark.parametrize("name", ["R1", "PC1"])
async def test_cancelled_ping_frees_the_console(nodes: Nodes, consoles: Consoles, name: str) -> None:
    async with consoles.hold(nodes[name], "first") as console:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await console.run("ping 10.99.99.99")
        assert console.prompt in ("R1#", "PC1>")
    async with asyncio.timeout(3), consoles.hold(nodes[name], "second") as console:
        assert (await console.run("show history")).text


async def test_configuration(nodes: Nodes, consoles: Consoles) -> None:
    async with consoles.hold(nodes["R1"], "test") as console:
        await console.run("configure terminal")
        await console.run("hostname Core")
        assert console.prompt == "Core(config)#"
        await console.run("interface Loopback7")
        long = "a long description " * 8 + "end"
        await console.run(f"description {long}")
    async with consoles.hold(nodes["R1"], "test") as console:
        assert console.prompt == "Core#"
        assert long in (await console.run("show running-config")).text


async def test_reload_asks(nodes: Nodes, consoles: Consoles) -> None:
    async with consoles.hold(nodes["R2"], "test") as console:
        with pytest.raises(ConsoleError) as caught:
            await console.run("reload")
        assert caught.value.reason == "busy_question"
        assert "Version" in (await console.run("show version")).text
