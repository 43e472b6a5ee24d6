"""Deleting a conversation: it stops, every row goes, its id is gone for good, and nothing is heard of it again."""

from __future__ import annotations

import asyncio

import pytest
from kit.database import tables_with_thread, written_by_another
from kit.scripted_llm import TOPOLOGY, Gate, ScriptedLlm, call, say, sleep
from kit.server import Server, Start, User
from kit.socket import Refused, Socket
from kit.waiting import eventually

SESSION = "doomed"


async def delete(me: User) -> None:
    answer = await me.chat("DELETE", f"/sessions/{SESSION}")
    assert (answer.status, answer.text) == (204, "")


async def assert_gone(server: Server, socket: Socket) -> None:
    assert tables_with_thread(server.database, SESSION) == {}
    events = [event for event in socket.events if event.get("session_id") == SESSION]
    assert [event["type"] for event in events].index("session_deleted") == len(events) - 1
    me = server.user()
    assert (await me.chat("GET", f"/sessions/{SESSION}")).status == 404
    assert (await me.chat("GET", f"/sessions/{SESSION}/history")).status == 404
    assert (await me.chat("DELETE", f"/sessions/{SESSION}")).status == 404
    with pytest.raises(Refused, match="not_found"):
        await socket.chat("Hello again", session_id=SESSION)


async def test_an_idle_one(llm: ScriptedLlm, server: Server, me: User, socket: Socket) -> None:
    llm.answer(say(call(TOPOLOGY, {})), say("Done."))
    await socket.turn("Look", session_id=SESSION)
    assert {"chat_sessions", "messages", "runs"} <= tables_with_thread(server.database, SESSION).keys()
    await delete(me)
    await assert_gone(server, socket)


async def test_while_it_streams(llm: ScriptedLlm, server: Server, me: User, socket: Socket) -> None:
    llm.answer(say("Some text", gate := Gate(), "never said"))
    await socket.chat("Go", session_id=SESSION)
    await gate.reached()
    await delete(me)
    await llm.disconnected()
    await assert_gone(server, socket)


async def test_while_a_tool_runs(llm: ScriptedLlm, server: Server, me: User, socket: Socket) -> None:
    llm.answer(say(asked := sleep(60)))
    await socket.chat("Go", session_id=SESSION)
    await socket.frame("tool_start", tool_call_id=asked.id)
    await delete(me)
    await assert_gone(server, socket)


async def test_with_messages_waiting(llm: ScriptedLlm, server: Server, me: User, socket: Socket) -> None:
    llm.answer(say(gate := Gate()))
    await socket.chat("one", session_id=SESSION)
    await gate.reached()
    await socket.chat("two", session_id=SESSION, on_busy="enqueue")
    await delete(me)
    await assert_gone(server, socket)
    assert len(llm.turns) == 1


async def test_while_its_title_hangs(llm: ScriptedLlm, start: Start) -> None:
    server = await start(title="llm")
    me = server.user()
    async with me.socket() as socket:
        llm.title = say(gate := Gate(), "Late")
        await socket.turn("Go", session_id=SESSION)
        await gate.reached()
        await delete(me)
        await assert_gone(server, socket)


async def test_while_its_end_is_written(llm: ScriptedLlm, start: Start, caplog: pytest.LogCaptureFixture) -> None:
    """The run has completed before the deletion reaches it: no title is made any more."""
    server = await start(title="llm")
    me = server.user()
    async with me.socket() as socket:
        llm.answer(say("Hi.", gate := Gate()))
        await socket.chat("Go", session_id=SESSION)
        await gate.reached()
        async with written_by_another(server.database):
            gate.open()
            await socket.frame("usage", session_id=SESSION)
            deleting = asyncio.create_task(delete(me))
            await me.session(SESSION)
        await deleting
        await assert_gone(server, socket)
        assert (await socket.turn("Elsewhere")).outcome == "completed"
    assert "failed" not in caplog.text


async def test_by_the_socket(server: Server, socket: Socket) -> None:
    await socket.turn("Go", session_id=SESSION)
    assert await socket.command("sessions.delete", session_id=SESSION) == {}
    await assert_gone(server, socket)


async def test_ends_its_stream(llm: ScriptedLlm, me: User) -> None:
    llm.answer(say("Some text", gate := Gate()))
    async with me.sse("POST", "/stream", {"message": "Go", "session_id": SESSION}) as stream:
        await gate.reached()
        await delete(me)
        last = (await stream.rest())[-1]
        assert (last["type"], last["outcome"]) == ("done", "stopped")


async def test_its_id_stays_gone_over_a_restart(server: Server, socket: Socket, start: Start) -> None:
    await socket.turn("Go", session_id=SESSION)
    await delete(server.user())
    await server.stop()
    restarted = await start()
    async with restarted.user().socket() as socket:
        with pytest.raises(Refused, match="not_found"):
            await socket.chat("Hello again", session_id=SESSION)


async def test_others_stay(server: Server, me: User, socket: Socket) -> None:
    await socket.turn("Go", session_id=SESSION)
    await socket.turn("Stay", session_id="stays")
    await delete(me)
    assert [message["content"] for message in await me.messages("stays")] == ["Stay", "You said: Stay"]
    assert tables_with_thread(server.database, "stays")


async def test_frees_the_users_run(llm: ScriptedLlm, start: Start) -> None:
    me = (await start(max_runs_per_user=1)).user()
    async with me.socket() as socket:
        llm.answer(say(gate := Gate()))
        await socket.chat("Go", session_id=SESSION)
        await gate.reached()
        await delete(me)
        assert (await socket.turn("Next")).outcome == "completed"
        await eventually(lambda: llm.disconnects == 1, "the model call is cancelled")
