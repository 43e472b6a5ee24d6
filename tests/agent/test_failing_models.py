"""Runs whose model fails, falls silent, is cut off or says nothing: what is tried again, and what is told."""

from __future__ import annotations

import time

import pytest
from kit.hitl import configure
from kit.scripted_llm import READ, TOPOLOGY, Gate, ScriptedLlm, Think, call, fail, say, show
from kit.server import API_KEY, Start, User
from kit.socket import Socket
from kit.waiting import eventually

from copilot_ws.agent.patience import ATTEMPTS


class TestTryingAgain:
    async def test_as_often_as_it_helps(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(*[fail(503)] * (ATTEMPTS - 1), say("Here I am."))
        turn = await socket.turn("Hello")
        assert (turn.outcome, turn.text, len(llm.turns)) == ("completed", "Here I am.", ATTEMPTS)
        assert turn.of("error") == []

    async def test_not_for_ever(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(*[fail(429)] * 20)
        turn = await socket.turn("Hello")
        assert (turn.error_code, len(llm.turns)) == ("llm_rate_limited", ATTEMPTS)

    @pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
    async def test_never_what_will_fail_again(self, llm: ScriptedLlm, socket: Socket, status: int) -> None:
        llm.answer(*[fail(status)] * 5)
        await socket.turn("Hello")
        assert len(llm.turns) == 1

    async def test_pauses_between(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(fail(500, headers={}), say("Here I am."))
        begun = time.monotonic()
        assert (await socket.turn("Hello")).outcome == "completed"
        assert time.monotonic() - begun >= 0.3

    async def test_as_late_as_the_provider_asks(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(fail(429, headers={"retry-after": "1"}), say("Here I am."))
        begun = time.monotonic()
        assert (await socket.turn("Hello")).outcome == "completed"
        assert time.monotonic() - begun >= 1

    async def test_not_where_it_asks_for_longer_than_anyone_waits(self, llm: ScriptedLlm, start: Start) -> None:
        me = (await start(llm_timeout=3)).user()
        async with me.socket() as socket:
            llm.answer(fail(429, headers={"retry-after": "60"}))
            begun = time.monotonic()
            turn = await socket.turn("Hello")
        assert turn.error_code == "llm_rate_limited"
        assert "wait 60 seconds" in turn.of("error")[0]["error"]
        assert time.monotonic() - begun < 2

    async def test_a_pause_is_told(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(fail(429, f"Wrong pace for {API_KEY}", headers={"retry-after": "0.2"}), fail(503), say("Here I am."))
        turn = await socket.turn("Hello")
        first, second = turn.of("llm_retry")
        assert (first["attempt"], first["of"], first["code"]) == (2, ATTEMPTS, "llm_rate_limited")
        assert 0.2 <= first["delay_seconds"] <= 0.22
        assert first["message"] == (
            "The model provider says that there were too many requests. It said: Wrong pace for [hidden]"
        )
        assert (second["attempt"], second["code"]) == (3, "llm_unavailable")
        kinds = [event["type"] for event in turn.events]
        assert kinds.index("llm_retry") < kinds.index("content")

    async def test_what_is_not_tried_again_is_told_as_an_error_alone(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(*[fail(429)] * ATTEMPTS, fail(401))
        assert len((await socket.turn("Hello")).of("llm_retry")) == ATTEMPTS - 1
        assert (await socket.turn("Hello")).of("llm_retry") == []

    async def test_a_stop_ends_the_pause_at_once(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(fail(429, headers={"retry-after": "30"}))
        sent = await socket.chat("Hello")
        await socket.frame("llm_retry")
        begun = time.monotonic()
        await socket.command("chat.stop", session_id=sent["session_id"])
        turn = await socket.end_of(sent)
        assert (turn.outcome, time.monotonic() - begun < 2) == ("stopped", True)

    async def test_the_time_of_a_run_ends_the_pause_too(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(fail(429, headers={"retry-after": "30"}))
        controls = {"max_execution_time_seconds": 1, "on_limit_reached": "fail"}
        turn = await socket.turn("Hello", controls=controls)
        assert (turn.outcome, turn.error_code) == ("limited", "limit_reached")

    async def test_titles_too(self, llm: ScriptedLlm, start: Start) -> None:
        me = (await start(title="llm")).user()
        llm.title = fail(503)
        async with me.socket() as socket:
            await socket.turn("Hello")
            await eventually(lambda: sum(one.is_title for one in llm.asked) == ATTEMPTS, "the title is given up")


class TestSilence:
    async def test_ends_after_the_time_out_and_not_a_multiple(self, llm: ScriptedLlm, start: Start) -> None:
        me = (await start(llm_timeout=1)).user()
        async with me.socket() as socket:
            llm.answer(*[say(Gate())] * 3)
            begun = time.monotonic()
            turn = await socket.turn("Hello")
        assert (turn.error_code, len(llm.turns)) == ("llm_timeout", 1)
        assert time.monotonic() - begun < 3

    async def test_failures_and_silence_share_the_time(self, llm: ScriptedLlm, start: Start) -> None:
        me = (await start(llm_timeout=2)).user()
        async with me.socket() as socket:
            llm.answer(fail(500, headers={"retry-after": "1.7"}), say(Gate(), mute=True))
            begun = time.monotonic()
            turn = await socket.turn("Hello")
        assert turn.error_code == "llm_timeout"
        assert time.monotonic() - begun < 3.2


class TestCutOff:
    """An answer that a limit of length ended: its last call may be cut, also where it looks whole."""

    async def test_the_last_call_never_runs(self, llm: ScriptedLlm, socket: Socket) -> None:
        whole, cut = show("R1", "show version"), show("R2", "show version")
        llm.answer(say(whole, cut, finish="length"), say("I see."))
        turn = await socket.turn("Look")
        assert (turn.outcome, turn.text) == ("completed", "I see.")
        assert (turn.results[whole.id]["status"], turn.results[cut.id]["status"]) == ("success", "error")
        assert "cut at its limit of length" in turn.results[cut.id]["tool_output"]
        assert "cut at its limit of length" in llm.turns[1].messages[-1]["content"]

    @pytest.mark.parametrize("finish", ["length", "max_tokens", "MAX_TOKENS"])
    async def test_nobody_is_asked_about_one(self, llm: ScriptedLlm, socket: Socket, finish: str) -> None:
        llm.answer(say(configure("R1", "no shutdown"), finish=finish), say("I see."))
        turn = await socket.turn("Configure")
        assert (turn.outcome, turn.statuses, turn.of("hitl_required")) == ("completed", ["error"], [])

    async def test_nobody_is_asked_about_one_without_arguments(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(say(call(TOPOLOGY, ""), finish="length"), say("I see."))
        assert (await socket.turn("Look")).statuses == ["error"]

    async def test_text_stays_and_history_tells(self, llm: ScriptedLlm, me: User, socket: Socket) -> None:
        llm.answer(say("Half of an ans", finish="length"))
        turn = await socket.turn("Tell me")
        assert (turn.outcome, turn.text) == ("completed", "Half of an ans")
        assert (await me.messages(turn.session_id))[-1]["metadata"]["cut"] is True

    async def test_malformed_arguments_are_told(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(say(call(READ, '{"device_configs": [{"dev')), say("I see."))
        (end,) = (await socket.turn("Look")).of("tool_end")
        assert "no JSON object" in end["tool_output"]


class TestNothing:
    async def test_is_asked_for_again(self, llm: ScriptedLlm, me: User, socket: Socket) -> None:
        llm.answer(say(), say("Here I am."))
        turn = await socket.turn("Hello")
        assert (turn.outcome, turn.text) == ("completed", "Here I am.")
        assert turn.of("done")[0]["usage"]["llm_calls"] == 2
        assert [message["role"] for message in await me.messages(turn.session_id)] == ["user", "assistant"]

    async def test_twice_is_told(self, llm: ScriptedLlm, me: User, socket: Socket) -> None:
        llm.answer(say(), say())
        turn = await socket.turn("Hello")
        assert (turn.outcome, turn.error_code, len(llm.turns)) == ("failed", "llm_bad_response", 2)
        assert "answered with nothing" in turn.of("error")[0]["error"]
        assert [message["role"] for message in await me.messages(turn.session_id)] == ["user"]
        assert (await socket.turn("Again", session_id=turn.session_id)).outcome == "completed"

    async def test_thoughts_alone_are_told_at_once(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(say(Think("Hm."), finish="length"))
        turn = await socket.turn("Hello")
        assert (turn.error_code, len(llm.turns)) == ("llm_bad_response", 1)
        assert "max_tokens" in turn.of("error")[0]["error"]
        assert (await socket.turn("Again", session_id=turn.session_id)).outcome == "completed"

    async def test_held_back(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(*[say(finish="content_filter")] * 2)
        assert "held the answer back" in (await socket.turn("Hello")).of("error")[0]["error"]
