"""Closing and deleting a project while it is in use."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from kit.conversation import assert_valid
from kit.hitl import ask, describe
from kit.scripted_llm import Gate, ScriptedLlm, say, sleep
from kit.server import Server, Start, User
from kit.socket import Refused, Socket

ANSWER_403 = (403, "project_not_opened")


@pytest.fixture
async def busy(llm: ScriptedLlm, socket: Socket) -> Socket:
    """A socket whose project runs a tool and streams an answer."""
    llm.answer(say(asked := sleep(60)), say("Some text", gate := Gate()))
    await socket.chat("Sleep", session_id="tool")
    await socket.frame("tool_start", tool_call_id=asked.id)
    await socket.chat("Talk", session_id="text")
    await gate.reached()
    return socket


async def test_closing_ends_runs_and_sockets(me: User, llm: ScriptedLlm, busy: Socket) -> None:
    closed = await me.rest("POST", f"/v3/projects/{me.project_id}/close")
    assert (closed.status, closed.json["status"]) == (200, "closed")
    assert await busy.closed() == 4403
    await llm.disconnected()
    refused = await me.chat("GET", "/sessions")
    assert (refused.status, refused.code) == ANSWER_403
    assert refused.json["message"] == "Project must be opened. Current status: closed"


async def test_reopened_it_has_whole_histories(me: User, busy: Socket) -> None:
    await me.rest("POST", f"/v3/projects/{me.project_id}/close")
    await me.rest("POST", f"/v3/projects/{me.project_id}/open")
    assert [message["role"] for message in await me.messages("tool")] == ["user", "assistant", "tool"]
    assert [message["content"] for message in await me.messages("text")] == ["Talk", "Some text"]
    for session_id in ("tool", "text"):
        assert_valid(await me.messages(session_id))
        assert (await me.session(session_id))["status"] == "idle"
    async with me.socket() as socket:
        assert (await socket.turn("Go on", session_id="tool")).outcome == "completed"


async def test_deleting_ends_everything_and_removes_its_files(server: Server, me: User, busy: Socket) -> None:
    deleted = await me.rest("DELETE", f"/v3/projects/{me.project_id}")
    assert deleted.status == 204
    assert await busy.closed() == 4403
    assert not server.database.exists()
    assert not Path(server.project["path"]).exists()
    assert (await me.chat("GET", "/sessions")).status == 404
    assert (await me.rest("GET", f"/v3/projects/{me.project_id}")).status == 404


async def test_a_closed_project_refuses_the_upgrade(me: User) -> None:
    await me.rest("POST", f"/v3/projects/{me.project_id}/close")
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    refused = await me.chat("GET", "/ws", headers={**upgrade, "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="})
    assert (refused.status, refused.code) == ANSWER_403


async def test_closing_again_and_again_while_others_ask(me: User) -> None:
    async def ask() -> None:
        for _ in range(20):
            assert (await me.chat("GET", "/sessions")).status in (200, 403, 503)

    async def toggle() -> None:
        for action in ("close", "open") * 5:
            answer = await me.rest("POST", f"/v3/projects/{me.project_id}/{action}")
            assert answer.status == 200
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(ask())
        group.create_task(toggle())
    assert (await me.chat("GET", "/sessions")).status == 200


async def test_a_project_of_ones_own(me: User) -> None:
    made = await me.rest("POST", "/v3/projects", {"name": "mine"})
    assert made.status == 201
    mine = me.but(project_id=made.json["project_id"])
    if made.json["status"] != "opened":
        await me.rest("POST", f"/v3/projects/{mine.project_id}/open")
    async with mine.socket() as socket, me.socket() as elsewhere:
        assert socket.hello["project"]["name"] == "mine"
        turn = await socket.turn("Hello", session_id="only-here")
        assert turn.outcome == "completed"
        assert (await me.chat("GET", "/sessions/only-here")).status == 404
        assert elsewhere.events == []
        with pytest.raises(Refused, match="not_found"):
            await elsewhere.command("sessions.get", session_id="only-here")


async def test_the_embedded_lab_takes_no_snapshots(me: User) -> None:
    answer = await me.rest("POST", f"/v3/projects/{me.project_id}/snapshots", {"name": "before"})
    assert (answer.status, answer.code) == (409, "conflict")
    assert (await me.rest("POST", "/v3/projects/unknown/snapshots", {"name": "before"})).status == 404


async def test_a_copied_project_does_not_take_up_the_runs_of_the_other(
    llm: ScriptedLlm, server: Server, me: User, socket: Socket, start: Start
) -> None:
    """GNS3 copies a project with all its files: what waits for a person waits in one of them."""
    question = await ask(llm, socket, describe("R1", "once"))
    copy = (await me.rest("POST", "/v3/projects", {"name": "copy"})).json
    await server.stop()
    folder = Path(server.project["path"]) / "gns3-copilot"
    await asyncio.to_thread(shutil.copytree, folder, Path(copy["path"]) / "gns3-copilot", dirs_exist_ok=True)
    me = (await start()).user()
    async with me.socket() as here, me.but(project_id=copy["project_id"]).socket() as there:
        assert [prompt["hitl_session_id"] for prompt in here.hello["pending_hitl"]] == [question.id]
        assert there.hello["pending_hitl"] == there.hello["runs"] == []
