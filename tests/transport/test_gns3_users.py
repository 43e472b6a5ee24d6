"""`--auth gns3`: GNS3's users log in, act with their own tokens, and see what GNS3 lets them see."""

from __future__ import annotations

import asyncio
from http.cookies import SimpleCookie

import jwt
import pytest
from kit.gns3 import PASSWORD, ScriptedGns3, refuse, user_id_of
from kit.scripted_llm import Gate, ScriptedLlm, call, say
from kit.server import Server, Start, User
from kit.waiting import eventually

from copilot_ws.labs.gns3 import api
from copilot_ws.transport import auth, gns3_users


@pytest.fixture
async def server(start_on_gns3: Start) -> Server:
    return await start_on_gns3(auth="gns3", gns3_user="", gns3_password="")


@pytest.fixture
def me(server: Server) -> User:
    return server.user("alice")


@pytest.fixture
def bob(server: Server) -> User:
    return server.user("bob")


class TestLogin:
    @pytest.mark.parametrize("shape", ["json", "form"])
    async def test_is_gns3s(self, me: User, shape: str) -> None:
        given = {"username": "alice", "password": PASSWORD}
        options = {"json": given} if shape == "json" else {"data": given}
        answer = await me.but(token=None).rest("POST", "/v3/access/users/login", **options)
        assert answer.status == 200
        token = answer.json["access_token"]
        assert answer.json["token_type"] == "bearer"
        assert SimpleCookie(answer.headers["Set-Cookie"])["copilot_token"].value == token
        assert (await me.but(token=token).chat("GET", "/sessions")).status == 200

    async def test_a_wrong_password(self, me: User) -> None:
        given = {"username": "alice", "password": "guessed"}
        answer = await me.but(token=None).rest("POST", "/v3/access/users/authenticate", given)
        assert (answer.status, answer.json["message"]) == (401, "GNS3: Authentication was unsuccessful.")
        assert "Set-Cookie" not in answer.headers

    @pytest.mark.parametrize("given", [{}, {"username": "alice"}, {"password": "x"}, {"username": 5, "password": "x"}])
    async def test_that_lacks_something(self, me: User, given: dict[str, str]) -> None:
        assert (await me.but(token=None).rest("POST", "/v3/access/users/authenticate", given)).status == 400

    @pytest.mark.parametrize("kind", ["multipart/form-data", "multipart/form-data; boundary=x"])
    async def test_in_a_form_that_is_none(self, me: User, kind: str) -> None:
        given = {"data": b"--y no form", "headers": {"Content-Type": kind}}
        answer = await me.but(token=None).rest("POST", "/v3/access/users/login", **given)
        assert (answer.status, answer.code) == (400, "bad_request")

    async def test_in_a_form_that_is_no_text(self, me: User) -> None:
        given = {"data": b"\xff\xfe", "headers": {"Content-Type": "application/x-www-form-urlencoded"}}
        answer = await me.but(token=None).rest("POST", "/v3/access/users/login", **given)
        assert (answer.status, answer.code) == (400, "bad_request")

    async def test_a_page_learns_what_to_ask_for(self, me: User) -> None:
        assert (await me.but(token=None).rest("GET", "/healthz")).json["auth"] == "gns3"

    async def test_who_am_i(self, me: User) -> None:
        answer = (await me.rest("GET", "/v3/access/users/me")).json
        assert answer == {"username": "alice", "user_id": user_id_of("alice"), "is_active": True}
        async with me.socket() as socket:
            assert socket.hello["user_id"] == user_id_of("alice")


class TestTokens:
    async def test_are_asked_about_once_a_minute(self, gns3: ScriptedGns3, me: User) -> None:
        for _ in range(3):
            await me.chat("GET", "/sessions")
        assert len([a for a in gns3.of("GET", "/v3/access/users/me") if a.user == "alice"]) <= 2  # one is the watch's

    async def test_that_gns3_refuses(self, gns3: ScriptedGns3, me: User) -> None:
        assert (await me.but(token="x.y.z").chat("GET", "/sessions")).status == 401
        assert (await me.but(token=gns3.token("alice", seconds=-5)).chat("GET", "/sessions")).status == 401
        endless = jwt.encode({"sub": "alice", "exp": 10**400}, "guessed" * 5)
        assert (await me.but(token=endless).chat("GET", "/sessions")).status == 401

    async def test_while_gns3_is_away(self, gns3: ScriptedGns3, me: User) -> None:
        await gns3.go_away()
        answer = await me.but(token=gns3.token("carol")).chat("GET", "/sessions")
        assert (answer.status, answer.code) == (502, "lab_error")

    async def test_that_gns3_has_much_to_say_about(self, gns3: ScriptedGns3, me: User) -> None:
        """More than fits into a close frame."""
        gns3.faults["/v3/access/users/me"] = refuse(500, "é" * 500)
        async with me.but(token=None).socket() as socket:
            await socket.send({"type": "hello", "token": gns3.token("carol")})
            assert await socket.closed() == 1011

    async def test_that_expires_closes_its_sockets(self, gns3: ScriptedGns3, me: User) -> None:
        async with me.but(token=gns3.token("alice", seconds=3)).socket() as socket:
            assert (await socket.frame("error"))["code"] == "token_expired"
            assert await socket.closed() == 4401

    async def test_of_a_user_who_was_barred_closes_too(
        self, gns3: ScriptedGns3, me: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(auth, "CHECK_SECONDS", 0.1)
        monkeypatch.setattr(gns3_users, "KEPT_SECONDS", 0.1)
        alice = me.but(token=gns3.token("alice", seconds=3000))
        async with alice.socket() as socket, alice.sse("GET", "/events") as stream:
            gns3.banned.add("alice")
            assert await socket.closed() == 4401
            await stream.rest()
            assert [event["code"] for event in stream.unnumbered] == ["token_expired"]

    async def test_a_socket_outlives_an_outage_of_gns3(
        self, gns3: ScriptedGns3, me: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(auth, "CHECK_SECONDS", 0.05)
        monkeypatch.setattr(gns3_users, "KEPT_SECONDS", 0.05)
        async with me.but(token=gns3.token("alice", seconds=3000)).socket() as socket:
            await gns3.go_away()
            await asyncio.sleep(0.3)
            await gns3.come_back()
            assert await socket.command("ping") == {}

    async def test_in_the_first_frame(self, gns3: ScriptedGns3, me: User) -> None:
        async with me.but(token=None).socket() as socket:
            await socket.send({"type": "hello", "token": gns3.token("alice")})
            assert (await socket.frame("hello"))["user_id"] == user_id_of("alice")

    async def test_a_run_without_any_ends_and_keeps_its_results(
        self, gns3: ScriptedGns3, llm: ScriptedLlm, me: User
    ) -> None:
        llm.answer(say(call("gns3_topology_reader", {}), gate := Gate()), say("never"))
        async with me.but(token=gns3.token("dave", seconds=1.5)).socket() as socket:
            await socket.chat("Go", session_id="s")
            await gate.reached()
            assert await socket.closed() == 4401
        gate.open()
        await asyncio.sleep(0.5)  # while nobody is there
        dave = me.but(token=gns3.token("dave"))
        session = await dave.idle("s")
        assert session["message_count"] == 3
        assert (await dave.messages("s"))[-1]["role"] == "tool"
        assert len(llm.turns) == 1


class TestEachForThemselves:
    async def test_gns3_is_asked_with_the_callers_own_token(
        self, gns3: ScriptedGns3, llm: ScriptedLlm, me: User, bob: User
    ) -> None:
        path = f"/v3/projects/{me.project_id}/nodes"
        for user in (me, bob):
            await user.rest("GET", path)
        assert [asked.user for asked in gns3.of("GET", path)] == ["alice", "bob"]
        llm.answer(say(call("gns3_topology_reader", {})), say("Done."))
        async with bob.socket() as socket:
            await socket.turn("Look")
        assert {asked.user for asked in gns3.of("GET", path)[2:]} <= {"bob", "alice"}
        assert [asked.user for asked in gns3.of("GET", path)].count("bob") >= 3

    async def test_no_access_there_no_chat_here(self, gns3: ScriptedGns3, me: User, bob: User) -> None:
        gns3.project.hidden_from.add("bob")
        for path in ("/sessions", "/sessions/x", "/sessions/x/history", "/sessions/x/hitl-status"):
            assert (await bob.chat("GET", path)).code == "not_found"
        assert (await bob.rest("GET", f"/v3/projects/{me.project_id}")).status == 404
        assert (await bob.rest("GET", "/v3/projects")).json == []
        assert (await me.chat("GET", "/sessions")).status == 200

    async def test_access_that_is_taken_away_ends_within_10_s_also_on_an_open_socket(
        self, gns3: ScriptedGns3, bob: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert api.ACCESS_SECONDS <= 10
        monkeypatch.setattr(api, "ACCESS_SECONDS", 0.05)
        async with bob.socket() as socket:
            await socket.command("sessions.list")
            gns3.project.hidden_from.add("bob")
            await asyncio.sleep(0.1)
            answer = await socket.begin("sessions.list")
            assert (await socket.frame("result", id=answer))["error"]["code"] == "not_found"

    async def test_what_gns3_forbids(self, gns3: ScriptedGns3, me: User) -> None:
        gns3.faults[f"/v3/projects/{me.project_id}/close"] = refuse(403, "Permission denied")
        answer = await me.rest("POST", f"/v3/projects/{me.project_id}/close")
        assert (answer.status, answer.code) == (403, "forbidden")
        assert (await me.chat("GET", "/sessions")).status == 200

    async def test_a_project_is_followed_with_whoever_may(self, gns3: ScriptedGns3, me: User, bob: User) -> None:
        for user in (me, bob):
            await user.chat("GET", "/sessions")
        await gns3.listened_to(gns3.project)
        gns3.banned.add("bob")
        await gns3.go_away()
        await gns3.come_back()
        await gns3.listened_to(gns3.project)

    async def test_while_gns3_is_away_nothing_is_shown(self, gns3: ScriptedGns3, me: User) -> None:
        await me.chat("GET", "/sessions")
        await gns3.go_away()
        gns3.asked.clear()
        await eventually(lambda: _code(me, "lab_error"), "the kept answer is too old")


async def _code(user: User, code: str) -> bool:
    answer = await user.chat("GET", "/sessions")
    return answer.status != 200 and answer.code == code
