"""Tokens, cookies and origins: who may speak to the server, and from which page."""

from __future__ import annotations

import re
import uuid
from http.cookies import SimpleCookie
from typing import Any

import aiohttp
import pytest
from kit.server import Start, User
from kit.socket import Socket

FOREIGN = "http://evil.example"


@pytest.fixture
def stranger(me: User) -> User:
    return me.but(token=None)


def cookie(me: User, origin: str | None = None) -> dict[str, str]:
    headers = {"Cookie": f"copilot_token={me.token}"}
    return headers if origin is None else {**headers, "Origin": origin}


async def upgrade_status(user: User, **options: Any) -> int:
    """101 if the socket opens, else the refusal."""
    try:
        async with user.socket(**options) as socket:
            await socket.frame("hello")
    except aiohttp.WSServerHandshakeError as refused:
        return refused.status
    return 101


class TestTokens:
    async def test_in_the_query(self, me: User, stranger: User) -> None:
        assert (await stranger.chat("GET", f"/sessions?token={me.token}")).status == 200

    async def test_in_a_cookie(self, me: User, stranger: User) -> None:
        assert (await stranger.chat("GET", "/sessions", headers=cookie(me))).status == 200

    @pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Bearer wrong", "Basic abc", "Bearer \xff"])
    async def test_that_are_none(self, stranger: User, header: str) -> None:
        assert (await stranger.chat("GET", "/sessions", headers={"Authorization": header})).status == 401

    @pytest.mark.parametrize("path", ["/healthz", "/"])
    async def test_are_not_needed_for_the_page(self, stranger: User, path: str) -> None:
        assert (await stranger.rest("GET", path)).status == 200

    async def test_what_to_log_in_with_is_no_secret(self, stranger: User) -> None:
        assert (await stranger.rest("GET", "/healthz")).json["auth"] == "local"

    @pytest.mark.parametrize(
        "path", ["/v3/projects", "/v3/access/users/me", "/v3/projects/x/chat/sessions", "/v3/nothing", "/healthz/x"]
    )
    async def test_are_needed_for_all_else(self, stranger: User, path: str) -> None:
        assert (await stranger.rest("GET", path)).status == 401


class TestLogin:
    async def test_opening_the_page_with_a_token_sets_a_cookie(self, me: User, stranger: User) -> None:
        answer = await stranger.rest("GET", f"/?token={me.token}&project=x")
        assert (answer.status, answer.headers["Location"]) == (303, "/?project=x")
        (morsel,) = SimpleCookie(answer.headers["Set-Cookie"]).values()
        assert (morsel.key, morsel.value) == ("copilot_token", me.token)
        assert (morsel["httponly"], morsel["samesite"].lower()) == (True, "strict")

    async def test_a_wrong_token_sets_none(self, stranger: User) -> None:
        assert "Set-Cookie" not in (await stranger.rest("GET", "/?token=wrong")).headers

    async def test_the_password_field_takes_a_token(self, me: User, stranger: User) -> None:
        path = "/v3/access/users/authenticate"
        answer = await stranger.rest("POST", path, {"username": "local", "password": me.token})
        assert answer.json == {"access_token": me.token, "token_type": "bearer"}
        assert "copilot_token" in answer.headers["Set-Cookie"]

    async def test_as_a_form(self, me: User, stranger: User) -> None:
        form = {"username": "local", "password": me.token}
        assert (await stranger.rest("POST", "/v3/access/users/login", data=form)).status == 200

    @pytest.mark.parametrize(("origin", "set_"), [(None, True), ("own", True), (FOREIGN, False), ("null", False)])
    async def test_a_foreign_page_logs_no_browser_in(
        self, me: User, stranger: User, origin: str | None, set_: bool
    ) -> None:
        headers = {"Origin": me.url if origin == "own" else origin} if origin else {}
        form = {"username": "local", "password": me.token}
        answer = await stranger.rest("POST", "/v3/access/users/login", data=form, headers=headers)
        assert (answer.status, "Set-Cookie" in answer.headers) == (200, set_)

    @pytest.mark.parametrize(("password", "status"), [("wrong", 401), ("", 400), (5, 400)])
    async def test_a_wrong_password(self, stranger: User, password: Any, status: int) -> None:
        answer = await stranger.rest("POST", "/v3/access/users/authenticate", {"password": password})
        assert (answer.status, "Set-Cookie" in answer.headers) == (status, False)


class TestLogout:
    PATH = "/v3/access/users/logout"

    async def test_takes_the_cookie_away(self, me: User, stranger: User) -> None:
        answer = await stranger.rest("POST", self.PATH, headers=cookie(me, me.url))
        (morsel,) = SimpleCookie(answer.headers["Set-Cookie"]).values()
        assert (answer.status, morsel.key, morsel.value, morsel["max-age"]) == (204, "copilot_token", "", "0")
        assert (morsel["path"], morsel["httponly"], morsel["samesite"].lower()) == ("/", True, "strict")

    async def test_works_with_a_token_that_has_ended(self, me: User, stranger: User) -> None:
        headers = {"Cookie": "copilot_token=old", "Origin": me.url}
        assert (await stranger.rest("POST", self.PATH, headers=headers)).status == 204

    async def test_leaves_the_token_to_other_clients(self, me: User, stranger: User) -> None:
        await stranger.rest("POST", self.PATH, headers=cookie(me, me.url))
        assert (await me.rest("GET", "/v3/access/users/me")).status == 200

    @pytest.mark.parametrize("origin", [None, FOREIGN, "null"])
    async def test_is_for_our_own_page(self, me: User, stranger: User, origin: str | None) -> None:
        answer = await stranger.rest("POST", self.PATH, headers=cookie(me, origin))
        assert (answer.status, "Set-Cookie" in answer.headers) == (403, False)


class TestOrigins:
    """A foreign page's requests carry our cookie, but say where they come from."""

    @pytest.mark.parametrize(
        ("origin", "status"), [(None, 403), (FOREIGN, 403), ("null", 403), ("http://", 403), ("own", 201)]
    )
    async def test_a_change_by_cookie_needs_an_allowed_one(
        self, me: User, stranger: User, origin: str | None, status: int
    ) -> None:
        headers = cookie(me, me.url if origin == "own" else origin)
        assert (await stranger.rest("POST", "/v3/projects", {"name": "x"}, headers=headers)).status == status

    async def test_reading_by_cookie_does_not(self, me: User, stranger: User) -> None:
        assert (await stranger.rest("GET", "/v3/projects", headers=cookie(me))).status == 200

    async def test_a_change_by_header_does_not(self, me: User) -> None:
        assert (await me.rest("POST", "/v3/projects", {"name": "x"}, headers={"Origin": FOREIGN})).status == 201

    @pytest.mark.parametrize(("origin", "status"), [(None, 403), (FOREIGN, 403), ("null", 403), ("own", 101)])
    async def test_a_socket_by_cookie(self, me: User, stranger: User, origin: str | None, status: int) -> None:
        headers = cookie(me, me.url if origin == "own" else origin)
        assert await upgrade_status(stranger, headers=headers) == status

    async def test_every_browser_socket_needs_an_allowed_one(self, me: User) -> None:
        assert await upgrade_status(me, headers={"Origin": FOREIGN}) == 403
        assert await upgrade_status(me, headers={"Origin": me.url}) == 101

    async def test_more_can_be_allowed(self, start: Start) -> None:
        me = (await start(allowed_origins="http://one.example, http://two.example/")).user()
        assert await upgrade_status(me, headers={"Origin": "http://two.example"}) == 101
        assert await upgrade_status(me, headers={"Origin": FOREIGN}) == 403


class TestPaths:
    @pytest.mark.parametrize(
        "project",
        [
            "..",
            "%2e%2e",
            "..%2f..",
            "%2e%2e%2f%2e%2e%2fetc",
            "demo",
            "%00",
            "x" * 3000,
            "%ff%fe",
            "a%5c..%5cb",
            "00000000-0000-0000-0000-000000000000",
            "{UPPER}",
            "{id}%2f..%2f{id}",
            "{id}%00",
        ],
    )
    async def test_of_no_project_are_404(self, me: User, project: str) -> None:
        project = project.format(id=me.project_id, UPPER=uuid.uuid4().hex.upper())
        for path in (f"/v3/projects/{project}", f"/v3/projects/{project}/chat/sessions"):
            answer = await me.rest("GET", path)
            assert answer.status in (400, 404), path
            assert answer.json["code"] in ("not_found", "bad_request")

    @pytest.mark.parametrize("session", ["..", "%2e%2e%2fx", "%00", "a%2fb", "x" * 65, "%F0%9F%99%82", "a%20b"])
    async def test_of_no_session(self, me: User, session: str) -> None:
        for method, route in (("GET", ""), ("GET", "/history"), ("DELETE", ""), ("POST", "/stop"), ("PUT", "/pin")):
            answer = await me.chat(method, f"/sessions/{session}{route}")
            assert answer.status in (404, 405, 422), (method, route)

    @pytest.mark.parametrize(
        "path",
        ["/static/../copilot_ws/app.py", "/static/%2e%2e/pyproject.toml", "/static/..%2fpyproject.toml", "/static/"],
    )
    async def test_out_of_the_page_lead_nowhere(self, me: User, path: str) -> None:
        answer = await me.rest("GET", path)
        assert answer.status in (403, 404)
        assert "hatchling" not in answer.text

    async def test_an_error_shows_no_path_and_no_traceback(self, me: User, socket: Socket) -> None:
        for method, path, body in (
            ("GET", "/v3/nothing", None),
            ("PUT", "/v3/projects", None),
            ("POST", "/v3/projects", ["no", "map"]),
            ("GET", f"{me.chat_path('/sessions')}?limit=x", None),
            ("GET", f"{me.chat_path('/sessions')}?cursor=x", None),
            ("POST", me.chat_path("/stream"), {"message": 5}),
        ):
            answer = await me.rest(method, path, body)
            assert 400 <= answer.status < 500
            assert not re.search(r"Traceback|/tmp/|/home/|\.py\b", answer.text)
            assert answer.code

    async def test_a_body_that_is_too_large_is_413(self, start: Start) -> None:
        me = (await start(max_frame=2048)).user()
        answer = await me.chat("POST", "/stream", {"message": "x" * 3000})
        assert (answer.status, answer.code) == (413, "too_large")

    @pytest.mark.parametrize("data", [b"{", b"\xff", b"[]", b"5", b'{"message": NaN}'])
    async def test_a_body_that_is_no_json_object_is_400(self, me: User, data: bytes) -> None:
        answer = await me.chat("POST", "/stream", data=data)
        assert (answer.status, answer.code) == (400, "bad_request")


async def test_refusals_come_in_order(me: User) -> None:
    unknown = me.but(project_id=str(uuid.uuid4()))
    assert (await unknown.but(token="wrong").chat("GET", "/sessions/x")).status == 401
    assert (await unknown.chat("GET", "/sessions/x")).status == 404
    await me.rest("POST", f"/v3/projects/{me.project_id}/close")
    for method, path in (("GET", "/sessions"), ("GET", "/sessions/x"), ("DELETE", "/sessions/x"), ("POST", "/stream")):
        assert (await me.chat(method, path)).status == 403
