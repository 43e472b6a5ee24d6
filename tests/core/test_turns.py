"""A message and its answer: what clients see, and what history keeps of it."""

from __future__ import annotations

import asyncio
import itertools
import json
import random

from kit.conversation import Json, Turn, assert_valid, fold, told
from kit.scripted_llm import TOPOLOGY, Gate, ScriptedLlm, Think, call, host, say, show, sleep
from kit.server import User
from kit.socket import Socket

ANSWER = "All four devices run. Ünïcode 🙂 too."


async def test_an_answer_streams_between_run_started_and_done(llm: ScriptedLlm, socket: Socket) -> None:
    llm.answer(say(ANSWER, chunk=3))
    turn = await socket.turn("How is the lab?")
    kinds = [event["type"] for event in turn.events]
    assert (kinds[0], kinds[-1]) == ("run_started", "done")
    assert turn.of("run_started")[0] | {"message": "How is the lab?", "message_id": turn.message_id} == turn.events[0]
    assert turn.text == ANSWER
    assert turn.outcome == "completed"


async def test_contents_joined_are_the_text_in_history(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say(ANSWER, chunk=1))
    turn = await socket.turn("How is the lab?")
    user, assistant = await me.messages(turn.session_id)
    assert (user["id"], user["role"], user["content"]) == (turn.message_id, "user", "How is the lab?")
    assert (assistant["role"], assistant["content"]) == ("assistant", turn.text)
    assert {event["message_id"] for event in turn.of("content")} == {assistant["id"]}


async def test_thoughts_are_shown_but_no_part_of_the_answer(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say(Think("Let me see. "), "It is up.", Think("Done.")))
    turn = await socket.turn("Is it up?")
    assert turn.thoughts == "Let me see. Done."
    assert turn.text == "It is up."
    assert (await me.messages(turn.session_id))[-1]["content"] == "It is up."


async def test_a_tool_runs_on_the_real_device(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    asked = show("R1", "show version")
    llm.answer(say("I look.", asked), say("Done."))
    turn = await socket.turn("Which version?")
    output = json.loads(turn.results[asked.id]["tool_output"])
    assert output["results"][0]["device_name"] == "R1"
    assert "Cisco IOS" in output["results"][0]["output"]
    assert [message["role"] for message in await me.messages(turn.session_id)] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert llm.turns[1].messages[-1]["content"] == turn.results[asked.id]["tool_output"]


async def test_arguments_of_a_call_grow_from_nothing_and_complete_once(llm: ScriptedLlm, socket: Socket) -> None:
    asked = show("R1", "show ip interface brief", "show version")
    llm.answer(say(asked, delay=0.03), say("Done."))
    turn = await socket.turn("Look.")
    shown = [event["tool_call"] for event in turn.of("tool_call")]
    texts = [tool_call["function"]["arguments"] for tool_call in shown]
    assert texts[0] == ""
    assert len(texts) > 3
    assert all(after.startswith(before) for before, after in itertools.pairwise(texts))
    assert [bool(tool_call["function"].get("complete")) for tool_call in shown] == [False] * (len(shown) - 1) + [True]
    assert {tool_call["id"] for tool_call in shown} == {asked.id}


async def test_parallel_calls_run_at_the_same_time_and_keep_their_order(
    llm: ScriptedLlm, me: User, socket: Socket
) -> None:
    slow, quick = sleep(1, "PC1"), call(TOPOLOGY, {})
    llm.answer(say(slow, quick, parallel="interleaved"), say("Done."))
    turn = await socket.turn("Both.")
    assert [end["tool_call_id"] for end in turn.of("tool_end")] == [quick.id, slow.id]
    assert_valid(await me.messages(turn.session_id))
    answered = [m["tool_call_id"] for m in llm.turns[1].messages if m["role"] == "tool"]
    assert answered == [slow.id, quick.id]


async def test_the_next_turn_gets_the_whole_conversation(llm: ScriptedLlm, socket: Socket) -> None:
    asked = host("PC1", "show ip")
    llm.answer(say(asked), say("It has an address."), say("You asked before."))
    turn = await socket.turn("Look at PC1.")
    await socket.turn("And now?", session_id=turn.session_id)
    roles = [(message["role"], message.get("content")) for message in llm.turns[-1].messages[1:]]
    assert [role for role, _ in roles] == ["user", "assistant", "tool", "assistant", "user"]
    assert roles[0] == ("user", "Look at PC1.")
    assert roles[-1] == ("user", "And now?")


async def test_other_tabs_see_the_same_turn(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    async with me.socket() as other:
        llm.answer(say("Hello."))
        turn = await socket.turn("Hi")
        await other.frame("done", run_id=turn.run_id)
        assert other.events == socket.events


class TestHistoryInTheMiddleOfATurn:
    """A tab that opens late: history, and the events after the number that it names, are the whole conversation."""

    async def read_all_the_time(self, me: User, socket: Socket, sent: Json) -> list[Json]:
        found = []
        while not socket.of("done", run_id=sent["run_id"]):
            found.append(await me.conversation(sent["session_id"]))
            await asyncio.sleep(random.uniform(0, 0.004))
        return found

    async def assert_each_folds_into_the_last(self, me: User, socket: Socket, turn: Turn, seen: list[Json]) -> None:
        final = told(await me.messages(turn.session_id))
        for snapshot in seen:
            assert snapshot["epoch"] == socket.hello["epoch"]
            later = [event for event in socket.events if event["seq"] > snapshot["seq"]]
            assert told(fold(snapshot["messages"], later)) == final

    async def test_holds_at_any_point(self, llm: ScriptedLlm, me: User, socket: Socket) -> None:
        llm.answer(
            say("First I look at everything. " * 10, show("R1", "show ip route"), call(TOPOLOGY, {}), delay=0.002),
            say(Think("Hm. "), "Then at a host. " * 10, host("PC1", "show ip"), sleep(1), delay=0.002),
            say("This is what I found. " * 20, chunk=4, delay=0.001),
        )
        sent = await socket.chat("Tell me all.")
        seen = await self.read_all_the_time(me, socket, sent)
        assert len(seen) > 50
        assert {len(snapshot["messages"]) for snapshot in seen} >= {2, 4, 5, 8}
        turn = await socket.end_of(sent)
        await self.assert_each_folds_into_the_last(me, socket, turn, seen)

    async def test_holds_over_several_turns(self, llm: ScriptedLlm, me: User, socket: Socket) -> None:
        session_id = "conversation"
        seen = []
        for number in range(3):
            llm.answer(say(f"Answer {number}. " * 8, call(TOPOLOGY, {}), delay=0.001), say("Done. " * 5, chunk=2))
            sent = await socket.chat(f"Question {number}", session_id=session_id)
            seen += await self.read_all_the_time(me, socket, sent)
        turn = await socket.end_of(sent)
        await self.assert_each_folds_into_the_last(me, socket, turn, seen)

    async def test_a_message_that_streams_is_partial(self, llm: ScriptedLlm, me: User, socket: Socket) -> None:
        llm.answer(say("The first half. ", gate := Gate(), "The second half."))
        sent = await socket.chat("Go")
        await gate.reached()
        await socket.frame("content", run_id=sent["run_id"])
        last = (await me.messages(sent["session_id"]))[-1]
        assert (last["content"], last["metadata"]) == ("The first half. ", {"partial": True})
        gate.open()
        await socket.end_of(sent)
        last = (await me.messages(sent["session_id"]))[-1]
        assert last["content"] == "The first half. The second half."
        assert not last.get("metadata")

    async def test_a_tool_that_runs_has_a_partial_result(self, llm: ScriptedLlm, me: User, socket: Socket) -> None:
        asked = sleep(60)
        llm.answer(say(asked))
        sent = await socket.chat("Sleep")
        await socket.frame("tool_start", tool_call_id=asked.id)
        last = (await me.messages(sent["session_id"]))[-1]
        assert (last["tool_call_id"], last["content"]) == (asked.id, "")
        assert last["metadata"] == {"partial": True, "started": True}
        await socket.command("chat.stop", session_id=sent["session_id"])
        await socket.end_of(sent)
