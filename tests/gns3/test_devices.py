"""Real devices: VPCS hosts and FRRouting routers, driven by the tools as a model calls them."""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from typing import Any

import pytest
from kit.hitl import Question, arguments, ask, configure_each
from kit.real_lab import RealLab
from kit.scripted_llm import Call, ScriptedLlm, call, host, say, show
from kit.server import Server, User
from kit.socket import Socket
from kit.waiting import eventually

Json = dict[str, Any]
BOOT = 150.0


def answered(address: str, output: str) -> bool:
    """Whether the address itself has answered a ping of VPCS."""
    reply = rf"^(?:84 bytes from )?{re.escape(address)} icmp_seq=\d+ ttl=\d+ time=[\d.]+ ms$"
    return re.search(reply, output, re.MULTILINE) is not None


async def result(llm: ScriptedLlm, socket: Socket, made: Call, seconds: float = 60) -> Json:
    """What comes of a call that needs no person."""
    llm.answer(say(made))
    turn = await socket.end_of(await socket.chat("Do it"), seconds)
    return {"status": turn.results[made.id]["status"], **json.loads(turn.results[made.id]["tool_output"])}


async def confirmed(question: Question, *, dangerous: bool = False) -> Json:
    """The result of the one call of a prompt, after a yes."""
    (made,) = question.pending
    await question.confirm(acknowledge_dangerous=dangerous)
    turn = await question.socket.end_of(question.sent, 90)
    return {"status": turn.results[made]["status"], **json.loads(turn.results[made]["tool_output"])}


@pytest.fixture
async def routers(lab: RealLab, llm: ScriptedLlm, socket: Socket) -> list[str]:
    """R1 and R2, booted."""
    names = [name for name in ("R1", "R2") if name in await lab.nodes()]
    if not names:
        pytest.skip("the lab runs without routers")
    started = await result(llm, socket, call("start_gns3_node", {"node_ids": names}), BOOT)
    assert [found["ready"] for found in started["results"]] == [True, True], started
    return names


class TestVpcs:
    async def test_reading_and_changing(self, llm: ScriptedLlm, socket: Socket) -> None:
        read = await result(llm, socket, host("PC1", "show ip"))
        assert "NAME        : PC1[1]" in read["results"][0]["output"]
        question = await ask(llm, socket, host("PC1", "ip 10.9.1.1/24 10.9.1.254", "show ip"))
        changed = await confirmed(question)
        assert changed["status"] == "success"
        assert "10.9.1.1/24" in changed["results"][0]["output"]

    async def test_a_host_command_is_never_sent(self, lab: RealLab, llm: ScriptedLlm, socket: Socket) -> None:
        refused = await result(llm, socket, host("PC1", "!touch /tmp/was-here"))
        assert refused["status"] == "error"
        assert "never sent" in refused["error"]

    async def test_a_ping_that_nobody_answers(self, llm: ScriptedLlm, socket: Socket) -> None:
        question = await ask(llm, socket, host("PC1", "ip 10.9.1.1/24"))
        await confirmed(question)
        read = await result(llm, socket, host("PC1", "ping 10.9.1.77 -c 2"))
        assert read["status"] == "success"
        assert "not reachable" in read["results"][0]["output"]


class TestRouters:
    async def test_reading(self, llm: ScriptedLlm, socket: Socket, routers: list[str]) -> None:
        read = await result(llm, socket, show("R1", "show version", "show interface brief"))
        assert "FRRouting" in read["results"][0]["output"]
        assert "eth1" in read["results"][0]["output"]

    async def test_what_a_router_refuses_ends_its_part(
        self, llm: ScriptedLlm, socket: Socket, routers: list[str]
    ) -> None:
        lines = {"R1": ["interface eth1", "no such line", "description never"], "R2": ["interface eth1"]}
        changed = await confirmed(await ask(llm, socket, configure_each(lines)), dangerous=True)
        one, other = changed["results"]
        assert (one["status"], other["status"]) == ("partial_success", "success")
        assert "refused 'no such line'" in one["error"]
        assert "Not sent: description never" in one["error"]

    async def test_a_conversation_gives_addresses_and_ospf(
        self, lab: RealLab, llm: ScriptedLlm, socket: Socket, me: User, routers: list[str]
    ) -> None:
        session_id = uuid.uuid4().hex
        addresses = {
            "R1": ["interface eth0", "ip address 10.0.1.1/24", "exit", "interface eth1", "ip address 10.0.12.1/30"],
            "R2": ["interface eth1", "ip address 10.0.12.2/30", "exit", "interface lo", "ip address 2.2.2.2/32"],
        }
        question = await ask(llm, socket, configure_each(addresses), session_id=session_id)
        (pending,) = (await question.status())["pending_tools"]
        assert pending["danger_level"] in ("medium", "high")
        assert "ip address 10.0.12.1/30" in (pending["preview"] or "")
        changed = await confirmed(question, dangerous=pending["danger_level"] == "high")
        assert [entry["status"] for entry in changed["results"]] == ["success", "success"], changed
        ospf = {
            "R1": ["router ospf", "network 10.0.1.0/24 area 0", "network 10.0.12.0/30 area 0"],
            "R2": ["router ospf", "network 10.0.12.0/30 area 0", "network 2.2.2.2/32 area 0"],
        }
        changed = await confirmed(await ask(llm, socket, configure_each(ospf), session_id=session_id))
        assert [entry["status"] for entry in changed["results"]] == ["success", "success"], changed
        await confirmed(await ask(llm, socket, host("PC1", "ip 10.0.1.10/24 10.0.1.1")))

        async def reaches() -> bool:
            read = await result(llm, socket, host("PC1", "ping 2.2.2.2 -c 2"))
            return answered("2.2.2.2", read["results"][0]["output"])

        await eventually(reaches, "PC1 reaches R2's loopback over OSPF", 90)

    async def test_a_suspended_router_goes_on(
        self, lab: RealLab, llm: ScriptedLlm, socket: Socket, routers: list[str]
    ) -> None:
        suspended = await confirmed(await ask(llm, socket, call("suspend_gns3_node", {"node_ids": ["R2"]})))
        assert [found["state"] for found in suspended["results"]] == ["suspended"], suspended
        assert (await lab.node("R2"))["status"] == "suspended"
        started = await result(llm, socket, call("start_gns3_node", {"node_ids": ["R2"]}), BOOT)
        assert started["results"][0]["ready"] is True, started
        read = await result(llm, socket, show("R2", "show version"))
        assert "FRRouting" in read["results"][0]["output"]

    async def test_somebody_who_types_is_waited_for(
        self, lab: RealLab, llm: ScriptedLlm, socket: Socket, routers: list[str]
    ) -> None:
        node = await lab.node("R1")
        _, writer = await asyncio.open_connection(node["console_host"], node["console"])
        try:
            made = show("R1", *["show version"] * 20)
            llm.answer(say(made))
            sent = await socket.chat("Do it")
            await socket.frame("tool_progress", device_name="R1", done=2)
            writer.write(b"show clo")
            waits = "somebody types on the console of R1: waiting until they are done"
            await socket.frame("tool_progress", seconds=30, message=waits)
            turn = await socket.end_of(sent, 60)
        finally:
            writer.close()
        assert turn.results[made.id]["status"] == "success"
        assert turn.results[made.id]["tool_output"].count("Copyright 1996") == 20


class TestBuilding:
    async def test_nodes_and_links_from_nothing(self, llm: ScriptedLlm, server: Server, project: User) -> None:
        async with project.socket() as socket:
            wanted = [
                {"template": "VPCS", "name": "Alice"},
                {"template": "vpcs", "name": "Bob", "x": 200},
                {"template": "Ethernet switch"},
                {"template": "no such thing"},
                {"template": "VPCS", "name": "Eve"},
                {"template": "VPCS", "name": "Mallory"},
            ]
            made = await result(llm, socket, call("create_gns3_node", {"nodes": wanted}))
            assert [found["status"] for found in made["results"]] == [*["success"] * 3, "failed", *["success"] * 2]
            nodes = (await result(llm, socket, call("gns3_topology_reader", {})))["nodes"]
            assert {"Alice", "Bob"} <= {found["name"] for found in nodes}
            (switch,) = [found["name"] for found in nodes if found["node_type"] == "ethernet_switch"]
            links = [
                {"node_a": "Alice", "port_a": "eth0", "node_b": switch, "port_b": "e0"},
                {"node_a": "Bob", "port_a": "Ethernet0", "node_b": switch, "port_b": "1"},
                {"node_a": "Bob", "port_a": "e0", "node_b": switch, "port_b": "e2"},
                {"node_a": "Eve", "port_a": "e0", "node_b": "Mallory", "port_b": "e0"},
            ]
            linked = await result(llm, socket, call("create_gns3_link", {"links": links}))
            assert [found["status"] for found in linked["results"]] == ["success", "success", "failed", "success"]
            assert "linked already" in linked["results"][2]["error"]
            names = ["Alice", "Bob", switch, "Carol"]
            started = await result(llm, socket, call("start_gns3_node", {"node_ids": names}))
            assert [found.get("ready") for found in started["results"]] == [True, True, None, None]
            assert started["results"][3]["status"] == "failed"
            await self.talk(llm, socket)
            await self.put_away(llm, socket)

    @staticmethod
    async def talk(llm: ScriptedLlm, socket: Socket) -> None:
        addresses = {"Alice": "10.5.0.1", "Bob": "10.5.0.2"}
        lines = [{"device_name": name, "commands": [f"ip {address}/24"]} for name, address in addresses.items()]
        await confirmed(await ask(llm, socket, call("execute_vpcs_commands", {"device_configs": lines})))
        read = await result(llm, socket, host("Alice", "ping 10.5.0.2 -c 1"))
        assert answered("10.5.0.2", read["results"][0]["output"])

    @staticmethod
    async def put_away(llm: ScriptedLlm, socket: Socket) -> None:
        renaming = call("update_gns3_node_name", {"nodes": [{"node_id": "Bob", "name": "Robert"}]})
        refused = await result(llm, socket, renaming)
        assert "powered on" in refused["results"][0]["error"]
        stopped = await confirmed(await ask(llm, socket, call("stop_gns3_node", {"node_ids": ["Alice", "Bob"]})))
        assert [found["state"] for found in stopped["results"]] == ["stopped", "stopped"]
        renamed = await result(llm, socket, call(renaming.name, arguments(renaming)))
        assert renamed["results"][0]["was"] == "Bob"
        topology = await result(llm, socket, call("gns3_topology_reader", {}))
        ends = [{end["node"]: end["port"] for end in link["endpoints"]} for link in topology["links"]]
        assert any(end.get("Robert") == "e0" for end in ends)
        deleting = call("delete_gns3_link", {"links": [{"node_a": "Mallory", "node_b": "Eve"}]})
        deleted = await confirmed(await ask(llm, socket, deleting), dangerous=True)
        assert deleted["status"] == "success", deleted
        deleting = call("delete_gns3_node", {"node_ids": ["Eve", "Mallory"]})
        deleted = await confirmed(await ask(llm, socket, deleting), dangerous=True)
        assert deleted["status"] == "success", deleted
        left = (await result(llm, socket, call("gns3_topology_reader", {})))["nodes"]
        assert {"Eve", "Mallory"}.isdisjoint(found["name"] for found in left)
