"""The embedded lab's projects: first start, restart, ownership, damage; and its shared consoles."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from pathlib import Path
from uuid import uuid4

import pytest
from test_local_kit import ME, Client, demo

from copilot_ws.labs.base import Caller, Lab, ProjectChanged
from copilot_ws.labs.local import LocalLab
from copilot_ws.labs.telnet import IAC
from copilot_ws.wire.errors import (
    Conflict,
    Forbidden,
    InvalidArgument,
    NotFound,
    ProjectNotOpened,
    ShuttingDown,
)

ANN, BOB = Caller("ann"), Caller("bob")


async def test_first_start_makes_the_demo(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        lab: Lab = bench.lab
        project = bench.project
        assert (project.status, project.creator) == ("opened", None)
        assert project.path == str(tmp_path / "projects" / project.project_id)
        nodes = await lab.nodes(ME, project.project_id)
        kinds = {node.name: (node.platform, node.node_type, node.status) for node in nodes}
        assert kinds == {
            "PC1": ("vpcs", "vpcs", "started"),
            "R1": ("ios", "dynamips", "started"),
            "R2": ("ios", "dynamips", "started"),
            "PC2": ("vpcs", "vpcs", "started"),
        }
        assert len({node.console for node in nodes}) == 4
        router = await bench.node("R1")
        assert [port.short_name for port in router.ports] == ["Gi0/0", "Gi0/1", "Gi0/2", "Gi0/3"]
        names = {node.node_id: node.name for node in nodes}
        links = await lab.links(ME, project.project_id)
        ends = {tuple(f"{names[end.node_id]} {end.label.text}" for end in link.nodes) for link in links}
        assert ends == {("PC1 e0", "R1 Gi0/0"), ("R1 Gi0/1", "R2 Gi0/1"), ("R2 Gi0/0", "PC2 e0")}


async def test_a_restart_keeps_projects_and_what_was_stopped(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        first = bench.project
        await bench.stop("PC2")
        closed = await bench.lab.create_project(ME, "closed one")
        await bench.lab.close_project(ME, closed.project_id)
    async with demo(tmp_path) as bench:
        assert bench.project == first
        assert (await bench.node("PC2")).status == "stopped"
        assert (await bench.node("PC1")).status == "started"
        assert (await bench.lab.project(ME, closed.project_id)).status == "closed"
        assert "PC1[1]" in await (await bench.host()).ask("show ip")


async def test_a_deleted_demo_stays_deleted(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        await bench.lab.delete_project(ME, bench.project.project_id)
        assert not Path(bench.project.path).exists()
        assert await bench.lab.projects(ME) == []
    lab = LocalLab(tmp_path)
    await lab.start()
    assert await lab.projects(ME) == []
    await lab.close()


async def test_projects_are_told_to_listeners(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        seen: list[ProjectChanged] = []
        bench.lab.listen(lambda _change: seen[99])
        bench.lab.listen(seen.append)
        project = await bench.lab.create_project(ANN, "hers")
        await bench.lab.close_project(ANN, project.project_id)
        await bench.lab.close_project(ANN, project.project_id)
        await bench.lab.open_project(BOB, project.project_id)
        await bench.lab.delete_project(ANN, project.project_id)
        told = [(change.project.status, change.deleted) for change in seen]
        assert told == [("opened", False), ("closed", False), ("opened", False), ("opened", True)]


async def test_only_the_creator_closes_and_deletes(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        hers = await bench.lab.create_project(ANN, "hers")
        assert (hers.status, hers.creator) == ("opened", "ann")
        for project_id in (hers.project_id, bench.project.project_id):
            with pytest.raises(Forbidden):
                await bench.lab.close_project(BOB, project_id)
            with pytest.raises(Forbidden):
                await bench.lab.delete_project(BOB, project_id)
        with pytest.raises(Forbidden):
            await bench.lab.delete_project(ME, hers.project_id)
        await bench.lab.close_project(ME, bench.project.project_id)


@pytest.mark.parametrize("name", ["", "  ", "x" * 256, "line\nbreak", "\ud800"])
async def test_names_are_checked(tmp_path: Path, name: str) -> None:
    lab = LocalLab(tmp_path)
    with pytest.raises(InvalidArgument) as caught:
        await lab.create_project(ME, name)
    assert caught.value.details == {"field": "name"}
    assert not (tmp_path / "projects").exists()


async def test_a_name_is_given_once(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        creating = (bench.lab.create_project(ME, "twice") for _ in range(5))
        results = await asyncio.gather(*creating, return_exceptions=True)
        assert sum(isinstance(result, Conflict) for result in results) == 4


@pytest.mark.parametrize("spoil", [str.upper, lambda text: f"../projects/{text}", lambda _text: "..", str])
async def test_other_ids_are_not_found(tmp_path: Path, spoil) -> None:
    async with demo(tmp_path) as bench:
        lab, project_id = bench.lab, spoil(bench.project.project_id)
        if project_id == bench.project.project_id:
            project_id = str(uuid4())
        for call in (
            lab.project,
            lab.open_project,
            lab.close_project,
            lab.delete_project,
            lab.nodes,
            lab.links,
        ):
            with pytest.raises(NotFound):
                await call(ME, project_id)
        with pytest.raises(NotFound):
            await lab.stop_node(ME, bench.project.project_id, "no such node")
        assert Path(bench.project.path).exists()


@pytest.mark.parametrize("text", ["{", "[]", '{"name": ""}', '{"name": "a", "nodes": [{"name": "../x"}]}'])
async def test_a_damaged_project_is_left_alone(tmp_path: Path, text: str, caplog) -> None:
    async with demo(tmp_path):
        pass
    folder = tmp_path / "projects" / str(uuid4())
    folder.mkdir()
    (folder / "project.json").write_text(text)
    async with demo(tmp_path) as bench:
        assert [project.name for project in await bench.lab.projects(ME)] == ["demo"]
    assert (folder / "project.json").read_text() == text
    assert folder.name in caplog.text


async def test_a_closed_project_has_no_consoles(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        node, project_id = await bench.node("R1"), bench.project.project_id
        client = await bench.connect("R1")
        await bench.lab.close_project(ME, project_id)
        assert await client.closed()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", node.console)
        assert (await bench.node("R1")).status == "stopped"
        with pytest.raises(ProjectNotOpened):
            await bench.lab.start_node(ME, project_id, node.node_id)
        await bench.lab.open_project(ME, project_id)
        assert (await bench.node("R1")) == node
        stored = json.loads((Path(bench.project.path) / "project.json").read_text())
        assert stored["status"] == "opened"


async def test_opening_closing_and_deleting_at_once(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        project_id = bench.project.project_id
        calls = [bench.lab.close_project, bench.lab.open_project] * 5 + [bench.lab.delete_project]
        results = await asyncio.gather(*(call(ME, project_id) for call in calls), return_exceptions=True)
        assert not [result for result in results if isinstance(result, BaseException)]
        assert not Path(bench.project.path).exists()
        with pytest.raises(NotFound):
            await bench.lab.open_project(ME, project_id)


async def test_nothing_opens_while_the_lab_closes(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        await bench.lab.close_project(ME, bench.project.project_id)
        await bench.lab.close()
        with pytest.raises(ShuttingDown):
            await bench.lab.open_project(ME, bench.project.project_id)


async def test_a_console_is_shared(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        first = await bench.connect("R1")
        await first.until("Press RETURN to get started")
        first.send("\r")
        await first.until("R1>$")
        second = await bench.connect("R1")
        second.send("sh clo")
        assert await first.until("sh clo$") == "\r\nsh clo".lstrip()
        first.send("ck\r")
        assert "UTC" in await second.until("R1>$")
        assert second.shown == ""


async def test_later_clients_see_nothing_until_enter(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        await bench.host()
        later = await bench.connect("PC1")
        with pytest.raises(TimeoutError):
            await later.until(".", within=0.2)
        later.send("\r")
        await later.until(r"\r\nPC1> $")


async def test_console_log(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        client.send("\r\rshow x\b\x15show\tclock\r")
        await client.until("UTC")
        lines = [line.split("\t") for line in bench.log("R1")]
        assert [line for _, line in lines] == ["enable", "terminal length 0", "show clock"]
        assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+\+00:00", time) for time, _ in lines)


async def test_a_line_is_logged_before_it_runs(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.host()
        client.send("sleep 30\r")
        await client.until("sleep 30\r\n")
        async with asyncio.timeout(2):
            while "sleep 30" not in "".join(bench.log("PC1")):  # noqa: ASYNC110 a file tells nobody
                await asyncio.sleep(0.01)
        client.send("\x03")
        await client.until("PC1> $", within=1)


async def test_telnet_negotiation_and_odd_input(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.host()
        client._writer.write(bytes([IAC, 253, 1, IAC, 251, 31, IAC]) + bytes([250, 31, 0, 80, IAC, 240]))
        client._writer.write(b"\x1b[C\x1b[3~\xc3\xa9cho \xff\xff\xfe\x00\x07ok\r\n")
        answer = await client.until("PC1> $")
        assert 'Bad command: "écho ' in answer
        assert (await client.ask("echo two")).strip() == "two"


async def test_a_slow_client_is_dropped_and_holds_up_nobody(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        slow = socket.socket()
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", (await bench.node("R1")).console))
        try:
            for _ in range(30):
                client.send("?" * 400 + "\r")
                await client.until("R1#\r\n")
                await asyncio.sleep(0)
            await client.ask("show clock")
            assert await asyncio.to_thread(_cut_off, slow)
        finally:
            slow.close()


def _cut_off(connection: socket.socket) -> bool:
    connection.settimeout(2)
    try:
        while connection.recv(1 << 20):
            pass
    except ConnectionResetError:
        pass
    return True


async def test_a_client_that_leaves_does_not_stop_the_command(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.host()
        client.send("sleep 1\r")
        await client.until("sleep 1\r\n")
        await client.close()
        other = await bench.connect("PC1")
        await other.until("PC1> $", within=3)


async def test_a_long_line_is_bounded(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.host()
        client.send("echo " + "x" * 5000 + "\r")
        await client.until("PC1> $")
        assert len(bench.log("PC1")[-1].split("\t")[1]) == 254


async def test_power_off_ends_a_running_command(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client: Client = await bench.router()
        client.send("ping 10.9.9.9\r")
        await client.until("seconds:")
        port = (await bench.node("R1")).console
        async with asyncio.timeout(1):
            await bench.stop("R1")
        assert await client.closed()
        await bench.start("R1")
        assert (await bench.node("R1")).console == port
        again = await bench.connect("R1")
        await again.until("Press RETURN")
