"""A message for a session that is busy: refused, queued behind the run, or put in its place."""

from __future__ import annotations

import pytest
from kit.scripted_llm import Gate, ScriptedLlm, say, sleep
from kit.server import Start, User
from kit.socket import Refused, Socket

SESSION = "busy"


@pytest.fixture
async def gate(llm: ScriptedLlm, socket: Socket) -> Gate:
    """Holds the first run of the session."""
    llm.answer(say("First. ", gate := Gate(), "Over."))
    await socket.chat("one", session_id=SESSION)
    await gate.reached()
    return gate


async def test_is_refused_by_default(gate: Gate, socket: Socket) -> None:
    with pytest.raises(Refused, match="session_busy"):
        await socket.chat("two", session_id=SESSION)


async def test_rest_refuses_with_409(gate: Gate, me: User) -> None:
    answer = await me.chat("POST", "/stream", {"message": "two", "session_id": SESSION})
    assert (answer.status, answer.code) == (409, "session_busy")


async def test_enqueued_runs_after_the_first(gate: Gate, llm: ScriptedLlm, me: User, socket: Socket) -> None:
    sent = [await socket.chat(text, session_id=SESSION, on_busy="enqueue") for text in ("two", "three")]
    assert [one["status"] for one in sent] == ["queued", "queued"]
    gate.open()
    for one in sent:
        assert (await socket.end_of(one)).outcome == "completed"
    said = [message["content"] for message in await me.messages(SESSION)]
    assert said == ["one", "First. Over.", "two", "You said: two", "three", "You said: three"]


async def test_hello_tells_what_runs_and_what_waits(gate: Gate, me: User, socket: Socket) -> None:
    queued = await socket.chat("two", session_id=SESSION, on_busy="enqueue")
    async with me.socket() as late:
        assert [(run["session_id"], run["status"]) for run in late.hello["runs"]] == [
            (SESSION, "running"),
            (SESSION, "queued"),
        ]
        assert late.hello["runs"][1]["run_id"] == queued["run_id"]


async def test_interrupt_stops_the_run_and_answers(gate: Gate, me: User, socket: Socket) -> None:
    sent = await socket.chat("two", session_id=SESSION, on_busy="interrupt")
    assert (await socket.end_of(sent)).text == "You said: two"
    (first, second) = socket.of("done")
    assert (first["outcome"], second["outcome"]) == ("stopped", "completed")
    assert [message["content"] for message in await me.messages(SESSION)] == ["one", "First. ", "two", "You said: two"]


async def test_interrupt_of_a_tool_keeps_history_whole(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say(asked := sleep(60)))
    await socket.chat("one", session_id=SESSION)
    await socket.frame("tool_start", tool_call_id=asked.id)
    turn = await socket.end_of(await socket.chat("two", session_id=SESSION, on_busy="interrupt"))
    assert turn.text == "You said: two"
    roles = [message["role"] for message in await me.messages(SESSION)]
    assert roles == ["user", "assistant", "tool", "user", "assistant"]


async def test_stop_clears_the_queue_but_keeps_what_was_said(
    gate: Gate, llm: ScriptedLlm, me: User, socket: Socket
) -> None:
    sent = [await socket.chat(text, session_id=SESSION, on_busy="enqueue") for text in ("two", "three")]
    await socket.command("chat.stop", session_id=SESSION)
    outcomes = [(await socket.end_of(one)).outcome for one in sent]
    assert outcomes == ["stopped", "stopped"]
    assert [message["content"] for message in await me.messages(SESSION)] == ["one", "First. ", "two", "three"]
    assert len(llm.turns) == 1


async def test_other_sessions_do_not_wait(gate: Gate, socket: Socket) -> None:
    assert (await socket.turn("Hello", session_id="other")).text == "You said: Hello"


async def test_a_user_has_only_so_many_runs(llm: ScriptedLlm, start: Start) -> None:
    me = (await start(max_runs_per_user=2)).user()
    async with me.socket() as socket:
        gates = [Gate(), Gate()]
        llm.answer(*[say(gate) for gate in gates])
        sent = [await socket.chat("wait") for _ in gates]
        with pytest.raises(Refused, match="too_many_runs"):
            await socket.chat("one more")
        answer = await me.chat("POST", "/stream", {"message": "one more"})
        assert (answer.status, answer.code) == (429, "too_many_runs")
        assert int(answer.headers["Retry-After"]) > 0
        gates[0].open()
        gates[1].open()
        for one in sent:
            await socket.end_of(one)
        assert (await socket.turn("now")).outcome == "completed"
