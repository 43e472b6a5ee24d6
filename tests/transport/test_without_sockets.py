"""A client that has no WebSocket: commands by REST, their messages by POST /stream, events by GET /events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from kit.conversation import Json
from kit.hitl import describe
from kit.scripted_llm import Gate, ScriptedLlm, say
from kit.server import User
from kit.sse import Sse

from copilot_ws.commands import CHAT

ROUTES_OF_THEIR_OWN = {"chat.send": "POST /stream", "ping": "a request is one"}


async def send(me: User, message: str, **request: Any) -> Json:
    """Sends a message and leaves as soon as the answer begins; the result of the command."""
    async with me.sse("POST", "/stream", {"message": message, **request}) as stream:
        assert stream.status == 200
        names = {"run_id": "X-Run-Id", "session_id": "X-Session-Id", "message_id": "X-Message-Id"}
        return {"status": stream.headers["X-Run-Status"], **{key: stream.headers[name] for key, name in names.items()}}


@asynccontextmanager
async def listening(me: User) -> AsyncIterator[Sse]:
    async with me.sse("GET", "/events") as events:
        await events.until("hello")
        yield events


async def done(events: Sse, sent: Json) -> Json:
    """The end of this run."""
    while (event := await events.until("done"))["run_id"] != sent["run_id"]:
        pass
    return event


@pytest.mark.parametrize("command", sorted(CHAT.keys() - ROUTES_OF_THEIR_OWN))
def test_every_command_has_a_route(command: str) -> None:
    assert CHAT[command].routes


async def test_a_message_is_named_at_once_and_its_run_goes_on(llm: ScriptedLlm, me: User) -> None:
    llm.answer(say(gate := Gate(), "Hi."))
    async with listening(me) as events:
        sent = await send(me, "Hello")
        started = await events.until("run_started")
        assert sent == {"status": "started", **{key: started[key] for key in ("run_id", "session_id", "message_id")}}
        gate.open()
        assert (await done(events, sent))["outcome"] == "completed"


@pytest.mark.parametrize("on_busy", ["enqueue", "interrupt"])
async def test_so_is_one_that_waits(llm: ScriptedLlm, me: User, on_busy: str) -> None:
    llm.answer(say(gate := Gate(), "First."), say("Second."))
    async with listening(me) as events:
        first = await send(me, "one", session_id="s")
        await gate.reached()
        second = await send(me, "two", session_id="s", on_busy=on_busy)
        assert (second["status"], second["session_id"]) == ("queued", "s")
        gate.open()
        await done(events, first)
        await done(events, second)
    (message,) = [m for m in await me.messages("s") if m["content"] == "two"]
    assert message["id"] == second["message_id"]


async def test_so_is_one_that_is_sent_again(me: User) -> None:
    request: Json = {"session_id": "s", "client_message_id": "c-1"}
    first = await send(me, "Hello", **request)
    await me.idle("s")
    assert await send(me, "Hello", **request) == first


async def test_limits_of_a_run_are_changed(llm: ScriptedLlm, me: User) -> None:
    llm.answer(say(gate := Gate(), "Done."))
    await send(me, "Go", session_id="s")
    await gate.reached()
    answer = await me.chat("POST", "/sessions/s/limits", {"max_tool_calls": 7, "on_limit_reached": "fail"})
    assert (answer.status, answer.json["max_tool_calls"]) == (200, 7)
    for wrong in ({"max_tool_calls": 0}, {"max_tool_calls": "7"}, {"colour": "blue"}):
        refused = await me.chat("POST", "/sessions/s/limits", wrong)
        assert (refused.status, refused.code) == (422, "invalid_argument")
    gate.open()
    await me.idle("s")
    late = await me.chat("POST", "/sessions/s/limits", {"max_tool_calls": 7})
    assert (late.status, late.code) == (409, "conflict")
    assert (await me.chat("POST", "/sessions/nobody/limits", {"max_tool_calls": 7})).status == 404


async def test_a_question_is_asked_and_answered(llm: ScriptedLlm, me: User) -> None:
    llm.answer(say(made := describe("R1", "by-rest")), say("Done."))
    async with listening(me) as events:
        sent = await send(me, "Go", session_id="s")
        prompt = await events.until("hitl_required")
        body = {"tool_call_ids": [made.id], "hitl_session_id": prompt["hitl_session_id"]}
        assert (await me.chat("POST", "/sessions/s/hitl/confirm", body)).json["remaining"] == []
        assert (await events.until("tool_end"))["status"] == "success"
        assert (await done(events, sent))["outcome"] == "completed"
