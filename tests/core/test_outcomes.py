"""What became of a turn stands in its user's message: what a person saw as events is there after a reload."""

from __future__ import annotations

import asyncio

import pytest
from kit.conversation import Json, Turn
from kit.database import rows
from kit.hitl import describe
from kit.process import KillableServer
from kit.scripted_llm import TOPOLOGY, Call, Gate, ScriptedLlm, call, fail, say
from kit.server import Start, User
from kit.socket import Socket
from kit.waiting import eventually

SESSION = "s"


def look() -> Call:
    return call(TOPOLOGY, {})


async def story(me: User, message_id: str) -> Json:
    """The metadata of a user's message."""
    (message,) = [m for m in await me.messages(SESSION) if m["id"] == message_id]
    return message["metadata"]


def told(turn: Turn) -> list[Json]:
    """The limits that were announced, as history keeps them."""
    return [{key: event[key] for key in ("limit", "value", "message")} for event in turn.of("limit_reached")]


async def test_a_turn_that_completed(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say("Hi.", usage=(30, 3)))
    turn = await socket.turn("Hello", session_id=SESSION, client_message_id="c-1")
    assert await story(me, turn.message_id) == {
        "run_id": turn.run_id,
        "client_message_id": "c-1",
        "outcome": "completed",
        "usage": {"input_tokens": 30, "output_tokens": 3, "total_tokens": 33, "llm_calls": 1},
        "duration_ms": turn.done["duration_ms"],
    }


async def test_a_turn_that_failed(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say(look(), usage=(10, 1)), fail(401, "no such key"))
    turn = await socket.turn("Hello", session_id=SESSION)
    (error,) = turn.of("error")
    assert await story(me, turn.message_id) == {
        "run_id": turn.run_id,
        "outcome": "failed",
        "error": {"code": error["code"], "message": error["error"]},
        "usage": turn.done["usage"],
        "duration_ms": turn.done["duration_ms"],
    }
    assert error["code"] == "llm_auth"


async def test_how_long_a_turn_took(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say("Half", gate := Gate()))
    running = await socket.chat("one", session_id=SESSION)
    await gate.reached()
    await asyncio.sleep(0.2)
    gate.open()
    turn = await socket.end_of(running)
    assert 200 <= turn.done["duration_ms"] < 10_000


async def test_that_a_limit_of_length_ended_an_answer_is_told_as_history_does(
    llm: ScriptedLlm, me: User, socket: Socket
) -> None:
    llm.answer(say(look()), say("And so o", finish="length"))
    turn = await socket.turn("Go", session_id=SESSION)
    assert [event.get("cut") for event in turn.of("usage")] == [None, True]
    assert [m["metadata"]["cut"] for m in await me.messages(SESSION) if "cut" in m.get("metadata", {})] == [True]


async def test_turns_that_were_stopped(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say("Half", gate := Gate()))
    running = await socket.chat("one", session_id=SESSION)
    await gate.reached()
    queued = await socket.chat("two", session_id=SESSION, on_busy="enqueue")
    await socket.command("chat.stop", session_id=SESSION)
    for sent in (running, queued):
        turn = await socket.end_of(sent)
        found = await story(me, sent["message_id"])
        assert (found["outcome"], found["usage"]) == ("stopped", turn.done["usage"])
        assert "error" not in found


@pytest.mark.parametrize("on_limit_reached", ["warn", "fail", "continue"])
async def test_a_turn_that_came_to_its_limits(
    llm: ScriptedLlm, me: User, socket: Socket, on_limit_reached: str
) -> None:
    llm.answer(say(look(), look()), say("Summed up."))
    controls = {"on_limit_reached": on_limit_reached, "max_tool_calls": 1}
    turn = await socket.turn("Look", session_id=SESSION, controls=controls)
    found = await story(me, turn.message_id)
    assert found["outcome"] == turn.outcome
    assert found["limits"] == told(turn)
    assert [limit["limit"] for limit in found["limits"]] == ["max_tool_calls"]
    assert ("error" in found) == (on_limit_reached == "fail")


async def test_while_it_goes_on_limits_are_there_and_no_outcome(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say(look(), look()), say(gate := Gate(), "Summed up."))
    sent = await socket.chat("Look", session_id=SESSION, max_tool_calls=1)
    await gate.reached()
    found = await story(me, sent["message_id"])
    assert found.keys() == {"run_id", "limits"}
    gate.open()
    assert found["limits"] == told(await socket.end_of(sent))


async def test_a_result_has_it_too(llm: ScriptedLlm, me: User) -> None:
    llm.answer(fail(400, "no such thing"))
    result = (await me.chat("POST", "/stream", {"message": "Go", "session_id": SESSION, "stream": False})).json
    assert result["messages"][0]["metadata"]["error"]["message"] == result["error"]["error"]
    assert result["messages"] == await me.messages(SESSION)


async def test_an_export_has_it_too(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(fail(401, "no such key"))
    turn = await socket.turn("Hello", session_id=SESSION)
    found = (await me.chat("GET", f"/sessions/{SESSION}/export?format=json")).json
    assert found["messages"][0]["metadata"] == await story(me, turn.message_id)
    document = (await me.chat("GET", f"/sessions/{SESSION}/export?format=markdown")).text
    assert "\nError: " in document


async def test_a_limit_outlasts_an_orderly_stop_at_a_prompt(llm: ScriptedLlm, start: Start) -> None:
    server = await start()
    async with server.user().socket() as socket:
        llm.answer(say(look(), describe("R1", "asked"), look()), say("Done."))
        sent = await socket.chat("Go", session_id=SESSION, max_tool_calls=2)
        await socket.frame("hitl_required", run_id=sent["run_id"])
        (reached,) = socket.of("limit_reached")
    await server.stop()
    me = (await start()).user()
    found = await story(me, sent["message_id"])
    assert [limit["message"] for limit in found["limits"]] == [reached["message"]]


class TestAfterAKill:
    async def test_a_turn_that_was_cut_off_says_so(self, process: KillableServer, llm: ScriptedLlm) -> None:
        llm.answer(say(look(), look(), usage=(10, 1)), say("Half", gate := Gate()))
        async with process.user().socket() as socket:
            sent = await socket.chat("Go", session_id=SESSION, max_tool_calls=1)
            await gate.reached()
            (reached,) = socket.of("limit_reached")
            await process.kill()
        await process.start()
        me = process.user()
        await me.idle(SESSION)
        found = await story(me, sent["message_id"])
        assert (found["run_id"], found["outcome"]) == (sent["run_id"], "failed")
        assert found["error"]["code"] == "interrupted"
        assert "server stopped" in found["error"]["message"]
        assert found["usage"] == {"input_tokens": 10, "output_tokens": 1, "total_tokens": 11, "llm_calls": 1}
        assert [limit["message"] for limit in found["limits"]] == [reached["message"]]

    async def test_a_turn_that_goes_on_keeps_what_was_told_before(
        self, process: KillableServer, llm: ScriptedLlm
    ) -> None:
        llm.answer(say(look(), describe("R1", "asked"), look()), say("Summed up."))
        async with process.user().socket() as socket:
            sent = await socket.chat("Go", session_id=SESSION, max_tool_calls=2)
            await socket.frame("hitl_required", run_id=sent["run_id"])
            (reached,) = socket.of("limit_reached")
            await eventually(lambda: saved(process, "max_tool_calls"), "what was told is in the database")
            await process.kill()
        await process.start()
        me = process.user()
        async with me.socket() as socket:
            await socket.command("hitl.confirm", session_id=SESSION, confirm_all=True)
            turn = await socket.end_of(sent)
        found = await story(me, sent["message_id"])
        assert (found["outcome"], turn.outcome) == ("limited", "limited")
        assert [limit["message"] for limit in found["limits"]] == [reached["message"]]
        assert found["usage"] == turn.done["usage"]


def saved(process: KillableServer, text: str) -> bool:
    return bool(rows(process.database, "SELECT 1 FROM messages WHERE role = 'user' AND shape LIKE ?", [f"%{text}%"]))
