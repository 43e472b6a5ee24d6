"""Searching conversations: by title and by what was said in them, literally, whatever the script."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from kit.conversation import Json
from kit.database import rows, tables
from kit.hitl import results
from kit.scripted_llm import ScriptedLlm, say, show
from kit.server import Server, Start, User
from kit.socket import Refused, Socket
from yarl import URL


async def search(me: User, query: str, **more: object) -> list[str]:
    """The ids of what is found."""
    found = await me.got(str(URL("/sessions").with_query({"q": query, **more})))
    return [session["session_id"] for session in found]


@pytest.fixture
async def talks(llm: ScriptedLlm, socket: Socket) -> None:
    """Conversations named after where the heron is."""
    llm.answer(say("No bird."), say("A heron stands there."), say(show("R1", "show version")), say("Looked."))
    await socket.turn("Where is the heron?", session_id="asked")
    await socket.turn("What is there?", session_id="answered")
    await socket.turn("Look", session_id="looked")
    await socket.turn("Nothing", session_id="titled")
    await socket.command("sessions.rename", session_id="titled", title="The heron")
    await socket.turn("Nothing", session_id="other")


async def test_finds_titles_questions_and_answers_newest_first(talks: None, me: User) -> None:
    assert await search(me, "heron") == ["titled", "answered", "asked"]
    assert await search(me, "HERON") == ["titled", "answered", "asked"]
    assert await search(me, "the heron?") == ["asked"]
    assert await search(me, "egret") == []


async def test_finds_what_devices_said(talks: None, me: User) -> None:
    (result,) = (await results(me, "looked")).values()
    assert "uptime" in result["content"]
    assert await search(me, "uptime") == ["looked"]


async def test_finds_a_session_by_its_present_title(talks: None, socket: Socket, me: User) -> None:
    await socket.command("sessions.rename", session_id="titled", title="The stork")
    assert await search(me, "stork") == ["titled"]
    assert "titled" not in await search(me, "heron")


async def test_a_pinned_one_comes_first(talks: None, me: User) -> None:
    await me.chat("PUT", "/sessions/asked/pin")
    assert await search(me, "heron") == ["asked", "titled", "answered"]


@pytest.mark.parametrize("query", ["", "  "])
async def test_a_blank_query_finds_all(talks: None, me: User, query: str) -> None:
    assert len(await search(me, query)) == 5


@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("Straße", "STRASSE"),
        ("ÉCOLE", "école"),
        ("e\u0301cole", "École"),
        ("Привет", "ПРИВЕТ"),
        ("检查路由协议", "路"),
        ("检查路由协议", "路由"),
        ("检查路由协议", "由协议"),
        ("ルーター", "ター"),
        ("🛰️ up", "🛰️"),
        ("before\0after", "after"),
        ('say "hi"', '"hi"'),
    ],
)
async def test_scripts_and_cases(me: User, socket: Socket, said: str, query: str) -> None:
    await socket.turn(said, session_id="s")
    assert await search(me, query) == ["s"]
    await socket.command("sessions.rename", session_id="s", title="x")
    await socket.command("sessions.rename", session_id="s", title=said)
    assert await search(me, query) == ["s"]


@pytest.mark.parametrize("wild", ["%", "_", "\\", "100%", "a_b", "c:\\d", "%%", "*", "[a]"])
async def test_a_wildcard_stands_for_itself(me: User, socket: Socket, wild: str) -> None:
    await socket.turn("1000 axb c:d", session_id="without")
    assert await search(me, wild) == []
    await socket.turn(f"it is {wild} here", session_id="with")
    assert await search(me, wild) == ["with"]


async def test_page_by_page_each_once(me: User, socket: Socket) -> None:
    for number in range(5):
        await socket.turn("heron" if number % 2 == 0 else "stork", session_id=f"s{number}")
    first = await me.chat("GET", "/sessions?q=heron&limit=2")
    assert [session["session_id"] for session in first.json] == ["s4", "s2"]
    rest = await me.chat("GET", f"/sessions?q=heron&limit=2&cursor={first.headers['X-Next-Cursor']}")
    assert [session["session_id"] for session in rest.json] == ["s0"]
    assert "X-Next-Cursor" not in rest.headers


async def test_by_the_socket(talks: None, socket: Socket) -> None:
    first = await socket.command("sessions.list", q="heron", limit=2)
    rest = await socket.command("sessions.list", q="heron", limit=2, cursor=first["next_cursor"])
    found: list[Json] = [*first["sessions"], *rest["sessions"]]
    assert [session["session_id"] for session in found] == ["titled", "answered", "asked"]
    assert rest["next_cursor"] is None
    with pytest.raises(Refused, match="invalid_argument"):
        await socket.command("sessions.list", q="x" * 201)


async def test_a_query_that_is_too_long_is_422(me: User) -> None:
    assert (await me.chat("GET", f"/sessions?q={'x' * 201}")).status == 422


async def test_what_belongs_to_others_is_not_found(start: Start) -> None:
    server = await start(auth="jwt")
    ann, bob = server.user("ann"), server.user("bob")
    async with ann.socket() as socket:
        await socket.turn("My heron", session_id="of-ann")
    assert await search(ann, "heron") == ["of-ann"]
    assert await search(bob, "heron") == []


async def test_other_projects_are_not_searched(me: User, socket: Socket) -> None:
    await socket.turn("A heron", session_id="here")
    made = (await me.rest("POST", "/v3/projects", {"name": "elsewhere"})).json
    await me.rest("POST", f"/v3/projects/{made['project_id']}/open")
    assert await search(me.but(project_id=made["project_id"]), "heron") == []


async def test_a_deleted_session_leaves_nothing_that_could_be_searched(
    server: Server, me: User, socket: Socket
) -> None:
    await socket.turn("zwobbelheron", session_id="s")
    assert "messages" in found_anywhere(server.database, "zwobbelheron")
    await me.chat("DELETE", "/sessions/s")
    assert await search(me, "zwobbelheron") == []
    assert found_anywhere(server.database, "zwobbelheron") == []


def found_anywhere(path: Path, text: str) -> list[str]:
    """The tables that have this text in any column."""
    found = []
    for table in tables(path):
        if any(text in str(value) for row in rows(path, f"SELECT * FROM {table}") for value in row):
            found.append(table)
    return found


async def test_what_an_older_version_kept_is_found(start: Start) -> None:
    server = await start()
    async with server.user().socket() as socket:
        await socket.turn("A HERON", session_id="s")
    path = server.database
    await server.stop()
    await asyncio.to_thread(forget_folded, path)
    assert await search((await start()).user(), "heron") == ["s"]


def forget_folded(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP INDEX idx_messages_unfolded")
        connection.execute("ALTER TABLE messages DROP COLUMN folded")
