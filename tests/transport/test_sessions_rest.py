"""The REST routes of conversations: listing, paging, renaming, pinning, history page by page."""

from __future__ import annotations

import base64
from datetime import datetime, timedelta

import pytest
from kit.conversation import Json
from kit.scripted_llm import TOPOLOGY, ScriptedLlm, call, say
from kit.server import Reply, User
from kit.socket import Socket

FIELDS = {
    "id", "thread_id", "session_id", "user_id", "project_id", "title", "message_count", "llm_calls_count",
    "input_tokens", "output_tokens", "total_tokens", "last_message_at", "created_at", "updated_at", "metadata",
    "stats", "pinned", "status",
}  # fmt: skip


@pytest.fixture
async def five(socket: Socket) -> list[str]:
    """Five conversations, oldest first."""
    names = [f"s{number}" for number in range(5)]
    for name in names:
        await socket.turn("Hello", session_id=name)
    return names


async def page(me: User, limit: int, cursor: str | None = None) -> Reply:
    return await me.chat("GET", f"/sessions?limit={limit}" + (f"&cursor={cursor}" if cursor else ""))


def names(sessions: list[Json]) -> list[str]:
    return [session["session_id"] for session in sessions]


class TestOneSession:
    async def test_has_the_seeds_fields_and_more(self, me: User, socket: Socket) -> None:
        await socket.turn("Hello", session_id="s")
        session = await me.session("s")
        assert session.keys() >= FIELDS
        assert (session["session_id"], session["thread_id"], session["user_id"]) == ("s", "s", "local")
        assert (session["project_id"], session["status"], session["pinned"]) == (me.project_id, "idle", False)

    async def test_times_are_utc(self, me: User, socket: Socket) -> None:
        await socket.turn("Hello", session_id="s")
        session = await me.session("s")
        for name in ("created_at", "updated_at", "last_message_at"):
            assert datetime.fromisoformat(session[name]).utcoffset() == timedelta(0)

    async def test_a_session_gets_an_id_when_it_is_given_none(self, me: User, socket: Socket) -> None:
        turn = await socket.turn("Hello")
        assert (await me.session(turn.session_id))["message_count"] == 2

    async def test_unknown_is_404_everywhere(self, me: User) -> None:
        for method, path, body in (
            ("GET", "", None),
            ("GET", "/history", None),
            ("PATCH", "", {"title": "x"}),
            ("DELETE", "", None),
            ("PUT", "/pin", None),
            ("DELETE", "/pin", None),
            ("POST", "/stop", None),
        ):
            assert (await me.chat(method, f"/sessions/nobody{path}", body)).status == 404


class TestListing:
    async def test_newest_first(self, me: User, five: list[str]) -> None:
        assert names(await me.got("/sessions")) == five[::-1]

    async def test_pinned_before_all(self, me: User, five: list[str]) -> None:
        before = await me.session("s1")
        pinned = await me.chat("PUT", "/sessions/s1/pin")
        assert pinned.json == {**before, "pinned": True}
        assert names(await me.got("/sessions")) == ["s1", "s4", "s3", "s2", "s0"]
        unpinned = await me.chat("DELETE", "/sessions/s1/pin")
        assert unpinned.json == before
        assert names(await me.got("/sessions")) == five[::-1]

    async def test_page_by_page_each_once(self, me: User, five: list[str]) -> None:
        await me.chat("PUT", "/sessions/s2/pin")
        found, cursor = [], None
        while True:
            answer = await page(me, 2, cursor)
            found += names(answer.json)
            cursor = answer.headers.get("X-Next-Cursor")
            if cursor is None:
                break
            assert len(answer.json) == 2
        assert found == ["s2", "s4", "s3", "s1", "s0"]

    async def test_what_happens_meanwhile_loses_nothing(self, me: User, five: list[str], socket: Socket) -> None:
        first = await page(me, 2)
        await socket.turn("Hello", session_id="new")
        second = await page(me, 10, first.headers["X-Next-Cursor"])
        assert names(first.json) + names(second.json) == five[::-1]

    async def test_exactly_full_has_no_next(self, me: User, five: list[str]) -> None:
        assert "X-Next-Cursor" not in (await page(me, 5)).headers

    @pytest.mark.parametrize(
        "query", ["limit=0", "limit=-1", "limit=x", "limit=1001", "cursor=x", "cursor=W10", "more=1"]
    )
    async def test_a_wrong_query_is_422(self, me: User, query: str) -> None:
        answer = await me.chat("GET", f"/sessions?{query}")
        assert (answer.status, answer.code) == (422, "invalid_argument")


class TestRenaming:
    async def test_is_told_to_all(self, me: User, socket: Socket) -> None:
        await socket.turn("Hello", session_id="s")
        answer = await me.chat("PATCH", "/sessions/s", {"title": "  My lab  "})
        assert answer.json["title"] == "My lab"
        await socket.frame("session_updated", session=answer.json)

    @pytest.mark.parametrize("title", ["", "   ", "x" * 256, 5, None])
    async def test_a_wrong_title_is_422(self, me: User, socket: Socket, title: object) -> None:
        await socket.turn("Hello", session_id="s")
        answer = await me.chat("PATCH", "/sessions/s", {"title": title})
        assert (answer.status, answer.code) == (422, "invalid_argument")


class TestHistoryPages:
    @pytest.fixture
    async def ids(self, llm: ScriptedLlm, me: User, socket: Socket) -> list[str]:
        """The ids of a conversation of 12 messages."""
        for _ in range(3):
            llm.answer(say(call(TOPOLOGY, {})), say("Done."))
            await socket.turn("Look", session_id="s")
        return [message["id"] for message in await me.messages("s")]

    async def test_whole(self, me: User, ids: list[str]) -> None:
        whole = await me.conversation("s")
        assert (len(ids), whole["has_more"], whole["llm_calls"]) == (12, False, 6)
        assert (whole["thread_id"], whole["title"]) == ("s", "New Conversation")

    @pytest.mark.parametrize("size", [1, 5, 6, 12])
    async def test_backwards_each_message_once(self, me: User, ids: list[str], size: int) -> None:
        found: list[str] = []
        more = True
        while more:
            query = {"limit": size, **({"before": found[0]} if found else {})}
            part = await me.conversation("s", **query)
            found = [message["id"] for message in part["messages"]] + found
            more = part["has_more"]
        assert found == ids

    async def test_before_an_unknown_message_is_404(self, me: User, ids: list[str]) -> None:
        assert (await me.chat("GET", "/sessions/s/history?before=nobody")).status == 404


async def test_a_forged_cursor_with_half_a_character_finds_what_it_finds(me: User) -> None:
    cursor = base64.urlsafe_b64encode(b'[0, "\\ud800", 1]').decode().rstrip("=")
    assert (await page(me, 2, cursor)).status == 200
