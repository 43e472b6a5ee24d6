"""`--lab gns3` on a scripted GNS3 server: whose token is used, 3.1's fields, faults, and what is told of changes."""

from __future__ import annotations

import asyncio

import pytest
from kit.gns3 import ScriptedGns3, node, refuse, says
from kit.scripted_llm import Gate, ScriptedLlm, call, say
from kit.server import Server, Start, User, gather_all
from kit.waiting import eventually
from yarl import URL

from copilot_ws.labs.gns3 import CallersOwn, Endpoint, Gns3Http, Gns3Lab
from copilot_ws.labs.gns3.shapes import node_of
from copilot_ws.labs.gns3.watch_tokens import OfUsers


@pytest.fixture
async def server(start_on_gns3: Start) -> Server:
    return await start_on_gns3()


class TestForwarded:
    async def test_projects_nodes_and_links_as_gns3_has_them(self, gns3: ScriptedGns3, me: User) -> None:
        made = gns3.add_node("R1", "qemu", console_host="0.0.0.0", properties={"ram": 192})
        (shown,) = (await me.rest("GET", f"/v3/projects/{me.project_id}/nodes")).json
        assert {key: shown[key] for key in made if made[key] is not None} == {
            k: v for k, v in made.items() if v is not None
        }
        assert shown["platform"] == "generic"
        topology = (await me.rest("GET", f"/v3/projects/{me.project_id}/topology")).json
        assert [project["name"] for project in (await me.rest("GET", "/v3/projects")).json] == ["demo"]
        assert (topology["project"]["name"], topology["nodes"], topology["links"]) == ("demo", [shown], [])

    async def test_fields_that_3_1_adds(self, gns3: ScriptedGns3, me: User) -> None:
        gns3.add_node("R1", "qemu", tags=["vendor:cisco", "device_type:cisco_ios_telnet"], missing_images=[])
        (shown,) = (await me.rest("GET", f"/v3/projects/{me.project_id}/nodes")).json
        assert (shown["platform"], shown["tags"][0]) == ("ios", "vendor:cisco")

    async def test_a_template_tells_the_platform(self, gns3: ScriptedGns3, me: User) -> None:
        template = {"template_id": node("x")["node_id"], "name": "Alpine Linux", "template_type": "qemu"}
        gns3.templates = [template]
        gns3.add_node("A1", "qemu", template_id=template["template_id"])
        gns3.add_node("A2", "qemu", template_id=node("of a deleted one")["node_id"])
        shown = (await me.rest("GET", f"/v3/projects/{me.project_id}/nodes")).json
        assert [found["platform"] for found in shown] == ["linux", "generic"]
        await me.rest("GET", f"/v3/projects/{me.project_id}/nodes")
        assert len(gns3.of("GET", "/v3/templates")) == 1, "what is known is not asked for again"

    async def test_a_snapshot_while_no_node_runs(self, gns3: ScriptedGns3, me: User) -> None:
        made = gns3.add_node("PC1", status="started")
        path = f"/v3/projects/{me.project_id}/snapshots"
        refused = await me.rest("POST", path, {"name": "before"})
        assert (refused.status, refused.code) == (409, "conflict")
        gns3.project.nodes[made["node_id"]]["status"] = "stopped"
        taken = await me.rest("POST", path, {"name": "before"})
        assert (taken.status, taken.json["name"], taken.json["project_id"]) == (201, "before", me.project_id)

    async def test_creating_opening_and_closing(self, gns3: ScriptedGns3, me: User) -> None:
        made = await me.rest("POST", "/v3/projects", {"name": "new"})
        assert (made.status, made.json["name"], made.json["status"]) == (201, "new", "opened")
        assert gns3.of("POST", "/v3/projects")[0].body["auto_close"] is False
        new = me.but(project_id=made.json["project_id"])
        assert (await new.rest("POST", f"/v3/projects/{new.project_id}/close")).json["status"] == "closed"
        assert (await new.chat("GET", "/sessions")).code == "project_not_opened"
        assert (await new.rest("POST", f"/v3/projects/{new.project_id}/open")).json["status"] == "opened"
        assert (await new.chat("GET", "/sessions")).status == 200

    async def test_one_that_is_opened_there_can_be_used_at_once(self, gns3: ScriptedGns3, me: User) -> None:
        """Also before GNS3 has told of it."""
        gns3.project.shape["status"] = "closed"
        await gns3.tell("project.closed", gns3.project.shape)
        await eventually(lambda: self._answers(me, 403), "the project is closed")
        gns3.project.shape["status"] = "opened"
        assert (await me.chat("GET", "/sessions")).status == 200

    @staticmethod
    async def _answers(user: User, status: int) -> bool:
        return (await user.chat("GET", "/sessions")).status == status

    @pytest.mark.parametrize("project_id", ["x", "00000000-0000-4000-8000-000000000000", "..%2F..%2Fversion"])
    async def test_an_unknown_project(self, me: User, project_id: str) -> None:
        assert (await me.rest("GET", f"/v3/projects/{project_id}")).status == 404
        assert (await me.but(project_id=project_id).chat("GET", "/sessions")).status == 404

    async def test_answers_that_are_none_of_gns3s(self, gns3: ScriptedGns3, me: User) -> None:
        path = f"/v3/projects/{me.project_id}/nodes"
        for text in ('{"not": "a list"}', '[{"name": 5}]', "[1]", "no json"):
            gns3.faults[path] = says(text)
            answer = await me.rest("GET", path)
            assert (answer.status, answer.code) == (502, "lab_error")


class TestTheServersAccount:
    async def test_does_what_users_of_other_kinds_do(self, gns3: ScriptedGns3, me: User) -> None:
        await me.rest("GET", f"/v3/projects/{me.project_id}/nodes")
        assert {asked.user for asked in gns3.asked if asked.path != "/v3/access/users/authenticate"} == {"server"}

    async def test_logs_in_once(self, gns3: ScriptedGns3, me: User) -> None:
        await gather_all(*(me.rest("GET", f"/v3/projects/{me.project_id}/nodes") for _ in range(10)))
        assert len(gns3.of("POST", "/v3/access/users/authenticate")) == 1

    async def test_logs_in_again_when_its_token_is_refused(self, gns3: ScriptedGns3, me: User) -> None:
        path = f"/v3/projects/{me.project_id}/nodes"
        gns3.faults[path] = refuse(401)
        assert (await me.rest("GET", path)).code == "lab_error"
        assert len(gns3.of("POST", "/v3/access/users/authenticate")) == 2
        del gns3.faults[path]
        assert (await me.rest("GET", path)).status == 200

    async def test_with_a_wrong_password(self, gns3: ScriptedGns3, start_on_gns3: Start) -> None:
        with pytest.raises(Exception, match="502"):
            await start_on_gns3(gns3_password="wrong")


class TestAway:
    async def test_a_turn_goes_on_and_its_tools_say_so(self, gns3: ScriptedGns3, llm: ScriptedLlm, me: User) -> None:
        async with me.socket() as socket:
            llm.answer(say(call("gns3_topology_reader", {})), say("GNS3 does not answer."))
            await gns3.go_away()
            turn = await socket.turn("What is there?")
        assert turn.statuses == ["error"]
        assert "GNS3 cannot be reached" in next(iter(turn.results.values()))["tool_output"]
        assert (turn.outcome, turn.text) == ("completed", "GNS3 does not answer.")
        assert "could not be read" in llm.turns[0].messages[0]["content"]

    async def test_history_stays_readable(self, gns3: ScriptedGns3, me: User, llm: ScriptedLlm) -> None:
        async with me.socket() as socket:
            await socket.turn("Hello", session_id="s")
            await gns3.go_away()
            assert len((await socket.command("sessions.history", session_id="s"))["messages"]) == 2
        assert (await me.chat("GET", "/sessions")).status == 200

    async def test_what_changed_meanwhile_is_told_when_it_is_back(self, gns3: ScriptedGns3, me: User) -> None:
        gone, stays = gns3.add_node("PC1"), gns3.add_node("PC2")
        async with me.socket() as socket:
            await gns3.listened_to(gns3.project)
            await known(gns3)
            await gns3.go_away()
            del gns3.project.nodes[gone["node_id"]]
            stays["status"] = "started"
            await gns3.come_back()
            event = await socket.frame("topology_updated")
        assert [(found["name"], found["status"]) for found in event["nodes"]] == [("PC2", "started")]
        assert event["gone"] == [gone["node_id"]]

    async def test_a_project_that_is_closed_when_it_is_back_ends_its_runs(
        self, gns3: ScriptedGns3, llm: ScriptedLlm, me: User
    ) -> None:
        """As after a restart of GNS3."""
        llm.answer(say("I think", gate := Gate()))
        async with me.socket() as socket:
            await socket.chat("Go", session_id="s")
            await gate.reached()
            await gns3.listened_to(gns3.project)
            await gns3.go_away()
            gns3.project.shape["status"] = "closed"
            await gns3.come_back()
            assert (await socket.frame("project_updated"))["project"]["status"] == "closed"
            assert await socket.closed() == 4403
        await llm.disconnected()
        assert (await me.chat("GET", "/sessions")).code == "project_not_opened"

    async def test_what_the_socket_for_all_projects_missed_is_found_out(self, gns3: ScriptedGns3, me: User) -> None:
        """It alone broke; the project's own says nothing of a project that was closed."""
        async with me.socket() as socket:
            await gns3.listened_to(gns3.project)
            await gns3.listened_to()
            gns3.project.shape["status"] = "closed"
            for listener in gns3.listeners[None].copy():
                await listener.close()
            assert (await socket.frame("project_updated"))["project"]["status"] == "closed"
            assert await socket.closed() == 4403

    async def test_a_project_that_is_unknown_when_it_is_back_keeps_its_chats(
        self, gns3: ScriptedGns3, server: Server, me: User
    ) -> None:
        async with me.socket() as socket:
            await socket.turn("Hello", session_id="s")
            await gns3.listened_to(gns3.project)
            await gns3.go_away()
            project = gns3.projects.pop(me.project_id)
            await gns3.come_back()
            assert await socket.closed() == 4403
        gns3.projects[project.id] = project
        assert len(await me.messages("s")) == 2

    async def test_an_estimate_does_without_what_it_cannot_tell(self, gns3: ScriptedGns3, me: User) -> None:
        async with me.socket() as socket:
            gns3.faults[f"/v3/projects/{gns3.project.id}/nodes"] = refuse(500)
            turn = await socket.turn("Hello", controls={"estimate_cost_before_execution": True})
        assert turn.outcome == "completed"
        assert turn.of("run_started")[0]["estimate"]["input_tokens"] > 0

    async def test_a_start_while_it_is_away(self, gns3: ScriptedGns3, me: User, server: Server, start: Start) -> None:
        await me.chat("GET", "/sessions")
        await server.stop()
        await gns3.go_away()
        with pytest.raises(Exception, match="502"):
            await start(**server.settings.model_dump())
        await gns3.come_back()
        again = await start(**server.settings.model_dump())
        assert (await again.user().chat("GET", "/sessions")).status == 200


async def known(gns3: ScriptedGns3) -> None:
    """Returns once what is in the project has been read."""
    path = f"/v3/projects/{gns3.project.id}"
    await eventually(lambda: gns3.of("GET", f"{path}/links"), "the topology was read")
    await asyncio.sleep(0.05)


class TestTold:
    async def test_nodes_and_links_that_change(self, gns3: ScriptedGns3, me: User) -> None:
        pc1 = gns3.add_node("PC1")
        async with me.socket() as socket:
            await gns3.listened_to(gns3.project)
            await known(gns3)
            new = node("PC2", project_id=me.project_id, default_password="hush")
            await gns3.tell("node.created", new, gns3.project)
            await gns3.tell("node.updated", {**pc1, "status": "started"}, gns3.project)
            event = await socket.frame("topology_updated")
            assert [found["name"] for found in event["nodes"]] == ["PC2", "PC1"]
            assert "hush" not in str(event)
            assert "command_line" not in event["nodes"][0]
            await gns3.tell("node.deleted", pc1, gns3.project)
            assert (await socket.frame("topology_updated", 2))["gone"] == [pc1["node_id"]]

    async def test_what_is_no_change_is_not_told(self, gns3: ScriptedGns3, me: User) -> None:
        pc1 = gns3.add_node("PC1")
        async with me.socket() as socket:
            await gns3.listened_to(gns3.project)
            await known(gns3)
            await gns3.tell("node.updated", pc1, gns3.project)
            await gns3.tell("node.updated", {**pc1, "x": 5}, gns3.project)
            await socket.frame("topology_updated")
            assert [found["x"] for event in socket.of("topology_updated") for found in event["nodes"]] == [5]

    async def test_events_that_cannot_be_read_do_no_harm(self, gns3: ScriptedGns3, me: User) -> None:
        async with me.socket() as socket:
            await gns3.listened_to(gns3.project)
            await known(gns3)
            await gns3.tell("node.created", {"node_id": "x"}, gns3.project)
            await gns3.tell("project.updated", {"project_id": 7})
            await gns3.tell("surprise", {})
            await asyncio.sleep(0.2)
            await gns3.tell("node.created", node("PC2", project_id=me.project_id), gns3.project)
            assert (await socket.frame("topology_updated"))["nodes"][0]["name"] == "PC2"

    async def test_closed_in_gns3(self, gns3: ScriptedGns3, llm: ScriptedLlm, me: User) -> None:
        async with me.socket() as socket:
            await socket.turn("Hello", session_id="s")
            await gns3.listened_to()
            gns3.project.shape["status"] = "closed"
            await gns3.tell("project.closed", gns3.project.shape)
            assert (await socket.frame("project_updated"))["project"]["status"] == "closed"
            assert await socket.closed() == 4403
        assert (await me.chat("GET", "/sessions")).code == "project_not_opened"
        gns3.project.shape["status"] = "opened"
        await gns3.tell("project.opened", gns3.project.shape)
        assert len(await me.messages("s")) == 2

    async def test_deleted_in_gns3_its_chats_go_too(self, gns3: ScriptedGns3, server: Server, me: User) -> None:
        folder = server.settings.projects_dir / me.project_id
        async with me.socket() as socket:
            await socket.turn("Hello", session_id="s")
            await gns3.listened_to()
            assert (folder / "gns3-copilot").exists()
            del gns3.projects[me.project_id]
            await gns3.tell("project.deleted", {**gns3.project.shape, "status": "closed"})
            assert await socket.closed() == 4403
        await eventually(lambda: not (folder / "gns3-copilot").exists(), "the chats are removed")
        assert (await me.chat("GET", "/sessions")).status == 404

    async def test_deleted_by_us(self, gns3: ScriptedGns3, server: Server, me: User) -> None:
        folder = server.settings.projects_dir / me.project_id
        async with me.socket() as socket:
            await socket.turn("Hello", session_id="s")
            assert (await me.rest("DELETE", f"/v3/projects/{me.project_id}")).status == 204
            assert await socket.closed() == 4403
        assert gns3.projects == {}
        assert not (folder / "gns3-copilot").exists()

    async def test_a_project_in_use_is_listened_to_until_it_closes(self, gns3: ScriptedGns3, me: User) -> None:
        """`auto_close` closes a project when its last listener goes (trap 34)."""
        await me.chat("GET", "/sessions")
        await gns3.listened_to(gns3.project)
        await me.rest("POST", f"/v3/projects/{me.project_id}/close")
        await eventually(lambda: not gns3.listeners[me.project_id], "nobody listens")

    async def test_a_renamed_project(self, gns3: ScriptedGns3, me: User) -> None:
        async with me.socket() as socket:
            await gns3.listened_to()
            await gns3.tell("project.updated", {**gns3.project.shape, "name": "another"})
            assert (await socket.frame("project_updated"))["project"]["name"] == "another"
        async with me.socket() as socket:
            assert socket.hello["project"]["name"] == "another"


class TestTools:
    async def test_a_template_whose_name_gns3_drops(self, gns3: ScriptedGns3, llm: ScriptedLlm, me: User) -> None:
        gns3.templates = [
            {"template_id": node("x")["node_id"], "name": "VPCS", "template_type": "vpcs", "compute_id": None}
        ]
        wanted = [{"template": "vpcs", "name": "Web"}, {"template": "VPCS"}]
        llm.answer(say(made := call("create_gns3_node", {"nodes": wanted})))
        async with me.socket() as socket:
            turn = await socket.turn("Create")
        assert turn.statuses == ["success"]
        assert sorted(found["name"] for found in gns3.project.nodes.values()) == ["VPCS-1", "Web"]
        posted = [asked.body for asked in gns3.asked if asked.method == "POST" and "/templates/" in asked.path]
        assert posted[0]["compute_id"] == "local"
        assert '"ports":["e0"]' in turn.results[made.id]["tool_output"]

    async def test_a_failure_in_the_middle_leaves_the_rest(
        self, gns3: ScriptedGns3, llm: ScriptedLlm, me: User
    ) -> None:
        one, two, three = (gns3.add_node(name, "qemu") for name in ("R1", "R2", "R3"))
        links = [
            {"node_a": "R1", "port_a": "eth0", "node_b": "R2", "port_b": "Ethernet0"},
            {"node_a": "R1", "port_a": "e0", "node_b": "R3", "port_b": "e0"},
            {"node_a": three["node_id"], "port_a": "e1", "node_b": "R2", "port_b": "Gi0/7"},
            {"node_a": three["node_id"], "port_a": "e1", "node_b": "R1", "port_b": "e1"},
        ]
        llm.answer(say(made := call("create_gns3_link", {"links": links})))
        async with me.socket() as socket:
            turn = await socket.turn("Link")
        output = turn.results[made.id]["tool_output"]
        assert output.count('"status":"success"') == 2
        assert "e0 of R1 is linked already. Free ports: e1." in output
        assert "R2 has no port 'Gi0/7'" in output
        ends = [
            [(end["node_id"], end["label"]["text"]) for end in link["nodes"]] for link in gns3.project.links.values()
        ]
        assert ends[0] == [(one["node_id"], "e0"), (two["node_id"], "e0")]
        assert ends[1] == [(three["node_id"], "e1"), (one["node_id"], "e1")]


@pytest.mark.parametrize(
    ("said", "reached"),
    [("10.0.0.9", "10.0.0.9"), ("0.0.0.0", "gns3.lan"), ("::", "gns3.lan"), (None, "gns3.lan"), ("::1", "::1")],
)
def test_consoles_are_where_their_node_says(said: str | None, reached: str) -> None:
    """0.0.0.0 and :: mean the controller (trap 35)."""
    http = Gns3Http(Endpoint(URL("http://gns3.lan:3080")))
    lab = Gns3Lab(http, CallersOwn(), OfUsers(), shared=False)
    shown = node_of(node("R1", "qemu", project_id="p", console_host=said), "generic")
    assert lab.console_host(shown) == reached
