"""A real GNS3 server: projects, users, and what it tells by its notifications."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from kit.real_lab import RealLab, settings, told_of
from kit.scripted_llm import Gate, ScriptedLlm, call, say
from kit.server import Server, User, http_session
from kit.waiting import eventually


async def test_its_project_nodes_and_links(lab: RealLab, me: User) -> None:
    topology = (await me.rest("GET", f"/v3/projects/{me.project_id}/topology")).json
    shown = {found["name"]: found for found in topology["nodes"]}
    assert {"PC1", "PC2", "SW1"} <= shown.keys()
    assert (shown["PC1"]["platform"], shown["PC1"]["status"]) == ("vpcs", "started")
    assert shown["PC1"]["ports"][0]["short_name"] == "e0"
    assert len(topology["links"]) >= 2
    assert topology["project"]["path"]


async def test_an_unknown_project_and_node(me: User) -> None:
    nobody = "00000000-0000-4000-8000-000000000000"
    assert (await me.rest("GET", f"/v3/projects/{nobody}")).status == 404
    assert (await me.rest("GET", f"/v3/projects/{me.project_id}/nodes/{nobody}/console-tail")).status == 404
    assert (await me.but(project_id=nobody).chat("GET", "/sessions")).status == 404


async def test_a_project_opened_closed_and_deleted_by_us(lab: RealLab, project: User) -> None:
    async with project.socket() as socket:
        await socket.turn("Hello", session_id="s")
        closed = await project.rest("POST", f"/v3/projects/{project.project_id}/close")
        assert closed.json["status"] == "closed"
        assert await socket.closed() == 4403
    assert (await project.chat("GET", "/sessions")).code == "project_not_opened"
    assert (await project.rest("POST", f"/v3/projects/{project.project_id}/open")).json["status"] == "opened"
    assert len(await project.messages("s")) == 2
    assert (await project.rest("DELETE", f"/v3/projects/{project.project_id}")).status == 204
    assert (await project.chat("GET", "/sessions")).status == 404


async def test_closed_and_deleted_in_gns3(lab: RealLab, llm: ScriptedLlm, project: User) -> None:
    path = f"/projects/{project.project_id}"
    folder = Path((await lab.api("GET", path))["path"]) / "gns3-copilot"
    async with project.socket() as socket:
        llm.answer(say("I think", gate := Gate()))
        await socket.chat("Go", session_id="s")
        await gate.reached()
        await lab.api("POST", f"{path}/close")
        assert (await socket.frame("project_updated"))["project"]["status"] == "closed"
        assert await socket.closed() == 4403
    await llm.disconnected()
    assert (await project.chat("GET", "/sessions")).code == "project_not_opened"
    await lab.api("POST", f"{path}/open", {})
    async with project.socket() as socket:
        assert [message["content"] for message in await project.messages("s")] == ["Go", "I think"]
        await lab.api("DELETE", path)
        assert await socket.closed() == 4403
    await eventually(lambda: not folder.exists(), "its chats are gone")


async def test_nodes_and_links_that_change_there_are_told(lab: RealLab, llm: ScriptedLlm, project: User) -> None:
    path = f"/projects/{project.project_id}"
    body = {"node_type": "vpcs", "compute_id": "local", "properties": {}}
    async with project.socket() as socket:
        await socket.turn("Hello", session_id="s")
        one = await lab.api("POST", f"{path}/nodes", {"name": "PC1", **body})
        two = await lab.api("POST", f"{path}/nodes", {"name": "PC2", **body})
        await told_of(socket, "PC2")
        await lab.api("PUT", f"{path}/nodes/{two['node_id']}", {"name": "Web"})
        await lab.api("POST", f"{path}/nodes/{one['node_id']}/start", {})
        await told_of(socket, "Web")
        shown = await told_of(socket, "PC1", status="started")
        assert "command_line" not in shown
        ends = [{"node_id": found["node_id"], "adapter_number": 0, "port_number": 0} for found in (one, two)]
        await lab.api("POST", f"{path}/links", {"nodes": ends})
        await eventually(lambda: any(event["links"] for event in socket.of("topology_updated")), "the link is told of")
        await lab.api("DELETE", f"{path}/nodes/{two['node_id']}")
        await eventually(
            lambda: any(two["node_id"] in event["gone"] for event in socket.of("topology_updated")), "it is gone"
        )
        await socket.turn("And now?", session_id="s")
    known = llm.turns[-1].messages[0]["content"]
    assert '"name":"PC1"' in known
    assert "Web" not in known


async def test_a_snapshot_is_taken_while_no_node_runs(lab: RealLab, project: User) -> None:
    path = f"/projects/{project.project_id}"
    node = {"name": "PC1", "node_type": "vpcs", "compute_id": "local", "properties": {}}
    made = await lab.api("POST", f"{path}/nodes", node)
    taken = await project.rest("POST", f"/v3{path}/snapshots", {"name": "before the run"})
    assert taken.status == 201, taken.text
    assert taken.json["snapshot_id"] in [known["snapshot_id"] for known in await lab.api("GET", f"{path}/snapshots")]
    await lab.api("POST", f"{path}/nodes/{made['node_id']}/start", {})
    refused = await project.rest("POST", f"/v3{path}/snapshots", {"name": "while it runs"})
    assert (refused.status, refused.code) == (409, "conflict")


async def test_a_project_in_use_is_not_closed_by_auto_close(lab: RealLab, project: User) -> None:
    """Another client listens and leaves: GNS3 would close the project 5 s later (trap 34)."""
    path = f"/projects/{project.project_id}"
    await lab.api("PUT", path, {"auto_close": True})
    async with project.socket() as socket:
        await socket.turn("Hello")
        async with http_session() as http:
            other = await http.ws_connect(f"{lab.url}/v3{path}/notifications/ws?token={lab.token}")
            await other.receive()
            await other.close()
        await asyncio.sleep(7)
        assert (await lab.api("GET", path))["status"] == "opened"
        await socket.command("ping")


class TestUsers:
    @pytest.fixture
    async def server(self, lab: RealLab, llm: ScriptedLlm, tmp_path: Path) -> AsyncIterator[Server]:
        server = await Server.start(settings(lab, llm, tmp_path, auth="gns3"), "demo-lab", lab.token)
        yield server
        await server.stop()

    @pytest.fixture
    async def student(self, lab: RealLab, server: Server) -> AsyncIterator[User]:
        """A user of GNS3's who may see nothing yet."""
        given = {"username": "student", "password": "student-password"}
        user = await lab.api("POST", "/access/users", given)
        login = await server.user(lab.token).but(token=None).rest("POST", "/v3/access/users/authenticate", given)
        yield server.user("").but(token=login.json["access_token"])
        await lab.api("DELETE", f"/access/users/{user['user_id']}")

    async def test_log_in_with_gns3s_password(self, lab: RealLab, server: Server) -> None:
        anyone = server.user("").but(token=None)
        given = {"username": lab.username, "password": lab.password}
        answer = await anyone.rest("POST", "/v3/access/users/login", data=given)
        me = anyone.but(token=answer.json["access_token"])
        assert (await me.rest("GET", "/v3/access/users/me")).json["username"] == lab.username
        assert (await me.chat("GET", "/sessions")).status == 200
        wrong = await anyone.rest("POST", "/v3/access/users/login", data={**given, "password": "guessed"})
        assert (wrong.status, wrong.code) == (401, "unauthorized")

    async def test_see_what_gns3_lets_them_see(self, lab: RealLab, server: Server, student: User) -> None:
        assert (await student.rest("GET", "/v3/projects")).json == []
        assert (await student.chat("GET", "/sessions")).status == 404
        await lab.api("POST", "/access/acl", await self.role(lab, student))
        await eventually(lambda: self.reads(student, 200), "access is given")

    @staticmethod
    async def reads(user: User, status: int) -> bool:
        return (await user.chat("GET", "/sessions")).status == status

    @staticmethod
    async def role(lab: RealLab, student: User) -> dict[str, object]:
        roles = await lab.api("GET", "/access/roles")
        (auditor,) = [role["role_id"] for role in roles if role["name"] == "Auditor"]
        user_id = (await student.rest("GET", "/v3/access/users/me")).json["user_id"]
        path = f"/projects/{lab.project_id}"
        return {"ace_type": "user", "path": path, "user_id": user_id, "role_id": auditor, "propagate": True}

    async def test_may_do_what_gns3_lets_them_do(
        self, lab: RealLab, server: Server, student: User, llm: ScriptedLlm
    ) -> None:
        await lab.api("POST", "/access/acl", await self.role(lab, student))
        await eventually(lambda: self.reads(student, 200), "access is given")
        llm.answer(say(call("gns3_topology_reader", {}), asked := call("start_gns3_node", {"node_ids": ["PC1"]})))
        async with student.socket() as socket:
            await lab.api("POST", f"/projects/{lab.project_id}/nodes/{(await lab.node('PC1'))['node_id']}/stop", {})
            turn = await socket.turn("Look, and start PC1")
        assert json.loads(turn.results[asked.id]["tool_output"])["results"][0]["status"] == "failed"
        assert "Permission denied" in turn.results[asked.id]["tool_output"]
        assert sorted(turn.statuses) == ["error", "success"]
        refused = await student.rest("POST", f"/v3/projects/{lab.project_id}/close")
        assert (refused.status, refused.code) == (403, "forbidden")
