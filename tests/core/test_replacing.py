"""replaces_message_id: a person says something else than they said, and the conversation goes on from there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from kit.conversation import Json, fold, told
from kit.hitl import ask, describe, marks_sent
from kit.hitl import told as decided
from kit.process import KillableServer
from kit.scripted_llm import TOPOLOGY, Gate, ScriptedLlm, call, say
from kit.server import Server, Start, User
from kit.socket import Refused, Socket

SESSION = "s"


@pytest.fixture
async def said(llm: ScriptedLlm, me: User, socket: Socket) -> dict[str, str]:
    """A conversation of three turns; the ids of its messages by what they say."""
    llm.answer(
        say("One.", usage=(10, 1)), say("I look. ", call(TOPOLOGY, {}), usage=(20, 2)), say("Two.", usage=(30, 3))
    )
    llm.answer(say("Three.", usage=(40, 4)))
    for text in ("one", "two", "three"):
        await socket.turn(text, session_id=SESSION)
    return {message["content"]: message["id"] for message in await me.messages(SESSION)}


async def texts(me: User) -> list[str]:
    return [message["content"] for message in await me.messages(SESSION)]


async def replace(socket: Socket, message_id: str, message: str = "new", **more: Any) -> Json:
    return await socket.chat(message, session_id=SESSION, replaces_message_id=message_id, **more)


@pytest.mark.parametrize("replaced", ["one", "two", "three"])
async def test_it_and_all_after_it_leave_the_history(
    said: dict[str, str], llm: ScriptedLlm, me: User, socket: Socket, replaced: str
) -> None:
    before = await me.messages(SESSION)
    kept = before[: list(said).index(replaced)]
    turn = await socket.end_of(await replace(socket, said[replaced]))
    assert turn.outcome == "completed"
    now = await me.messages(SESSION)
    assert now[:-2] == kept
    assert [message["content"] for message in now[-2:]] == ["new", "You said: new"]
    _, *sent = llm.turns[-1].messages  # the first one is the system's
    assert [message["content"] for message in sent] == [message["content"] for message in kept] + ["new"]


async def test_another_tab_learns_what_to_drop(said: dict[str, str], me: User, socket: Socket) -> None:
    before = await me.messages(SESSION)
    async with me.socket() as tab:
        sent = await replace(socket, said["two"])
        turn = await tab.end_of(sent)
        assert turn.of("run_started")[0]["replaces_message_id"] == said["two"]
        assert told(fold(before, tab.events)) == told(await me.messages(SESSION))
        (updated, *_) = tab.of("session_updated")
        assert updated["session"]["message_count"] == 2, "what is left, and the new message is not counted yet"


async def test_a_turn_that_replaces_nothing_does_not_say_so(said: dict[str, str], socket: Socket) -> None:
    (started,) = (await socket.turn("more", session_id=SESSION)).of("run_started")
    assert "replaces_message_id" not in started


async def test_a_tab_that_comes_back_learns_it_too(said: dict[str, str], me: User, socket: Socket) -> None:
    before, place = await me.messages(SESSION), socket.place
    sent = await replace(socket, said["two"])
    await socket.end_of(sent)
    async with me.socket(resume=place) as late:
        await late.end_of(sent)
        assert told(fold(before, late.events)) == told(await me.messages(SESSION))


async def test_messages_are_counted_as_they_are_and_costs_as_they_were(
    said: dict[str, str], llm: ScriptedLlm, me: User, socket: Socket
) -> None:
    before = await me.session(SESSION)
    llm.answer(say("New.", usage=(50, 5)))
    turn = await socket.end_of(await replace(socket, said["two"]))
    after = await me.session(SESSION)
    assert before["message_count"] == len(said) == 8
    assert after["message_count"] == turn.done["message_count"] == len(await me.messages(SESSION)) == 4
    for name, more in (("llm_calls_count", 1), ("input_tokens", 50), ("output_tokens", 5), ("total_tokens", 55)):
        assert after[name] == before[name] + more
    (bill,), (earlier,) = after["stats"]["billed"].values(), before["stats"]["billed"].values()
    assert (bill["calls"], bill["input_tokens"]) == (earlier["calls"] + 1, earlier["input_tokens"] + 50)
    assert after["stats"]["tool_calls"] == before["stats"]["tool_calls"]


async def test_an_answer_that_broke_off_was_no_message_that_counted(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say("Half", gate := Gate()))
    sent = await socket.chat("one", session_id=SESSION)
    await gate.reached()
    await socket.frame("content")
    await socket.command("chat.stop", session_id=SESSION)
    await socket.end_of(sent)
    await socket.end_of(await replace(socket, sent["message_id"]))
    assert (await me.session(SESSION))["message_count"] == 2
    assert await texts(me) == ["new", "You said: new"]


async def test_a_replaced_message_is_not_found_any_more(said: dict[str, str], me: User, socket: Socket) -> None:
    assert await me.got("/sessions?q=three")
    await socket.end_of(await replace(socket, said["two"]))
    assert await me.got("/sessions?q=three") == []
    answer = await me.chat("GET", f"/sessions/{SESSION}/history?before={said['three']}")
    assert answer.status == 404


async def test_by_sse(said: dict[str, str], me: User) -> None:
    body = {"message": "new", "session_id": SESSION, "replaces_message_id": said["two"]}
    async with me.sse("POST", "/stream", body) as stream:
        assert (await stream.until("run_started"))["replaces_message_id"] == said["two"]
        await stream.rest()
    assert await texts(me) == ["one", "One.", "new", "You said: new"]


class TestIsRefused:
    @pytest.fixture
    async def unchanged(self, said: dict[str, str], me: User) -> AsyncIterator[None]:
        before = await me.messages(SESSION)
        yield
        assert await me.messages(SESSION) == before

    @pytest.mark.usefixtures("unchanged")
    async def test_for_a_message_that_is_not_there(self, me: User, socket: Socket) -> None:
        elsewhere = await socket.turn("Hello", session_id="other")
        for unknown in ("nobody", elsewhere.message_id):
            with pytest.raises(Refused, match="not_found"):
                await replace(socket, unknown)
        body = {"message": "new", "session_id": "made-up", "replaces_message_id": elsewhere.message_id}
        assert (await me.chat("POST", "/stream", body)).status == 404
        assert (await me.chat("GET", "/sessions/made-up")).status == 404, "no session was made"
        assert (await me.messages("other"))[0]["id"] == elsewhere.message_id

    @pytest.mark.usefixtures("unchanged")
    async def test_for_a_message_that_no_person_said(self, said: dict[str, str], me: User, socket: Socket) -> None:
        for message in await me.messages(SESSION):
            if message["role"] != "user":
                with pytest.raises(Refused, match="invalid_argument"):
                    await replace(socket, message["id"])

    @pytest.mark.parametrize("on_busy", ["reject", "enqueue", "interrupt"])
    async def test_while_another_message_is_answered(
        self, said: dict[str, str], llm: ScriptedLlm, me: User, socket: Socket, on_busy: str
    ) -> None:
        llm.answer(say(gate := Gate(), "Done."))
        sent = await socket.chat("four", session_id=SESSION)
        await gate.reached()
        with pytest.raises(Refused, match="session_busy"):
            await replace(socket, said["two"], on_busy=on_busy)
        gate.open()
        assert (await socket.end_of(sent)).outcome == "completed"
        assert (await texts(me))[-4:] == ["three", "Three.", "four", "Done."]

    @pytest.mark.parametrize("on_busy", ["reject", "enqueue", "interrupt"])
    async def test_while_a_person_is_asked(
        self, said: dict[str, str], llm: ScriptedLlm, socket: Socket, on_busy: str
    ) -> None:
        question = await ask(llm, socket, describe("R1", "asked"), session_id=SESSION)
        with pytest.raises(Refused, match="hitl_pending"):
            await replace(socket, said["two"], on_busy=on_busy)
        await question.confirm()
        assert (await question.end()).outcome == "completed"

    async def test_for_another_users_message(self, start: Start) -> None:
        server = await start(auth="jwt")
        ann, bob = server.user("ann"), server.user("bob")
        async with ann.socket() as own, bob.socket() as other:
            turn = await own.turn("Hello", session_id=SESSION)
            with pytest.raises(Refused, match="not_found"):
                await replace(other, turn.message_id)
        assert len(await ann.messages(SESSION)) == 2


class TestSentAgain:
    async def test_it_is_replaced_once(self, said: dict[str, str], me: User, socket: Socket) -> None:
        first = await replace(socket, said["two"], client_message_id="c-1")
        await socket.end_of(first)
        later = await socket.turn("more", session_id=SESSION)
        assert await replace(socket, said["two"], client_message_id="c-1") == first
        assert (await texts(me))[-2:] == ["more", later.text]
        with pytest.raises(Refused, match="conflict"):
            await replace(socket, said["one"], client_message_id="c-1")

    async def test_the_replaced_message_does_not_come_back(self, me: User, socket: Socket) -> None:
        first = await socket.chat("one", session_id=SESSION, client_message_id="c-1")
        await socket.end_of(first)
        await socket.end_of(await replace(socket, first["message_id"]))
        assert await socket.chat("one", session_id=SESSION, client_message_id="c-1") == first
        assert await texts(me) == ["new", "You said: new"]


async def test_what_was_decided_and_done_stays(llm: ScriptedLlm, server: Server, me: User, socket: Socket) -> None:
    question = await ask(llm, socket, made := describe("R1", "stays"), session_id=SESSION)
    await question.confirm()
    await question.end()
    before = await decided(me, SESSION)
    await socket.end_of(await replace(socket, question.sent["message_id"]))
    assert await texts(me) == ["new", "You said: new"]
    assert await decided(me, SESSION) == before
    assert before[0]["calls"][0]["tool_call_id"] == made.id
    assert marks_sent(server.project, "R1") == ["stays"]


class TestACrash:
    """kill -9 after the message was accepted: the old messages are gone, the new one is there."""

    async def test_ends_the_new_run(self, process: KillableServer, llm: ScriptedLlm) -> None:
        async with process.user().socket() as socket:
            turn = await socket.turn("one", session_id=SESSION)
            llm.answer(say(gate := Gate()))
            sent = await replace(socket, turn.message_id, client_message_id="c-1")
            await gate.reached()
            await process.kill()
        await process.start()
        me = process.user()
        await me.idle(SESSION)
        assert [(m["id"], m["content"]) for m in await me.messages(SESSION)] == [(sent["message_id"], "new")]
        assert (await me.session(SESSION))["message_count"] == 1
        async with me.socket() as socket:
            assert await replace(socket, turn.message_id, client_message_id="c-1") == sent
            assert (await socket.turn("more", session_id=SESSION)).outcome == "completed"

    async def test_leaves_an_open_prompt_with_the_shortened_history(
        self, process: KillableServer, llm: ScriptedLlm
    ) -> None:
        async with process.user().socket() as socket:
            turn = await socket.turn("one", session_id=SESSION)
            llm.answer(say(describe("R1", "after-the-crash")), say("Done."))
            sent = await replace(socket, turn.message_id)
            await socket.frame("hitl_required", run_id=sent["run_id"])
            await process.kill()
        await process.start()
        me = process.user()
        async with me.socket() as socket:
            await socket.command("hitl.confirm", session_id=SESSION, confirm_all=True)
            await socket.end_of(sent)
        assert [message["content"] for message in llm.turns[-1].messages if message["role"] == "user"] == ["new"]
        assert [m["role"] for m in await me.messages(SESSION)] == ["user", "assistant", "tool", "assistant"]
