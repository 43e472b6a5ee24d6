"""Stopping a run, wherever it is: it ends at once, and its history is one that a model can go on with."""

from __future__ import annotations

import asyncio
import time

import pytest
from kit.conversation import Turn
from kit.database import written_by_another
from kit.scripted_llm import TOPOLOGY, VPCS, Gate, ScriptedLlm, call, say, sleep
from kit.server import Server, User
from kit.socket import Socket


async def stop(socket: Socket, session_id: str) -> bool:
    answer = await socket.command("chat.stop", session_id=session_id)
    assert answer.keys() == {"session_id", "stopped"}
    return bool(answer["stopped"])


async def assert_goes_on(llm: ScriptedLlm, me: User, socket: Socket, stopped: Turn) -> None:
    """What was said is still there, and the next message works."""
    before = await me.messages(stopped.session_id)
    llm.answer(say("Here I am."))
    turn = await socket.turn("Are you there?", session_id=stopped.session_id)
    assert (turn.outcome, turn.text) == ("completed", "Here I am.")
    assert (await me.messages(stopped.session_id))[: len(before)] == before


async def test_before_the_first_token(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say(gate := Gate(), "never said"))
    sent = await socket.chat("Hello")
    await gate.reached()
    assert await stop(socket, sent["session_id"])
    turn = await socket.end_of(sent)
    assert (turn.outcome, turn.text) == ("stopped", "")
    await llm.disconnected()
    assert [message["role"] for message in await me.messages(turn.session_id)] == ["user"]
    await assert_goes_on(llm, me, socket, turn)


async def test_while_its_message_is_written(llm: ScriptedLlm, server: Server, socket: Socket) -> None:
    """The stop is answered when it is kept, which is after the message."""
    await socket.turn("One", session_id="early")
    async with written_by_another(server.database):
        sending = asyncio.create_task(socket.chat("Two", session_id="early"))
        stopping = asyncio.create_task(stop(socket, "early"))
        assert await socket.command("ping") == {}
    assert await stopping
    turn = await socket.end_of(await sending)
    assert (turn.outcome, turn.text) == ("stopped", "")
    assert len(llm.turns) == 1, "no model is called for it"


async def test_in_the_middle_of_a_text(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say("It begins well", gate := Gate(), " and is never ended"))
    sent = await socket.chat("Hello")
    await gate.reached()
    await socket.frame("content", run_id=sent["run_id"])
    await stop(socket, sent["session_id"])
    turn = await socket.end_of(sent)
    assert (turn.outcome, turn.text) == ("stopped", "It begins well")
    await llm.disconnected()
    assert (await me.messages(turn.session_id))[-1]["content"] == "It begins well"
    await assert_goes_on(llm, me, socket, turn)


async def test_in_the_middle_of_streamed_arguments(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    whole = call(TOPOLOGY, {})
    broken = call(VPCS, ['{"device_configs": [', gate := Gate(), "]}"])
    llm.answer(say("I look. ", whole, broken))
    sent = await socket.chat("Look")
    await gate.reached()
    await stop(socket, sent["session_id"])
    turn = await socket.end_of(sent)
    assert turn.outcome == "stopped"
    assert {call_id: end["status"] for call_id, end in turn.results.items()} == {
        whole.id: "stopped",
        broken.id: "stopped",
    }
    assert turn.of("tool_start") == []
    await assert_goes_on(llm, me, socket, turn)


async def test_while_a_tool_runs(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    long = sleep(60)
    quick = call(TOPOLOGY, {})
    llm.answer(say(long, quick))
    sent = await socket.chat("Sleep")
    await socket.frame("tool_end", tool_call_id=quick.id)
    begun = time.monotonic()
    await stop(socket, sent["session_id"])
    turn = await socket.end_of(sent)
    assert time.monotonic() - begun < 3
    assert {call_id: end["status"] for call_id, end in turn.results.items()} == {
        long.id: "stopped",
        quick.id: "success",
    }
    assert len(llm.turns) == 1
    await assert_goes_on(llm, me, socket, turn)


async def test_frees_the_console_for_the_next_run(llm: ScriptedLlm, socket: Socket) -> None:
    llm.answer(say(asked := sleep(60)))
    sent = await socket.chat("Sleep")
    await socket.frame("tool_start", tool_call_id=asked.id)
    await stop(socket, sent["session_id"])
    await socket.end_of(sent)
    llm.answer(say(sleep(0)), say("Done."))
    turn = await socket.turn("Again")
    assert turn.statuses == ["success"]


async def test_of_an_idle_session_does_nothing(socket: Socket) -> None:
    turn = await socket.turn("Hello")
    assert await stop(socket, turn.session_id) is False


@pytest.mark.parametrize("route", ["abort", "stop"])
async def test_by_rest(llm: ScriptedLlm, me: User, socket: Socket, route: str) -> None:
    llm.answer(say(gate := Gate()))
    sent = await socket.chat("Hello")
    await gate.reached()
    answer = await me.chat("POST", f"/sessions/{sent['session_id']}/{route}")
    assert answer.json == {"status": "ok", "session_id": sent["session_id"]}
    assert (await socket.end_of(sent)).outcome == "stopped"


async def test_twice_is_once(llm: ScriptedLlm, socket: Socket) -> None:
    llm.answer(say(gate := Gate()))
    sent = await socket.chat("Hello")
    await gate.reached()
    first = await socket.begin("chat.stop", session_id=sent["session_id"])
    second = await socket.begin("chat.stop", session_id=sent["session_id"])
    await socket.result(first)
    await socket.result(second)
    turn = await socket.end_of(sent)
    assert len(turn.of("done")) == 1


async def test_right_behind_the_message_of_a_new_session(me: User, socket: Socket) -> None:
    """The message is not committed yet when the stop comes."""
    sent_id = await socket.begin("chat.send", message="Go", session_id="brand-new")
    stop_id = await socket.begin("chat.stop", session_id="brand-new")
    sent, stopped = await socket.result(sent_id), await socket.result(stop_id)
    assert stopped == {"session_id": "brand-new", "stopped": True}
    assert (await socket.end_of(sent)).outcome == "stopped"
    assert [message["role"] for message in await me.messages("brand-new")] == ["user"]
