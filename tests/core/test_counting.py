"""What a conversation cost: per turn the last call's input, all calls' output; the plain sum in stats.billed."""

from __future__ import annotations

import pytest
from kit.conversation import Json
from kit.scripted_llm import READ, TOPOLOGY, Gate, ScriptedLlm, call, fail, say, show, sleep
from kit.server import Start, User
from kit.socket import Socket
from kit.waiting import eventually


def counts(session: Json) -> dict[str, int]:
    names = ("message_count", "llm_calls_count", "input_tokens", "output_tokens", "total_tokens")
    return {name: session[name] for name in names}


def counted(messages: int, calls: int, read: int, written: int) -> dict[str, int]:
    return {
        "message_count": messages,
        "llm_calls_count": calls,
        "input_tokens": read,
        "output_tokens": written,
        "total_tokens": read + written,
    }


def billed(session: Json) -> tuple[int, int, int]:
    """(calls, input, output) of the one model, as a provider would bill them."""
    (bill,) = session["stats"]["billed"].values()
    return bill["calls"], bill["input_tokens"], bill["output_tokens"]


async def test_the_worked_example_with_a_title(llm: ScriptedLlm, start: Start) -> None:
    me = (await start(title="llm")).user()
    llm.title = say("Lab check", usage=(9421, 9))
    llm.answer(say("Everything runs.", usage=(8674, 675)))
    async with me.socket() as socket:
        turn = await socket.turn("Check the lab")
        assert turn.done["usage"] == {"input_tokens": 8674, "output_tokens": 675, "total_tokens": 9349, "llm_calls": 1}
        named = await eventually(
            lambda: [e["session"] for e in socket.of("session_updated") if e["session"]["title"] == "Lab check"],
            "the title is announced",
        )
    assert counts(named[0]) == counts(await me.session(turn.session_id)) == counted(2, 2, 9421, 684)
    assert billed(named[0]) == (2, 8674 + 9421, 675 + 9)


async def test_tools(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(
        say(show("R1", "show version"), show("R2", "show version"), call(TOPOLOGY, {}), usage=(100, 20)),
        say("Done.", usage=(300, 7)),
    )
    turn = await socket.turn("Look")
    session = await me.session(turn.session_id)
    assert counts(session) == counted(6, 2, 300, 27)
    assert billed(session) == (2, 400, 27)
    assert session["stats"]["tool_calls"] == {READ: 2, TOPOLOGY: 1}
    assert turn.done["usage"] == {"input_tokens": 300, "output_tokens": 27, "total_tokens": 327, "llm_calls": 2}
    assert turn.done["message_count"] == 6
    assert [event["usage"]["llm_calls"] for event in turn.of("usage")] == [1, 2]


async def test_turns_add_up(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say("One.", usage=(100, 5)), say("Two.", usage=(150, 6)))
    for _ in range(2):
        turn = await socket.turn("Go", session_id="sum")
    session = await me.session("sum")
    assert counts(session) == counted(4, 2, 250, 11)
    assert counts(socket.of("session_updated")[-1]["session"]) == counts(session)
    assert turn.done["message_count"] == 4


async def test_a_failed_turn_counts_what_it_had(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say(call(TOPOLOGY, {}), usage=(100, 5)), fail(400, "no"))
    turn = await socket.turn("Go")
    assert turn.outcome == "failed"
    session = await me.session(turn.session_id)
    assert counts(session) == counted(3, 2, 100, 5)
    assert billed(session) == (2, 100, 5)


async def test_a_stopped_turn_counts_what_it_had(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say(asked := sleep(60), usage=(100, 5)))
    sent = await socket.chat("Go")
    await socket.frame("tool_start", tool_call_id=asked.id)
    await socket.command("chat.stop", session_id=sent["session_id"])
    await socket.end_of(sent)
    session = await me.session(sent["session_id"])
    assert counts(session) == counted(3, 1, 100, 5)
    assert session["stats"]["tool_calls"] == {}


async def test_an_answer_that_was_cut_off_is_no_message_that_counts(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say("Half", gate := Gate()))
    sent = await socket.chat("Go")
    await gate.reached()
    await socket.frame("content")
    await socket.command("chat.stop", session_id=sent["session_id"])
    turn = await socket.end_of(sent)
    assert (await me.session(sent["session_id"]))["message_count"] == turn.done["message_count"] == 1


async def test_a_provider_without_usage_counts_calls(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say("Hello.", usage=None))
    turn = await socket.turn("Hi")
    assert counts(await me.session(turn.session_id)) == counted(2, 1, 0, 0)


async def test_counts_are_committed_before_done(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    turn = await socket.turn("Hi")
    assert (await me.session(turn.session_id))["message_count"] == turn.done["message_count"] == 2
    assert (await me.session(turn.session_id))["status"] == "idle"


async def test_a_run_whose_client_has_gone_counts(llm: ScriptedLlm, me: User) -> None:
    llm.answer(say(gate := Gate(), "Hello.", usage=(30, 3)))
    async with me.socket() as socket:
        sent = await socket.chat("Hi")
        await gate.reached()
    gate.open()
    await me.idle(sent["session_id"])
    assert counts(await me.session(sent["session_id"])) == counted(2, 1, 30, 3)


@pytest.mark.parametrize("times", [1, 2])
async def test_a_retried_call_counts_once(llm: ScriptedLlm, me: User, socket: Socket, times: int) -> None:
    llm.answer(*[fail(503)] * times, say("Here.", usage=(10, 1)))
    turn = await socket.turn("Hi")
    assert turn.outcome == "completed"
    assert counts(await me.session(turn.session_id)) == counted(2, 1, 10, 1)
