"""Titles: made after the first answer, never part of it, never in the way, never over a person's own."""

from __future__ import annotations

import pytest
from kit.scripted_llm import Gate, ScriptedLlm, fail, say
from kit.server import Start, User
from kit.socket import Socket
from kit.waiting import eventually


@pytest.fixture
async def me(start: Start) -> User:
    return (await start(title="llm")).user()


async def titled(me: User, session_id: str) -> str:
    async def title() -> str | None:
        found = (await me.session(session_id))["title"]
        return None if found == "New Conversation" else found

    return await eventually(title, "a title")


async def test_names_the_conversation_after_its_first_answer(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.title = say("Routing of R1")
    turn = await socket.turn("How does R1 route?")
    assert [e["session"]["title"] for e in socket.of("session_created")] == ["New Conversation"]
    assert await titled(me, turn.session_id) == "Routing of R1"
    assert socket.of("session_updated")[-1]["session"]["title"] == "Routing of R1"


async def test_is_asked_for_once(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    turn = await socket.turn("One")
    await titled(me, turn.session_id)
    await socket.turn("Two", session_id=turn.session_id)
    await socket.turn("Three", session_id=turn.session_id)
    assert len([asked for asked in llm.asked if asked.is_title]) == 1


async def test_never_shows_in_content(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.title = say("A title that must not leak")
    turn = await socket.turn("Hello")
    await titled(me, turn.session_id)
    assert "leak" not in "".join(event["content"] for event in socket.of("content"))
    assert "leak" not in str(await me.messages(turn.session_id))


async def test_a_persons_title_stays(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.title = say(gate := Gate(), "From the model")
    turn = await socket.turn("Hello")
    await gate.reached()
    renamed = await me.chat("PATCH", f"/sessions/{turn.session_id}", {"title": "Mine"})
    assert renamed.json["title"] == "Mine"
    gate.open()
    await eventually(
        lambda: socket.of("session_updated")[-1]["session"]["llm_calls_count"] == 2, "the title is counted"
    )
    assert (await me.session(turn.session_id))["title"] == "Mine"
    await socket.turn("Again", session_id=turn.session_id)
    assert (await me.session(turn.session_id))["title"] == "Mine"


async def test_does_not_make_the_session_busy(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.title = say(gate := Gate(), "Late")
    turn = await socket.turn("One")
    await gate.reached()
    assert (await me.session(turn.session_id))["status"] == "idle"
    assert (await socket.turn("Two", session_id=turn.session_id)).outcome == "completed"
    gate.open()
    assert await titled(me, turn.session_id) == "Late"


async def test_a_failed_title_is_tried_after_the_next_answer(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.title = fail(400)
    turn = await socket.turn("One")
    await eventually(lambda: any(asked.is_title for asked in llm.asked), "a title is asked for")
    llm.title = say("Second try")
    await socket.turn("Two", session_id=turn.session_id)
    assert await titled(me, turn.session_id) == "Second try"


async def test_of_nothing_is_asked_where_titles_are_off(llm: ScriptedLlm, start: Start) -> None:
    me = (await start(title="off")).user()
    async with me.socket() as socket:
        await socket.turn("Hello")
    assert [asked for asked in llm.asked if asked.is_title] == []


@pytest.mark.parametrize("said", ['"Quoted"', "# Heading", "**Bold**\n\nand an explanation"])
async def test_is_one_plain_line(llm: ScriptedLlm, me: User, socket: Socket, said: str) -> None:
    llm.title = say(said)
    turn = await socket.turn("Hello")
    assert await titled(me, turn.session_id) in ("Quoted", "Heading", "Bold")
