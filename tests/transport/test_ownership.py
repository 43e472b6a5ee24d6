"""What belongs to another user does not exist: on every route, in every frame, in every event."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest
from kit.scripted_llm import Gate, ScriptedLlm, say
from kit.server import Server, Start, User, jwt_token
from kit.socket import Refused

SESSION = "of-ann"


@pytest.fixture
async def server(start: Start) -> Server:
    return await start(auth="jwt")


@pytest.fixture
def ann(server: Server) -> User:
    return server.user("ann")


@pytest.fixture
def bob(server: Server) -> User:
    return server.user("bob")


@pytest.fixture
async def ann_talks(llm: ScriptedLlm, ann: User) -> Gate:
    """Ann's session is in the middle of a run."""
    llm.answer(say("Secret", gate := Gate()))
    async with ann.socket() as socket:
        await socket.chat("My secret", session_id=SESSION)
        await gate.reached()
    return gate


ROUTES: list[tuple[str, str, Any]] = [
    ("GET", "", None),
    ("GET", "/history", None),
    ("GET", "/stream", None),
    ("GET", "/export", None),
    ("PATCH", "", {"title": "Stolen"}),
    ("DELETE", "", None),
    ("PUT", "/pin", None),
    ("DELETE", "/pin", None),
    ("POST", "/abort", None),
    ("POST", "/stop", None),
    ("POST", "/limits", {"max_tool_calls": 5}),
    ("GET", "/hitl-status", None),
    ("GET", "/hitl/history", None),
    ("POST", "/hitl/confirm", {"confirm_all": True}),
    ("POST", "/hitl/reject", {"reject_all": True}),
    ("POST", "/hitl/modify", {"tool_call_id": "x", "modified_args": {}}),
]
COMMANDS: list[tuple[str, dict[str, Any]]] = [
    ("chat.send", {"message": "Hello"}),
    ("chat.send", {"message": "Hello", "on_busy": "enqueue"}),
    ("chat.send", {"message": "Hello", "on_busy": "interrupt"}),
    ("chat.stop", {}),
    ("run.limits", {"max_tool_calls": 5}),
    ("sessions.get", {}),
    ("sessions.history", {}),
    ("sessions.rename", {"title": "Stolen"}),
    ("sessions.pin", {}),
    ("sessions.unpin", {}),
    ("sessions.delete", {}),
    ("hitl.status", {}),
    ("hitl.history", {}),
    ("hitl.confirm", {"confirm_all": True}),
    ("hitl.reject", {"reject_all": True}),
    ("hitl.modify", {"tool_call_id": "x", "modified_args": {}}),
]


@pytest.mark.usefixtures("ann_talks")
@pytest.mark.parametrize("prefix", ["/v3/projects", "/v3/copilot/projects"])
async def test_no_route_shows_or_changes_it(ann: User, bob: User, prefix: str) -> None:
    before = await ann.session(SESSION)
    for method, route, body in ROUTES:
        path = f"{prefix}/{bob.project_id}/chat/sessions/{SESSION}{route}"
        answer = await bob.rest(method, path, body)
        assert (answer.status, answer.code) == (404, "not_found"), (method, path)
    answer = await bob.rest("POST", f"{prefix}/{bob.project_id}/chat/stream", {"message": "Hi", "session_id": SESSION})
    assert answer.status == 404
    assert await ann.session(SESSION) == before


@pytest.mark.usefixtures("ann_talks")
async def test_no_frame_shows_or_changes_it(ann: User, bob: User) -> None:
    before = await ann.session(SESSION)
    async with bob.socket() as socket:
        assert socket.hello["runs"] == []
        for kind, arguments in COMMANDS:
            with pytest.raises(Refused) as refused:
                await socket.command(kind, session_id=SESSION, **arguments)
            assert refused.value.code == "not_found", kind
    assert await ann.session(SESSION) == before


async def test_no_event_of_it_is_seen(ann_talks: Gate, ann: User, bob: User) -> None:
    async with ann.socket() as own, bob.socket() as other:
        ann_talks.open()
        await own.frame("done")
        turn = await other.turn("Hello", session_id="of-bob")
        assert {event["session_id"] for event in other.events} == {"of-bob"}
        assert [event["seq"] for event in other.events] == list(range(1, len(other.events) + 1))
        assert turn.outcome == "completed"


@pytest.mark.usefixtures("ann_talks")
async def test_what_waits_behind_it_is_not_told(ann: User, bob: User) -> None:
    async with ann.socket() as own:
        await own.chat("Another secret", session_id=SESSION, on_busy="enqueue")
    async with bob.socket() as socket:
        assert socket.hello["runs"] == []


@pytest.mark.usefixtures("ann_talks")
async def test_its_runs_are_not_undone(ann: User, bob: User) -> None:
    async with ann.socket() as own:
        (run,) = own.hello["runs"]
    answer = await bob.chat("POST", f"/runs/{run['run_id']}/undo")
    assert (answer.status, answer.code) == (404, "not_found")
    async with bob.socket() as socket:
        with pytest.raises(Refused, match="not_found"):
            await socket.command("run.undo", run_id=run["run_id"])


@pytest.mark.usefixtures("ann_talks")
async def test_each_lists_ones_own(ann: User, bob: User) -> None:
    assert [session["session_id"] for session in await ann.got("/sessions")] == [SESSION]
    assert await bob.got("/sessions") == []


@pytest.mark.usefixtures("ann_talks")
async def test_a_feed_is_each_users_own(ann: User, bob: User) -> None:
    async with ann.socket() as own:
        place = f"{own.hello['epoch']}:0"
    async with bob.socket(resume=place) as other:
        assert other.hello["recovered"] is False


class TestTokens:
    @pytest.mark.parametrize(
        "token",
        [
            "",
            "rubbish",
            jwt_token("ann", seconds=-1),
            jwt_token("ann", secret="another-secret-that-is-also-long-enough"),
            jwt_token(""),
            jwt_token("x" * 256),
            "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJzdWIiOiJhbm4iLCJleHAiOjk5OTk5OTk5OTl9.",
        ],
        ids=["empty", "rubbish", "expired", "another key", "no user", "endless user", "unsigned"],
    )
    async def test_that_are_not_valid_are_401(self, ann: User, token: str) -> None:
        answer = await ann.but(token=token).chat("GET", "/sessions")
        assert (answer.status, answer.code) == (401, "unauthorized")
        assert answer.headers["WWW-Authenticate"] == "Bearer"
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            async with ann.but(token=token).socket():
                pass
        assert refused.value.status == 401

    async def test_no_token_is_401(self, ann: User) -> None:
        assert (await ann.but(token=None).chat("GET", "/sessions")).status == 401

    async def test_one_that_expires_closes_its_socket_and_the_run_goes_on(
        self, llm: ScriptedLlm, server: Server, ann: User
    ) -> None:
        short = ann.but(token=jwt_token("ann", seconds=1.2))
        llm.answer(say("First. ", gate := Gate(), "Last."))
        async with short.socket() as socket:
            sent = await socket.chat("Go")
            await gate.reached()
            error = await socket.frame("error")
            assert (error["code"], "seq" in error) == ("token_expired", False)
            assert await socket.closed() == 4401
        gate.open()
        await ann.idle(sent["session_id"])
        assert (await ann.messages(sent["session_id"]))[-1]["content"] == "First. Last."
        assert (await short.chat("GET", "/sessions")).status == 401

    async def test_who_am_i(self, ann: User) -> None:
        assert (await ann.rest("GET", "/v3/access/users/me")).json["user_id"] == "ann"

    async def test_the_name_of_the_local_user_is_nobodys(self, ann: User) -> None:
        assert (await ann.but(token=jwt_token("local")).chat("GET", "/sessions")).status == 401


class TestProjectsOfOthers:
    async def test_only_the_creator_closes_or_deletes_one(self, ann: User, bob: User) -> None:
        made = (await ann.rest("POST", "/v3/projects", {"name": "of ann"})).json["project_id"]
        assert (await bob.rest("GET", f"/v3/projects/{made}")).status == 200
        for method, path in (("POST", f"/v3/projects/{made}/close"), ("DELETE", f"/v3/projects/{made}")):
            assert (await bob.rest(method, path)).status == 403
        assert (await ann.rest("DELETE", f"/v3/projects/{made}")).status == 204

    async def test_the_demo_is_nobodys_to_close(self, ann: User) -> None:
        assert (await ann.rest("POST", f"/v3/projects/{ann.project_id}/close")).status == 403
        assert (await ann.rest("DELETE", f"/v3/projects/{ann.project_id}")).status == 403
