"""The limits of one run: what they forbid, what is told, how a run ends at them, and that they last."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import Any

import pytest
from kit.conversation import assert_valid
from kit.hitl import ask, configure, describe, lines_sent, refused, repeated
from kit.scripted_llm import READ, TOPOLOGY, Gate, ScriptedLlm, call, host, say, show, sleep
from kit.server import Server, Start, User
from kit.socket import Socket

from copilot_ws.agent.tools import BY_NAME

TEMPLATES = "get_gns3_templates"


def look() -> Any:
    return call(TOPOLOGY, {})


async def test_without_limits_a_run_is_told_the_usual_ones(llm: ScriptedLlm, socket: Socket) -> None:
    llm.answer(say("Hi."))
    (started,) = (await socket.turn("Hi")).of("run_started")
    assert started["limits"]["max_iterations"] == 20
    assert started["limits"]["on_limit_reached"] == "warn"
    assert "max_tool_calls" not in started["limits"]


@pytest.mark.parametrize("request_", [{"max_iterations": 2}, {"controls": {"max_iterations": 2}}])
async def test_the_calls_of_the_last_model_call_do_not_run(
    llm: ScriptedLlm, me: User, socket: Socket, request_: Any
) -> None:
    llm.answer(say(look()), say(look()), say("Summed up."))
    turn = await socket.turn("Look", **request_)
    assert turn.statuses == ["success", "limited"]
    assert turn.outcome == "limited"
    assert [event["limit"] for event in turn.of("limit_reached")] == ["max_iterations"]
    assert turn.text == "Summed up."
    assert llm.turns[-1].tools == []
    assert_valid(await me.messages(turn.session_id))


async def test_what_stands_beside_the_controls_wins_over_what_stands_in_them(llm: ScriptedLlm, socket: Socket) -> None:
    llm.answer(say("Hi."))
    turn = await socket.turn("Hi", max_tool_calls=3, controls={"max_tool_calls": 9})
    assert turn.of("run_started")[0]["limits"]["max_tool_calls"] == 3


async def test_of_a_batch_over_the_limit_the_first_calls_run(llm: ScriptedLlm, socket: Socket) -> None:
    calls = [look() for _ in range(5)]
    llm.answer(say(*calls), say("Summed up."))
    turn = await socket.turn("Look", max_tool_calls=3)
    assert [turn.results[made.id]["status"] for made in calls] == ["success"] * 3 + ["limited"] * 2
    assert all("max_tool_calls" in turn.results[made.id]["tool_output"] for made in calls[3:])


async def test_a_call_that_could_not_run_anyway_takes_no_slot(llm: ScriptedLlm, socket: Socket) -> None:
    wrong, right = call("no_such_tool", {}), look()
    llm.answer(say(wrong, right), say("Done."))
    turn = await socket.turn("Look", max_tool_calls=1)
    assert (turn.results[wrong.id]["status"], turn.results[right.id]["status"]) == ("error", "success")
    assert turn.outcome == "completed"


async def test_a_limit_holds_for_one_tool_and_leaves_the_others(llm: ScriptedLlm, socket: Socket) -> None:
    calls = [look(), look(), call(TEMPLATES, {})]
    llm.answer(say(*calls), say("Summed up."))
    turn = await socket.turn("Look", controls={"tool_limits": {TOPOLOGY: 1}})
    assert [turn.results[made.id]["status"] for made in calls] == ["success", "limited", "success"]
    assert turn.of("limit_reached")[0]["limit"] == f"tool_limits.{TOPOLOGY}"


async def test_reading_and_configuring_device_tools_are_limited_together(llm: ScriptedLlm, socket: Socket) -> None:
    calls = [show("R1", "show clock"), host("PC1", "show ip"), configure("R1", "hostname R1"), host("PC1", "save")]
    llm.answer(say(*calls), say("Summed up."))
    turn = await socket.turn("Go", controls={"max_diagnostic_calls": 1, "max_device_config_calls": 0})
    assert [turn.results[made.id]["status"] for made in calls] == ["success", "limited", "limited", "limited"]
    assert not turn.of("hitl_required")


async def test_a_rejected_call_takes_no_slot(llm: ScriptedLlm, socket: Socket) -> None:
    first, second = describe("R1", "one"), describe("R1", "two")
    question = await ask(llm, socket, first, then=[say(second), say("Done.")], max_tool_calls=1)
    await question.reject()
    again = await question.again()
    await again.confirm()
    turn = await question.end()
    assert (turn.results[first.id]["status"], turn.results[second.id]["status"]) == ("rejected", "success")
    assert turn.outcome == "completed"


async def test_nobody_is_asked_about_a_call_that_a_limit_forbids(
    llm: ScriptedLlm, server: Server, socket: Socket
) -> None:
    first, second = describe("R1", "allowed"), describe("R2", "forbidden")
    question = await ask(llm, socket, first, second, then=[say("Summed up.")], max_tool_calls=1)
    assert question.pending == [first.id]
    await question.confirm()
    turn = await question.end()
    assert (turn.results[first.id]["status"], turn.results[second.id]["status"]) == ("success", "limited")
    assert "description forbidden" not in lines_sent(server.project, "R2")


async def test_fail_ends_the_run_with_an_error_after_what_may_run(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    calls = [look(), look()]
    llm.answer(say(*calls))
    turn = await socket.turn("Look", max_tool_calls=1, controls={"on_limit_reached": "fail"})
    assert (turn.error_code, turn.outcome) == ("limit_reached", "limited")
    assert [turn.results[made.id]["status"] for made in calls] == ["success", "limited"]
    assert len(llm.turns) == 1
    assert_valid(await me.messages(turn.session_id))


async def test_continue_only_tells(llm: ScriptedLlm, socket: Socket) -> None:
    llm.answer(say(look(), look()), say(look()), say("The end."))
    controls = {"on_limit_reached": "continue", "max_iterations": 1}
    turn = await socket.turn("Look", max_tool_calls=1, controls=controls)
    assert turn.statuses == ["success"] * 3
    assert sorted(event["limit"] for event in turn.of("limit_reached")) == ["max_iterations", "max_tool_calls"]
    assert (turn.text, turn.outcome) == ("The end.", "completed")


async def test_the_time_of_a_run_cuts_off_an_answer_and_keeps_it(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say("As far as this. ", Gate()), say("Summed up."))
    turn = await socket.turn("Talk", controls={"max_execution_time_seconds": 1})
    assert turn.of("limit_reached")[0]["limit"] == "max_execution_time_seconds"
    assert turn.outcome == "limited"
    texts = [m["content"] for m in await me.messages(turn.session_id) if m["role"] == "assistant"]
    assert texts == ["As far as this. ", "Summed up."]


async def test_the_time_of_a_run_cuts_off_a_tool(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    slow = sleep(60)
    llm.answer(say(slow))
    controls = {"max_execution_time_seconds": 1, "on_limit_reached": "fail"}
    turn = await socket.turn("Wait", controls=controls)
    assert turn.results[slow.id]["status"] in ("stopped", "limited")
    assert (turn.error_code, turn.outcome) == ("limit_reached", "limited")
    llm.answer(say("Still here."))
    assert (await socket.turn("And now?", session_id=turn.session_id)).text == "Still here."


async def test_the_time_that_a_person_takes_is_not_counted(llm: ScriptedLlm, socket: Socket) -> None:
    controls = {"max_execution_time_seconds": 1}
    question = await ask(llm, socket, describe("R1", "late"), then=[say("Done.")], controls=controls)
    await asyncio.sleep(1.2)  # the person takes longer than the run may take
    await question.confirm()
    assert (await question.end()).outcome == "completed"


async def test_a_budget_of_tokens_is_the_plain_sum_over_all_calls(llm: ScriptedLlm, socket: Socket) -> None:
    rounds = [say(look(), usage=(1000, 100)) for _ in range(4)]
    llm.answer(*rounds[:3], say("Summed up.", usage=(1000, 100)))
    turn = await socket.turn("Look", controls={"max_total_tokens": 3000})
    assert turn.of("limit_reached")[0]["limit"] == "max_total_tokens"
    assert (turn.text, turn.outcome, len(llm.turns)) == ("Summed up.", "limited", 4)


async def test_a_budget_of_money_needs_a_price(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    turn = await socket.turn("Hi", controls={"max_cost_usd": 0.5})
    assert (turn.outcome, turn.error_code) == ("failed", "invalid_argument")
    assert "max_cost_usd" in turn.of("error")[0]["error"]
    assert llm.turns == []


async def test_a_cost_that_is_not_known_is_not_shown_as_nothing(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say("Hi."))
    turn = await socket.turn("Hi")
    bill = (await me.session(turn.session_id))["stats"]["billed"]["scripted"]
    assert bill == {"input_tokens": 100, "output_tokens": 10, "calls": 1, "cost_usd": "unknown"}
    assert "cost_usd" not in turn.done["usage"]


async def test_a_budget_of_money_ends_a_run_of_a_priced_model(start: Start, llm: ScriptedLlm, monkeypatch: Any) -> None:
    monkeypatch.setattr("copilot_ws.agent.think.cost_usd", lambda *_: 0.3)
    monkeypatch.setattr("copilot_ws.agent.think_on.cost_usd", lambda *_: 0.3)
    llm.answer(say(look()), say(look()), say("Summed up."))
    async with (await start()).user().socket() as socket:
        turn = await socket.turn("Look", controls={"max_cost_usd": 0.5})
    assert turn.of("limit_reached")[0]["limit"] == "max_cost_usd"
    assert turn.outcome == "limited"
    assert [round(event["usage"]["cost_usd"], 1) for event in turn.of("usage")] == [0.3, 0.6, 0.9]


async def test_an_estimate_is_given_before_the_first_call(llm: ScriptedLlm, socket: Socket) -> None:
    llm.answer(say("Hi."))
    turn = await socket.turn("Hi", controls={"estimate_cost_before_execution": True})
    estimate = turn.of("run_started")[0]["estimate"]
    assert estimate["input_tokens"] > 100
    assert estimate["cost_usd"] == "unknown"


@pytest.mark.parametrize(
    ("controls", "tries"), [({}, 1), ({"retry_on_tool_error": True, "max_retries_per_tool": 2}, 3)]
)
async def test_a_reading_tool_that_failed_is_tried_again_if_asked_for(
    llm: ScriptedLlm, socket: Socket, monkeypatch: pytest.MonkeyPatch, controls: Any, tries: int
) -> None:
    tool, runs = BY_NAME[READ], []

    async def counted(around: Any, arguments: Any) -> Any:
        runs.append(arguments)
        return await tool.run(around, arguments)

    monkeypatch.setitem(BY_NAME, READ, replace(tool, run=counted))
    wrong = show("NOPE", "show version")
    llm.answer(say(wrong), say("Done."))
    turn = await socket.turn("Go", controls=controls)
    assert (turn.results[wrong.id]["status"], len(runs)) == ("error", tries)


@pytest.mark.parametrize(("most", "order"), [(1, "start end start end"), (2, "start start end end")])
async def test_so_many_tools_run_side_by_side(llm: ScriptedLlm, socket: Socket, most: int, order: str) -> None:
    llm.answer(say(sleep(1, "PC1"), sleep(1, "PC2")), say("Done."))
    turn = await socket.turn("Go", controls={"max_parallel_tools": most})
    kinds = [
        event["type"].removeprefix("tool_") for event in turn.events if event["type"] in ("tool_start", "tool_end")
    ]
    assert " ".join(kinds) == order


async def test_a_configuring_tool_is_never_tried_again(llm: ScriptedLlm, server: Server, socket: Socket) -> None:
    wrong = configure("R1", "hostname -bad-")
    controls = {"retry_on_tool_error": True, "max_retries_per_tool": 5}
    question = await ask(llm, socket, wrong, then=[say("Done.")], controls=controls)
    await question.confirm()
    await question.end()
    assert lines_sent(server.project, "R1").count("hostname -bad-") == 1


async def test_limits_can_be_changed_while_the_run_goes_on(llm: ScriptedLlm, socket: Socket) -> None:
    first = describe("R1", "first")
    second = repeated(first)
    question = await ask(llm, socket, first, then=[say(second), say("Summed up.")], max_tool_calls=5)
    session_id = question.session_id
    in_force = await socket.command("run.limits", session_id=session_id, max_tool_calls=1)
    assert in_force["max_tool_calls"] == 1
    await question.confirm()
    turn = await question.end()
    assert (turn.results[first.id]["status"], turn.results[second.id]["status"]) == ("success", "limited")
    error = await refused(socket.command("run.limits", session_id=session_id, max_tool_calls=1))
    assert error["code"] == "conflict"


async def test_limits_and_what_is_spent_last_over_a_restart(start: Start, llm: ScriptedLlm) -> None:
    first, second = look(), describe("R1", "after")
    server = await start()
    async with server.user().socket() as socket:
        llm.answer(say(first), say(second))
        sent = await socket.chat("Go", max_tool_calls=9)
        await socket.frame("hitl_required", run_id=sent["run_id"])
        await socket.command("run.limits", session_id=sent["session_id"], max_tool_calls=2)
    await server.stop()
    third = look()
    llm.answer(say(third), say("Summed up."))
    async with (await start()).user().socket() as socket:
        await socket.command("hitl.confirm", session_id=sent["session_id"], confirm_all=True)
        done = await socket.frame("done", run_id=sent["run_id"])
        ends = {event["tool_call_id"]: event["status"] for event in socket.of("tool_end", run_id=sent["run_id"])}
    assert done["outcome"] == "limited"
    assert ends == {second.id: "success", third.id: "limited"}


async def test_what_a_request_overrides_lasts_over_a_pause_and_a_restart(start: Start, llm: ScriptedLlm) -> None:
    server = await start(llm_temperature=0.9)
    async with server.user().socket() as socket:
        llm.answer(say(describe("R1", "asked")))
        sent = await socket.chat("Go", temperature=0.25, max_tokens=77)
        await socket.frame("hitl_required", run_id=sent["run_id"])
    await server.stop()
    llm.answer(say("Done."))
    async with (await start(llm_temperature=0.9)).user().socket() as socket:
        await socket.command("hitl.confirm", session_id=sent["session_id"], confirm_all=True)
        assert (await socket.frame("done", run_id=sent["run_id"]))["outcome"] == "completed"
    assert [(asked.body["temperature"], asked.body["max_tokens"]) for asked in llm.turns] == [(0.25, 77)] * 2


async def test_one_line_of_the_log_tells_all_parameters_of_a_run_and_one_each_limit_that_it_reached(
    llm: ScriptedLlm, socket: Socket, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "copilot_ws.audit")
    llm.answer(say(look(), look()), say("The end."))
    given = {"max_tool_calls": 1, "max_parallel_tools": 3, "on_limit_reached": "continue"}
    turn = await socket.turn("Look", temperature=0.25, max_tokens=77, controls=given)
    begun, reached = [one.getMessage() for one in caplog.records if one.name == "copilot_ws.audit"]
    for told in (
        turn.run_id,
        turn.session_id,
        "local",
        "'temperature': 0.25",
        "'max_tokens': 77",
        "'max_iterations': 20",
    ):
        assert told in begun
    for name, value in given.items():
        assert f"{name!r}: {value!r}" in begun
    assert turn.run_id in reached
    assert "'max_tool_calls'" in reached
