"""Changing a project of the embedded lab: nodes, links, their states, and what of it survives."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from test_local_kit import ME, Bench, demo

from copilot_ws.labs.base import Lab, Link, Node, Plug, TopologyChanged
from copilot_ws.labs.local import project as project_module
from copilot_ws.wire.errors import Conflict, CopilotError, InvalidArgument, LabError, NotFound, ProjectNotOpened


async def _template(bench: Bench, template_type: str) -> str:
    templates = await bench.lab.templates(ME)
    return next(each.template_id for each in templates if each.template_type == template_type)


async def _create(bench: Bench, template_type: str, name: str | None = None) -> Node:
    template_id = await _template(bench, template_type)
    return await bench.lab.create_node(ME, bench.project.project_id, template_id, name, 10, -20)


async def _link(bench: Bench, one: str, one_port: str, other: str, other_port: str) -> Link:
    ends = (
        Plug((await bench.node(one)).node_id, one_port),
        Plug((await bench.node(other)).node_id, other_port),
    )
    return await bench.lab.create_link(ME, bench.project.project_id, ends)


async def _links_of(bench: Bench, name: str) -> list[Link]:
    node = await bench.node(name)
    links = await bench.lab.links(ME, bench.project.project_id)
    return [link for link in links if any(end.node_id == node.node_id for end in link.nodes)]


async def _rename(bench: Bench, old: str, new: str) -> Node:
    return await bench.lab.rename_node(ME, bench.project.project_id, (await bench.node(old)).node_id, new)


async def _names(bench: Bench) -> list[str]:
    return [node.name for node in await bench.lab.nodes(ME, bench.project.project_id)]


def _told(bench: Bench) -> list[TopologyChanged]:
    seen: list[TopologyChanged] = []
    bench.lab.listen(lambda change: seen.append(change) if isinstance(change, TopologyChanged) else None)
    return seen


async def test_templates(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        lab: Lab = bench.lab
        templates = await lab.templates(ME)
        assert [(each.name, each.template_type, each.category, each.builtin) for each in templates] == [
            ("Router (IOS-like)", "dynamips", "router", True),
            ("VPCS", "vpcs", "guest", True),
        ]
        assert all(str(UUID(each.template_id)) == each.template_id for each in templates)
    async with demo(tmp_path / "other") as bench:
        assert await bench.lab.templates(ME) == templates


async def test_a_new_router_joins(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        seen = _told(bench)
        node = await _create(bench, "dynamips")
        assert (node.name, node.status, node.platform, node.x, node.y) == ("R3", "stopped", "ios", 10, -20)
        assert seen == [TopologyChanged(bench.project.project_id, nodes=(node,))]
        await bench.start("R3")
        client = await bench.router("R3")
        assert client.prompt == "R3#"
        link = await _link(bench, "R1", "Gi0/2", "R3", "g0/0")
        assert [end.label.text for end in link.nodes] == ["Gi0/2", "Gi0/0"]
        assert seen[-1] == TopologyChanged(bench.project.project_id, links=(link,))
        await client.configure("int g0/0", "ip address 10.0.13.3 255.255.255.0", "no shutdown")
        await (await bench.router("R1")).configure("int g0/2", "ip address 10.0.13.1 255.255.255.0", "no shutdown")
        assert "!!!!!" in await client.ask("ping 10.0.13.1")
        await bench.lab.delete_link(ME, bench.project.project_id, link.link_id)
        assert seen[-1] == TopologyChanged(bench.project.project_id, gone=(link.link_id,))
        assert "down                  down" in await client.ask("show ip interface brief | include 0/0")
        assert [change.nodes[0].status for change in seen if change.nodes] == ["stopped", "started"]


async def test_a_new_host(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        assert (await _create(bench, "vpcs")).name == "PC3"
        await bench.start("PC3")
        text = await (await bench.host("PC3")).ask("show ip")
        assert "NAME        : PC3[1]" in text
        assert "0.0.0.0/0" in text
        macs = {(await (await bench.host(name)).ask("show ip | i MAC")).split("MAC")[1][:33] for name in ("PC1", "PC3")}
        assert len(macs) == 2


@pytest.mark.parametrize(
    ("wanted", "got"), [("Core", "Core"), ("R1", "R3"), ("r2", "r3"), ("PC1", "PC3"), ("R9", "R9"), ("9", "9")]
)
async def test_names_are_found(tmp_path: Path, wanted: str, got: str) -> None:
    async with demo(tmp_path) as bench:
        assert (await _create(bench, "dynamips", wanted)).name == got
        await bench.start(got)
        hostname = (await bench.router(got)).prompt
        assert hostname == (f"{got}#" if got[0].isalpha() else "Router#")


@pytest.mark.parametrize("name", ["", " ", "a b", "../x", "-a", ".a", "x" * 64, "a\n", "é", "CON", "nul.cfg", "a/b"])
async def test_names_are_checked(tmp_path: Path, name: str) -> None:
    async with demo(tmp_path) as bench:
        with pytest.raises(InvalidArgument) as caught:
            await _create(bench, "vpcs", name)
        assert caught.value.details == {"field": "name"}
        with pytest.raises(InvalidArgument):
            await _rename(bench, "R1", name)
        assert await _names(bench) == ["PC1", "R1", "R2", "PC2"]


async def test_nodes_created_at_once_have_different_names(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        nodes = await asyncio.gather(*(_create(bench, "dynamips", "X") for _ in range(10)))
        assert {node.name for node in nodes} == {"X", *(f"X{number}" for number in range(1, 10))}
        for node in nodes:
            await bench.start(node.name)
        routers = [await bench.router(node.name) for node in nodes]
        macs = [await router.ask("show interfaces g0/0 | include bia") for router in routers]
        assert len(set(macs)) == 10


async def test_what_is_not_there(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        lab, project_id, unknown = bench.lab, bench.project.project_id, str(uuid4())
        with pytest.raises(NotFound, match="template"):
            await lab.create_node(ME, project_id, unknown, None, 0, 0)
        for call in (lab.start_node, lab.stop_node, lab.suspend_node, lab.delete_node):
            with pytest.raises(NotFound, match="node"):
                await call(ME, project_id, unknown)
        with pytest.raises(NotFound, match="node"):
            await lab.rename_node(ME, project_id, unknown, "X")
        with pytest.raises(NotFound, match="link"):
            await lab.delete_link(ME, project_id, unknown)
        with pytest.raises(NotFound, match="node"):
            await lab.create_link(ME, project_id, (Plug(unknown, "g0/0"), Plug(unknown, "g0/1")))
        with pytest.raises(NotFound, match="project"):
            await lab.create_node(ME, unknown, unknown, None, 0, 0)


async def test_a_closed_project_does_not_change(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        lab, project_id = bench.lab, bench.project.project_id
        node_id, template_id = (await bench.node("R1")).node_id, await _template(bench, "vpcs")
        await lab.close_project(ME, project_id)
        for change in (
            lab.create_node(ME, project_id, template_id, None, 0, 0),
            lab.suspend_node(ME, project_id, node_id),
            lab.rename_node(ME, project_id, node_id, "X"),
            lab.delete_node(ME, project_id, node_id),
            lab.delete_link(ME, project_id, "any"),
        ):
            with pytest.raises(ProjectNotOpened):
                await change


@pytest.mark.parametrize(
    "port", ["Gi0/2", "gi0/2", "GigabitEthernet0/2", "gigabitethernet 0/2", "g0/2", "gig0/2", "GE0/2", "0/2", "Gig 0/2"]
)
async def test_port_names(tmp_path: Path, port: str) -> None:
    async with demo(tmp_path) as bench:
        link = await _link(bench, "R1", port, "R2", "Gi0/3")
        assert [(end.port_number, end.label.text) for end in link.nodes] == [(2, "Gi0/2"), (3, "Gi0/3")]


@pytest.mark.parametrize("port", ["e0", "E0", "eth0", "Ethernet0", "ethernet 0", "0"])
async def test_host_port_names(tmp_path: Path, port: str) -> None:
    async with demo(tmp_path) as bench:
        await _create(bench, "vpcs")
        link = await _link(bench, "PC3", port, "R2", "Gi0/3")
        assert link.nodes[0].label.text == "e0"


@pytest.mark.parametrize(
    ("one", "other", "fault", "words"),
    [
        (("R1", "Gi0/9"), ("R2", "Gi0/2"), InvalidArgument, r"R1 has no port 'Gi0/9'. Free ports: Gi0/2, Gi0/3\."),
        (("R1", "Fa0/2"), ("R2", "Gi0/2"), InvalidArgument, "R1 has no port 'Fa0/2'"),
        (("R1", ""), ("R2", "Gi0/2"), InvalidArgument, "R1 has no port ''"),
        (("R1", "x" * 999), ("R2", "Gi0/2"), InvalidArgument, "x{40}'"),
        (("R1", "Gi0/2"), ("R2", "Gi0/1"), Conflict, r"Gi0/1 of R2 is linked already. Free ports: Gi0/2, Gi0/3\."),
        (("R1", "Gi0/2"), ("PC1", "e0"), Conflict, "e0 of PC1 is linked already. It has no free port."),
        (("R1", "Gi0/2"), ("R1", "Gi0/3"), Conflict, "itself"),
        (("R1", "Gi0/2"), ("R1", "Gi0/2"), Conflict, "itself"),
    ],
)
async def test_links_that_cannot_be(
    tmp_path: Path, one: tuple[str, str], other: tuple[str, str], fault: type[CopilotError], words: str
) -> None:
    async with demo(tmp_path) as bench:
        seen = _told(bench)
        with pytest.raises(fault, match=words):
            await _link(bench, *one, *other)
        assert len(await bench.lab.links(ME, bench.project.project_id)) == 3
        assert seen == []


async def test_a_port_is_linked_once(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        linking = (_link(bench, "R1", "Gi0/2", "R2", "Gi0/2") for _ in range(5))
        results = await asyncio.gather(*linking, return_exceptions=True)
        assert sum(isinstance(result, Conflict) for result in results) == 4


async def test_deleting_a_node(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        seen, node, links = _told(bench), await bench.node("R2"), await _links_of(bench, "R2")
        client = await bench.router("R2")
        await bench.lab.delete_node(ME, bench.project.project_id, node.node_id)
        assert await client.closed()
        assert await _names(bench) == ["PC1", "R1", "PC2"]
        assert len(await bench.lab.links(ME, bench.project.project_id)) == 1
        assert set(seen[-1].gone) == {node.node_id, *(link.link_id for link in links)}
        assert not list((Path(bench.project.path) / "devices").glob("R2.*"))
        assert "down                  down" in await (await bench.router()).ask("sh ip int br | i 0/1")
        assert (await _create(bench, "dynamips")).name == "R2"
        await bench.start("R2")
        assert "10.0.2.1" not in await (await bench.router("R2")).ask("show run")
    async with demo(tmp_path) as bench:
        assert await _names(bench) == ["PC1", "R1", "PC2", "R2"]


async def test_suspended(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        seen, client, host = _told(bench), await bench.router(), await bench.host()
        await client.configure("interface lo9", "description unsaved")
        port = (await bench.node("R1")).console
        await bench.suspend("R1")
        assert await client.closed()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", port)
        assert (await bench.node("R1")).status == "suspended"
        assert "host (10.0.1.1) not reachable" in await host.ask("ping 10.0.2.10 -c 1")
        await bench.suspend("R1")
        await bench.start("R1")
        assert (await bench.node("R1")).console == port
        client = await bench.router()
        assert "unsaved" in await client.ask("show running-config")
        assert "84 bytes" in await host.ask("ping 10.0.2.10 -c 1")
        assert [change.nodes[0].status for change in seen] == ["suspended", "started"]
        await bench.suspend("R1")
        await bench.stop("R1")
        assert (await bench.node("R1")).status == "stopped"
        with pytest.raises(Conflict, match="R1 is stopped"):
            await bench.suspend("R1")
        await bench.start("R1")
        assert "unsaved" not in await (await bench.router()).ask("show running-config")


async def test_a_suspended_node_goes_on_where_it_was(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        client = await bench.router()
        client.send("conf t\rinterface g0/1\rdo ping 10.9.9.9\r")
        await client.until("seconds:")
        await bench.suspend("R1")
        await bench.start("R1")
        client = await bench.connect("R1")
        client.send("\r")
        await client.until(r"R1\(config-if\)#$")


async def test_a_restart_ends_a_suspension(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        await bench.suspend("R1")
    async with demo(tmp_path) as bench:
        assert (await bench.node("R1")).status == "stopped"
        assert (await bench.node("R2")).status == "started"


async def test_starting_and_stopping_twice(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        seen, before = _told(bench), await bench.node("R1")
        await bench.start("R1")
        await bench.stop("PC2")
        await bench.stop("PC2")
        assert [(change.nodes[0].name, change.nodes[0].status) for change in seen] == [("PC2", "stopped")]
        assert await bench.node("R1") == before


async def test_suspended_while_it_reloads(tmp_path: Path) -> None:
    async with demo(tmp_path, reload_seconds=30) as bench:
        client = await bench.router()
        client.send("reload\r\r")
        assert await client.closed()
        await bench.suspend("R1")
        await bench.start("R1")
        assert "hostname R1" in await (await bench.router()).ask("show run | i hostname")


async def test_renaming(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        seen, client = _told(bench), await bench.router()
        before = len(bench.log("R1"))
        node = await _rename(bench, "R1", "Core-1")
        assert (node.name, node.status) == ("Core-1", "started")
        assert [change.nodes[0].name for change in seen] == ["Core-1"]
        await client.ask("show clock")
        assert bench.lines("Core-1") == ["show clock"]
        assert len(bench.log("R1")) == before
        await client.configure("interface g0/3", "description saved after it")
        await client.ask("write")
        devices = Path(bench.project.path) / "devices"
        assert sorted(path.stem for path in devices.iterdir()) == ["Core-1", "PC1", "PC2", "R2"]
        await bench.stop("Core-1")
        await bench.start("Core-1")
        assert "saved after it" in await (await bench.router("Core-1")).ask("show run")
    async with demo(tmp_path) as bench:
        assert await _names(bench) == ["PC1", "Core-1", "R2", "PC2"]


async def test_a_renamed_node_boots_with_its_new_name(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        for old, new in (("R2", "Edge"), ("PC1", "Alice")):
            await _rename(bench, old, new)
            await bench.stop(new)
            await bench.start(new)
        assert (await bench.router("Edge")).prompt == "Edge#"
        assert (await bench.host("Alice")).prompt.strip() == "Alice>"


async def test_names_are_unique_whatever_their_case(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        with pytest.raises(Conflict, match="in use"):
            await _rename(bench, "R1", "r2")
        assert (await _rename(bench, "R1", "R1")).name == "R1"
        assert (await _rename(bench, "R1", "r1")).name == "r1"
        assert "hostname" in next((Path(bench.project.path) / "devices").glob("r1.*")).read_text()


async def test_everything_survives_a_restart(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        await _create(bench, "dynamips", "R7")
        link = await _link(bench, "R7", "0/3", "R1", "0/3")
        await bench.start("R7")
        await _create(bench, "vpcs")
        await bench.lab.delete_link(ME, bench.project.project_id, (await _links_of(bench, "PC2"))[0].link_id)
        nodes = [node.model_dump(exclude={"console"}) for node in await bench.lab.nodes(ME, bench.project.project_id)]
        links = await bench.lab.links(ME, bench.project.project_id)
        stored = json.loads((Path(bench.project.path) / "project.json").read_text())
        assert [node["name"] for node in stored["nodes"]] == ["PC1", "R1", "R2", "PC2", "R7", "PC3"]
    async with demo(tmp_path) as bench:
        again = await bench.lab.nodes(ME, bench.project.project_id)
        assert [node.model_dump(exclude={"console"}) for node in again] == nodes
        assert await bench.lab.links(ME, bench.project.project_id) == links
        assert link in links
        assert len(links) == 3


async def test_what_cannot_be_stored_has_not_happened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with demo(tmp_path) as bench:
        await bench.stop("PC2")
        nodes, links = await bench.lab.nodes(ME, bench.project.project_id), await _links_of(bench, "R1")
        seen = _told(bench)

        def full(_folder: Path, _text: str) -> None:
            raise OSError("No space left on device")

        monkeypatch.setattr(project_module, "write_record", full)
        project_id, link_id = bench.project.project_id, links[0].link_id
        changes = (
            _create(bench, "vpcs"),
            _rename(bench, "R1", "X"),
            _link(bench, "R1", "0/2", "R2", "0/2"),
            bench.start("PC2"),
            bench.stop("R1"),
            bench.suspend("R1"),
            bench.lab.delete_link(ME, project_id, link_id),
            bench.lab.delete_node(ME, project_id, (await bench.node("R1")).node_id),
        )
        for change in changes:
            with pytest.raises(LabError):
                await change
        kept = [node.model_copy(update={"console": None}) for node in await bench.lab.nodes(ME, project_id)]
        assert kept == [node.model_copy(update={"console": None}) for node in nodes]
        assert await _links_of(bench, "R1") == links
        assert seen == []
        assert "!!!!!" in await (await bench.router()).ask("ping 10.0.12.2")


async def test_a_cancelled_caller_leaves_a_whole_change(tmp_path: Path) -> None:
    async with demo(tmp_path) as bench:
        for _ in range(5):
            for change in (bench.stop, bench.start):
                task = asyncio.ensure_future(change("R1"))
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        await bench.start("R1")
        assert "hostname R1" in await (await bench.router()).ask("show run | i hostname")
        stored = json.loads((Path(bench.project.path) / "project.json").read_text())
        assert {node["name"]: node["status"] for node in stored["nodes"]}["R1"] == "started"
