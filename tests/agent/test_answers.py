"""Answers as real providers send them: in every shape, with faults, in the middle and at the end."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from kit.conversation import Turn
from kit.scripted_llm import (
    DROP,
    READ,
    TOPOLOGY,
    Answer,
    Call,
    Failure,
    Gate,
    Part,
    ScriptedLlm,
    call,
    fail,
    host,
    say,
    show,
)
from kit.server import API_KEY, Start, User
from kit.socket import Socket

from copilot_ws.agent.patience import ATTEMPTS


class TestShapes:
    @pytest.mark.parametrize("ids", [True, False], ids=["ids", "no ids"])
    @pytest.mark.parametrize("parallel", ["in turn", "interleaved", "all index 0"])
    async def test_parallel_calls(self, llm: ScriptedLlm, socket: Socket, parallel: Any, ids: bool) -> None:
        asked = [show("R1", "show version"), host("PC1", "show ip"), call(TOPOLOGY, {})]
        llm.answer(say("I look.", *asked, parallel=parallel, ids=ids), say("Done."))
        turn = await socket.turn("Look")
        assert turn.statuses == ["success"] * 3
        complete = [
            e["tool_call"]["function"] for e in turn.of("tool_call") if e["tool_call"]["function"].get("complete")
        ]
        assert [(f["name"], f["arguments"]) for f in complete] == [(one.name, one.arguments) for one in asked]

    @pytest.mark.parametrize("finish", ["stop", "STOP", "end_turn", "whatever", "tool_calls"])
    async def test_no_answer_depends_on_its_finish_reason(self, llm: ScriptedLlm, socket: Socket, finish: str) -> None:
        llm.answer(say("I look. ", call(TOPOLOGY, {}), finish=finish), say("Done.", finish=finish))
        turn = await socket.turn("Look")
        assert (turn.outcome, turn.text, turn.statuses) == ("completed", "I look. Done.", ["success"])

    async def test_a_filter_that_ends_an_answer_is_told_and_takes_no_text(
        self, llm: ScriptedLlm, me: User, socket: Socket
    ) -> None:
        llm.answer(say("I look. ", call(TOPOLOGY, {}), finish="content_filter"), say("Here I am."))
        turn = await socket.turn("Look")
        assert (turn.outcome, turn.text, turn.statuses) == ("failed", "I look. ", ["error"])
        assert "held the rest of the answer back (content_filter)" in turn.of("error")[0]["error"]
        assert (await me.messages(turn.session_id))[1]["content"] == "I look. "
        assert (await socket.turn("Again", session_id=turn.session_id)).outcome == "completed"

    async def test_a_provider_that_counts_ids_anew_in_each_answer(
        self, llm: ScriptedLlm, me: User, socket: Socket
    ) -> None:
        llm.answer(*[say(call(TOPOLOGY, {}, "call_0")) for _ in range(3)], say("Done."))
        turn = await socket.turn("Look")
        assert turn.statuses == ["success"] * 3
        await me.messages(turn.session_id)

    async def test_text_after_a_call(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(say("Before. ", call(TOPOLOGY, {}), "After. "), say("Done."))
        turn = await socket.turn("Look")
        assert (turn.text, turn.statuses) == ("Before. After. Done.", ["success"])

    async def test_half_characters_meet(self, llm: ScriptedLlm, me: User, socket: Socket) -> None:
        llm.answer(say("a\ud83d", "\ude42b \ud83d lonely", chunk=1))
        turn = await socket.turn("Hello")
        assert turn.text == (await me.messages(turn.session_id))[-1]["content"] == "a🙂b � lonely"


class TestWrongCalls:
    """Whatever a model asks for, the call gets a result that tells it, and the run goes on."""

    @pytest.mark.parametrize(
        ("asked", "told"),
        [
            (call("make_coffee", {}), "no tool"),
            (call(READ, '{"device_configs": [{"dev'), "JSON"),
            (call(READ, "[]"), "JSON"),
            (call(READ, "null"), "JSON"),
            (call(READ, {}), "device_configs"),
            (call(READ, {"device_configs": "R1"}), "device_configs"),
            (call(READ, {"device_configs": []}), "device_configs"),
            (call(READ, {"device_configs": [{"device_name": "R1"}]}), "commands"),
            (call("", {}), "no tool"),
            (show("R9", "show version"), "R9"),
            (show("R1", "reload"), "refused"),
            (show("R1", "show version\nreload"), "reload"),
        ],
        ids=lambda value: "" if isinstance(value, str) else value.arguments[:30],
    )
    async def test_one(self, llm: ScriptedLlm, me: User, socket: Socket, asked: Call, told: str) -> None:
        llm.answer(say(asked), say("I see."))
        turn = await socket.turn("Go")
        (result,) = turn.results.values()
        assert (turn.outcome, turn.text) == ("completed", "I see.")
        assert told in result["tool_output"]
        json.loads(result["tool_output"])
        assert llm.turns[1].messages[-1]["content"] == result["tool_output"]
        assert (await socket.turn("Go on", session_id=turn.session_id)).outcome == "completed"

    async def test_one_beside_a_good_one(self, llm: ScriptedLlm, socket: Socket) -> None:
        bad, good = call("make_coffee", {}), call(TOPOLOGY, {})
        llm.answer(say(bad, good), say("Done."))
        turn = await socket.turn("Go")
        assert {i: end["status"] for i, end in turn.results.items()} == {bad.id: "error", good.id: "success"}

    async def test_more_keys_than_a_tool_knows_are_ignored(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(say(call(TOPOLOGY, {"project_id": "another", "verbose": True})), say("Done."))
        turn = await socket.turn("Go")
        assert turn.statuses == ["success"]

    async def test_one_broken_device_does_not_hide_the_others(self, llm: ScriptedLlm, socket: Socket) -> None:
        configs = [{"device_name": name, "commands": ["show version"]} for name in ("R1", "R9", "R2")]
        llm.answer(say(asked := call(READ, {"device_configs": configs})), say("Done."))
        turn = await socket.turn("Go")
        entries = json.loads(turn.results[asked.id]["tool_output"])["results"]
        assert [(e["device_name"], e["status"]) for e in entries] == [
            ("R1", "success"),
            ("R9", "failed"),
            ("R2", "success"),
        ]
        assert turn.statuses == ["success"]

    async def test_a_long_output_is_cut_and_says_so(self, llm: ScriptedLlm, start: Start) -> None:
        me = (await start(max_tool_output=1000)).user()
        async with me.socket() as socket:
            llm.answer(say(asked := show("R1", "show running-config", "show version")), say("Done."))
            turn = await socket.turn("Go")
        output = turn.results[asked.id]["tool_output"]
        assert len(output) <= 1000
        assert "more characters" in output
        json.loads(output)


class TestFaults:
    """A provider that fails: the run ends with a code, and the session goes on."""

    async def assert_goes_on(self, socket: Socket, turn: Turn) -> None:
        assert (await socket.turn("Again", session_id=turn.session_id)).outcome == "completed"

    @pytest.mark.parametrize(
        ("failure", "code"),
        [
            (fail(401, "Incorrect API key provided"), "llm_auth"),
            (fail(403, "No access"), "llm_auth"),
            (fail(404, "The model does not exist"), "llm_bad_response"),
            (fail(429, "Rate limit reached"), "llm_rate_limited"),
            (fail(400, "Bad request"), "llm_bad_response"),
            (
                fail(400, "This model's maximum context length is 8192 tokens", "context_length_exceeded"),
                "llm_context_length",
            ),
            (fail(413, "Too large"), "llm_context_length"),
            (fail(500, "Oops"), "llm_unavailable"),
            (fail(503, "Overloaded"), "llm_unavailable"),
            (fail(504, "Gateway timeout"), "llm_timeout"),
        ],
        ids=lambda value: str(value.status) if isinstance(value, Failure) else value,
    )
    async def test_by_status(self, llm: ScriptedLlm, me: User, socket: Socket, failure: Failure, code: str) -> None:
        llm.answer(*[failure] * (ATTEMPTS if failure.status >= 429 else 1))
        turn = await socket.turn("Hello")
        assert (turn.outcome, turn.error_code) == ("failed", code)
        (error,) = turn.of("error")
        assert failure.message in error["error"]
        assert [event["type"] for event in turn.events[-2:]] == ["error", "done"]
        assert [message["role"] for message in await me.messages(turn.session_id)] == ["user"]
        await self.assert_goes_on(socket, turn)

    async def test_a_passing_one_is_tried_again(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(fail(503), fail(429), say("Here I am."))
        turn = await socket.turn("Hello")
        assert (turn.outcome, turn.text) == ("completed", "Here I am.")

    @pytest.mark.parametrize(
        ("parts", "seen"),
        [((DROP,), ""), (("Half of it", DROP), "Half of it")],
        ids=["at once", "in the middle"],
    )
    async def test_a_connection_that_breaks(
        self, llm: ScriptedLlm, me: User, socket: Socket, parts: tuple[Part, ...], seen: str
    ) -> None:
        llm.answer(*[Answer(parts)] * ATTEMPTS)
        turn = await socket.turn("Hello")
        assert (turn.outcome, turn.error_code) == ("failed", "llm_unavailable")
        assert turn.text == seen
        said = [message["content"] for message in await me.messages(turn.session_id)]
        assert said == (["Hello", seen] if seen else ["Hello"])
        llm._script.clear()
        await self.assert_goes_on(socket, turn)

    async def test_text_that_was_seen_is_never_said_twice(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(say("Half of it", DROP), say("Must not be asked for"))
        await socket.turn("Hello")
        assert len(llm.turns) == 1

    async def test_a_connection_that_breaks_within_a_call(self, llm: ScriptedLlm, me: User, socket: Socket) -> None:
        llm.answer(say("I look. ", call(READ, ['{"device', DROP])))
        turn = await socket.turn("Hello")
        assert (turn.outcome, turn.error_code) == ("failed", "llm_unavailable")
        assert turn.statuses == ["error"]
        await self.assert_goes_on(socket, turn)

    @pytest.mark.parametrize("parts", [(), ("Half of it",)], ids=["from the start", "in the middle"])
    async def test_one_that_falls_silent(self, llm: ScriptedLlm, start: Start, parts: tuple[Part, ...]) -> None:
        me = (await start(llm_timeout=0.3)).user()
        async with me.socket() as socket:
            llm.answer(say(*parts, Gate()))
            turn = await socket.turn("Hello")
            assert (turn.outcome, turn.error_code, turn.text) == ("failed", "llm_timeout", "".join(map(str, parts)))
            await llm.disconnected()
            await self.assert_goes_on(socket, turn)

    async def test_one_that_cannot_be_reached(self, start: Start) -> None:
        me = (await start(llm_base_url="http://127.0.0.1:1/v1")).user()
        async with me.socket() as socket:
            turn = await socket.turn("Hello")
        assert (turn.outcome, turn.error_code) == ("failed", "llm_unavailable")

    async def test_no_model_says_what_to_do(self, start: Start) -> None:
        me = (await start(llm_model="")).user()
        async with me.socket() as socket:
            turn = await socket.turn("Hello")
        assert (turn.outcome, turn.error_code) == ("failed", "llm_not_configured")
        assert "COPILOT_WS_LLM_MODEL" in turn.of("error")[0]["error"]

    async def test_no_secret_is_repeated(
        self, llm: ScriptedLlm, me: User, socket: Socket, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG, logger="copilot_ws")
        llm.answer(fail(401, f"Incorrect API key provided: {API_KEY}. Header: Bearer {API_KEY}"))
        turn = await socket.turn("Hello")
        assert llm.turns[0].authorization == f"Bearer {API_KEY}"
        assert "Incorrect API key" in turn.of("error")[0]["error"]
        assert API_KEY not in json.dumps(socket.frames)
        assert API_KEY not in caplog.text


class TestHistoriesThatAModelSpoilt:
    """The scripted provider answers 400 to a history that is not well formed: the next turn shows that it is."""

    @pytest.mark.parametrize("arguments", ['{"device', "[]", "null", "rubbish", '"text"', ""])
    async def test_malformed_arguments_go_back_as_an_object(
        self, llm: ScriptedLlm, me: User, socket: Socket, arguments: str
    ) -> None:
        llm.answer(say(call(READ, arguments), call(TOPOLOGY, {})), say("Done."))
        turn = await socket.turn("Go")
        assert turn.outcome == "completed"
        again = await socket.turn("Again", session_id=turn.session_id)
        assert (again.outcome, again.text) == ("completed", "You said: Again")
        stored = [m for m in await me.messages(turn.session_id) if m.get("tool_calls")]
        assert stored[0]["tool_calls"][-1]["function"]["arguments"] in (arguments, "{}")

    async def test_arguments_that_nest_without_end(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(say(call(READ, '{"a":' * 600 + "1" + "}" * 600)), say("Done."))
        turn = await socket.turn("Go")
        assert (turn.outcome, turn.statuses) == ("completed", ["error"])
        assert (await socket.turn("Again", session_id=turn.session_id)).outcome == "completed"

    async def test_a_call_cut_off_by_the_providers_limit(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(say("I look. ", call(READ, '{"device_configs": [{"dev'), finish="length"), say("I try again."))
        turn = await socket.turn("Go")
        assert (turn.outcome, turn.statuses) == ("completed", ["error"])
        assert (await socket.turn("Again", session_id=turn.session_id)).outcome == "completed"


class TestMaxIterations:
    async def test_the_last_calls_do_not_run_and_the_model_sums_up(
        self, llm: ScriptedLlm, me: User, socket: Socket
    ) -> None:
        asked = [call(TOPOLOGY, {}), call(TOPOLOGY, {}), call(TOPOLOGY, {})]
        llm.answer(say(asked[0]), say(asked[1], asked[2]), say("This is what I found."))
        turn = await socket.turn("Go", max_iterations=2)
        assert (turn.outcome, turn.text) == ("limited", "This is what I found.")
        assert [turn.results[one.id]["status"] for one in asked] == ["success", "limited", "limited"]
        (limit,) = turn.of("limit_reached")
        assert (limit["limit"], limit["value"]) == ("max_iterations", 2)
        assert [bool(asked.tools) for asked in llm.turns] == [True, True, False]
        assert (await me.session(turn.session_id))["llm_calls_count"] == 3
        assert (await socket.turn("Go on", session_id=turn.session_id)).outcome == "completed"

    async def test_one_call_runs_no_tool(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(say(call(TOPOLOGY, {})), say("Nothing was run."))
        turn = await socket.turn("Go", max_iterations=1)
        assert (turn.outcome, turn.statuses, turn.of("tool_start")) == ("limited", ["limited"], [])

    async def test_an_answer_without_calls_is_complete_at_the_limit(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(say(call(TOPOLOGY, {})), say("Done."))
        turn = await socket.turn("Go", max_iterations=2)
        assert (turn.outcome, turn.of("limit_reached")) == ("completed", [])

    async def test_run_started_tells_the_limit(self, socket: Socket) -> None:
        turn = await socket.turn("Go", max_iterations=7)
        assert turn.of("run_started")[0]["limits"]["max_iterations"] == 7

    async def test_each_message_has_its_own(self, llm: ScriptedLlm, socket: Socket) -> None:
        for _ in range(2):
            llm.answer(say(call(TOPOLOGY, {})), say("Done."))
            turn = await socket.turn("Go", session_id="s", max_iterations=2)
            assert turn.outcome == "completed"

    @pytest.mark.timeout(120)
    async def test_as_many_as_asked_for(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(*[say(call(TOPOLOGY, {})) for _ in range(99)], say("Done."))
        turn = await socket.end_of(await socket.chat("Go", max_iterations=100), seconds=90)
        assert (turn.outcome, len(turn.results)) == ("completed", 99)


async def test_a_request_sets_temperature_and_length(llm: ScriptedLlm, socket: Socket) -> None:
    await socket.turn("Go", temperature=0.25, max_tokens=77)
    body = llm.turns[0].body
    assert body["temperature"] == 0.25
    assert 77 in (body.get("max_tokens"), body.get("max_completion_tokens"))


async def test_the_topology_of_now_is_given_on_each_call(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    turn = await socket.turn("One")
    (pc2,) = [n for n in (await me.rest("GET", f"/v3/projects/{me.project_id}/nodes")).json if n["name"] == "PC2"]
    assert pc2["node_id"] in llm.turns[0].messages[0]["content"]
    await socket.turn("Two", session_id=turn.session_id)
    assert [m["role"] for m in llm.turns[1].messages] == ["system", "user", "assistant", "user"]
