"""What a person can decide about calls, in any mix and from anywhere: each call once, each with its own result."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from kit.hitl import (
    CONFIGURE,
    arguments,
    ask,
    configure,
    describe,
    lines_sent,
    marks_sent,
    pending,
    refused,
    repeated,
    results,
    told,
)
from kit.scripted_llm import TOPOLOGY, ScriptedLlm, call, host, say, show
from kit.server import Server, User
from kit.socket import MSGPACK, Socket

Json = dict[str, Any]


@pytest.fixture
async def other_tab(me: User) -> AsyncIterator[Socket]:
    async with me.socket(offers=(MSGPACK,)) as socket:
        yield socket


def answer_of(llm: ScriptedLlm, made: Any) -> str:
    """What the model was told, last, as the result of this call."""
    return next(m["content"] for m in llm.turns[-1].messages if m.get("tool_call_id") == made.id)


# asking


async def test_a_prompt_is_the_same_everywhere(llm: ScriptedLlm, me: User, socket: Socket, other_tab: Socket) -> None:
    made = describe("R1", "one")
    question = await ask(llm, socket, made)
    assert await other_tab.frame("hitl_required") == question.prompt
    status = {name: question.prompt[name] for name in await question.status()}
    assert await question.status() == await me.got(f"/sessions/{question.session_id}/hitl-status") == status
    async with me.socket() as late:
        assert late.hello["pending_hitl"] == [status]
        ((run),) = late.hello["runs"]
        assert (run["run_id"], run["status"]) == (question.run_id, "waiting")
    assert (await me.session(question.session_id))["status"] == "waiting"
    (tool,) = status["pending_tools"]
    assert (tool["tool_call_id"], tool["tool_name"], tool["tool_args"]) == (made.id, CONFIGURE, arguments(made))
    assert (tool["danger_level"], tool["dangerous_commands"]) == ("medium", [])
    assert "+ description one" in tool["preview"]
    assert status["status"] == "waiting"
    assert status["timeout"] == 300
    await question.reject()
    await question.end()
    assert await question.status() == {
        "status": "idle",
        "pending_tools": [],
        "hitl_session_id": None,
        "session_id": question.session_id,
        "timeout": 300,
        "expires_at": None,
    }


async def test_a_preview_cannot_always_be_made(llm: ScriptedLlm, server: Server, socket: Socket) -> None:
    question = await ask(llm, socket, host("PC1", "set pcname PC1"))
    (tool,) = question.prompt["pending_tools"]
    assert (tool["preview"], tool["danger_level"]) == (None, "low")
    assert lines_sent(server.project, "PC1") == []


# confirming and rejecting


async def test_confirm_all(llm: ScriptedLlm, server: Server, socket: Socket, other_tab: Socket) -> None:
    one, two = describe("R1", "one"), describe("R2", "two")
    question = await ask(llm, socket, one, two)
    assert await question.confirm() == {
        "status": "confirmed",
        "confirmed_count": 2,
        "message": "2 calls confirmed.",
        "remaining": [],
    }
    turn = await question.end()
    assert turn.statuses == ["success", "success"]
    assert (marks_sent(server.project, "R1"), marks_sent(server.project, "R2")) == (["one"], ["two"])
    for tab in (socket, other_tab):
        resolved = await tab.frame("hitl_resolved")
        assert resolved["remaining"] == []
        assert [(d["tool_call_id"], d["decision"], d["by"]) for d in resolved["decisions"]] == [
            (one.id, "confirmed", "local"),
            (two.id, "confirmed", "local"),
        ]


async def test_confirming_some_leaves_the_others(
    llm: ScriptedLlm, server: Server, me: User, socket: Socket, other_tab: Socket
) -> None:
    one, two, three = describe("R1", "one"), describe("R2", "two"), describe("R2", "three")
    question = await ask(llm, socket, one, two, three)
    first = await question.confirm(two)
    assert (first["confirmed_count"], first["remaining"]) == (1, [one.id, three.id])
    status = await question.status()
    assert (status["hitl_session_id"], pending(status)) == (question.id, [one.id, three.id])
    assert status["expires_at"] == question.prompt["expires_at"]
    assert lines_sent(server.project, "R2") == []
    assert socket.of("tool_start") == []
    second = await question.reject(one, tab=other_tab, reason="not now")
    assert (second["status"], second["confirmed_count"], second["remaining"]) == ("rejected", 0, [three.id])
    url = f"/sessions/{question.session_id}/hitl/confirm"
    third = await me.chat("POST", url, {"tool_call_ids": [three.id], "hitl_session_id": question.id})
    assert (third.status, third.json["remaining"]) == (200, [])
    turn = await question.end()
    assert [turn.results[made.id]["status"] for made in (one, two, three)] == ["rejected", "success", "success"]
    assert list(await results(me, question.session_id)) == [one.id, two.id, three.id]
    assert (marks_sent(server.project, "R1"), marks_sent(server.project, "R2")) == ([], ["two", "three"])
    resolved = [(e["decisions"][0]["tool_call_id"], e["remaining"]) for e in turn.of("hitl_resolved")]
    assert resolved == [(two.id, [one.id, three.id]), (one.id, [three.id]), (three.id, [])]


async def test_a_rejection_tells_the_model_why(llm: ScriptedLlm, server: Server, me: User, socket: Socket) -> None:
    made = describe("R1", "one")
    question = await ask(llm, socket, made)
    await question.reject(reason="maintenance is on Sunday")
    turn = await question.end()
    assert turn.outcome == "completed"
    assert turn.of("tool_start") == []
    assert turn.results[made.id]["status"] == "rejected"
    assert "maintenance is on Sunday" in answer_of(llm, made)
    assert answer_of(llm, made) == (await results(me, question.session_id))[made.id]["content"]
    assert turn.of("hitl_resolved")[0]["decisions"] == [
        {"tool_call_id": made.id, "decision": "rejected", "by": "local", "reason": "maintenance is on Sunday"}
    ]
    assert lines_sent(server.project, "R1") == []


async def test_every_kind_of_decision_in_one_batch(
    llm: ScriptedLlm, server: Server, me: User, socket: Socket, other_tab: Socket
) -> None:
    confirmed, rejected = describe("R1", "confirmed"), describe("R2", "rejected")
    direct, back = describe("R1", "direct"), describe("R2", "back")
    read = call(TOPOLOGY, {})
    question = await ask(llm, socket, read, confirmed, rejected, direct, back)
    assert question.pending == [confirmed.id, rejected.id, direct.id, back.id]
    await question.modify(direct, describe("R1", "direct-new"), apply="direct", tab=other_tab)
    await question.reject(rejected, reason="no")
    answer = await me.chat(
        "POST",
        f"/sessions/{question.session_id}/hitl/modify",
        {"tool_call_id": back.id, "modified_args": arguments(describe("R2", "back-new"))},
    )
    assert (answer.status, answer.json["remaining"]) == (200, [confirmed.id])
    await question.confirm()
    turn = await question.end()
    statuses = {call_id: end["status"] for call_id, end in turn.results.items()}
    assert statuses == {
        read.id: "success",
        confirmed.id: "success",
        rejected.id: "rejected",
        direct.id: "success",
        back.id: "replaced",
    }
    assert list(await results(me, question.session_id)) == [read.id, confirmed.id, rejected.id, direct.id, back.id]
    assert (marks_sent(server.project, "R1"), marks_sent(server.project, "R2")) == (["confirmed", "direct-new"], [])
    for tab in (socket, other_tab):
        decisions = [one for event in tab.of("hitl_resolved") for one in event["decisions"]]
        assert [one["decision"] for one in decisions] == ["modified", "rejected", "modified", "confirmed"]


# refusals


async def test_nothing_of_a_refused_request_is_applied(
    llm: ScriptedLlm, server: Server, me: User, socket: Socket
) -> None:
    one, two = describe("R1", "one"), describe("R2", "two")
    question = await ask(llm, socket, one, two)
    unknown = await refused(
        question.socket.command("hitl.confirm", session_id=question.session_id, tool_call_ids=[one.id, "call_nobody"])
    )
    assert (unknown["code"], unknown["details"]) == ("not_found", {"tool_call_ids": ["call_nobody"]})
    await question.reject(two)
    taken = await refused(question.confirm(one, two))
    assert taken["code"] == "already_resolved"
    assert taken["details"]["tool_call_id"] == two.id
    assert pending(await question.status()) == [one.id]
    assert len(socket.of("hitl_resolved")) == 1
    await question.reject()
    await question.end()
    assert lines_sent(server.project, "R1") == []


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("confirm", {}),
        ("confirm", {"confirm_all": False}),
        ("confirm", {"confirm_all": True, "tool_call_ids": ["x"]}),
        ("confirm", {"tool_call_ids": []}),
        ("confirm", {"tool_call_ids": "x"}),
        ("confirm", {"confirm_all": True, "reason": "unknown key"}),
        ("reject", {}),
        ("reject", {"reject_all": True, "tool_call_ids": ["x"]}),
        ("reject", {"reject_all": True, "reason": 7}),
        ("modify", {}),
        ("modify", {"tool_call_id": "x"}),
        ("modify", {"tool_call_id": "x", "modified_args": []}),
        ("modify", {"tool_call_id": "x", "modified_args": {}, "apply": "later"}),
    ],
    ids=str,
)
async def test_a_malformed_decision(llm: ScriptedLlm, me: User, socket: Socket, action: str, body: Json) -> None:
    question = await ask(llm, socket, describe("R1", "one"))
    answer = await me.chat("POST", f"/sessions/{question.session_id}/hitl/{action}", body)
    assert (answer.status, answer.code) == (422, "invalid_argument")
    error = await refused(socket.command(f"hitl.{action}", session_id=question.session_id, **body))
    assert error["code"] == "invalid_argument"
    assert pending(await question.status()) == question.pending


async def test_a_late_answer_learns_who_was_faster(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    one, two = describe("R1", "one"), describe("R2", "two")
    question = await ask(llm, socket, one, two)
    await question.reject(one, reason="no")
    await question.confirm(two)
    await question.end()
    decided = {c["tool_call_id"]: c for c in (await told(me, question.session_id))[0]["calls"]}
    for made, decision in ((one, "rejected"), (two, "confirmed")):
        late = await refused(question.confirm(made))
        assert late["code"] == "already_resolved"
        assert late["details"] == {
            "tool_call_id": made.id,
            "decision": decision,
            "by": "local",
            "decided_at": decided[made.id]["decided_at"],
        }
    by_rest = await me.chat("POST", f"/sessions/{question.session_id}/hitl/reject", {"reject_all": True})
    assert (by_rest.status, by_rest.code) == (409, "already_resolved")
    assert "local" in by_rest.json["message"]


async def test_nothing_was_ever_asked(me: User, socket: Socket) -> None:
    turn = await socket.turn("Hello")
    for action, body in (("confirm", {"confirm_all": True}), ("reject", {"tool_call_ids": ["x"]})):
        answer = await me.chat("POST", f"/sessions/{turn.session_id}/hitl/{action}", body)
        assert (answer.status, answer.code) == (409, "already_resolved")
    assert (await me.chat("POST", "/sessions/unknown/hitl/confirm", {"confirm_all": True})).status == 404


async def test_an_older_prompt_cannot_decide_a_newer_one(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    old, new = describe("R1", "old"), describe("R1", "new")
    first = await ask(llm, socket, old, then=[say(new)])
    await first.reject(reason="the other one")
    second = await first.again()
    assert second.id != first.id
    for work in (
        first.confirm(hitl_session_id=first.id),
        first.confirm(new, hitl_session_id=first.id),
        first.modify(new, new, hitl_session_id=first.id, apply="direct"),
        first.confirm(old, hitl_session_id=first.id),
        first.confirm(old),  # asked, but not by the prompt that is open
    ):
        late = await refused(work)
        assert late["code"] == "already_resolved"
        assert (late["details"]["tool_call_id"], late["details"]["decision"]) == (old.id, "rejected")
    assert pending(await second.status()) == [new.id]
    await second.confirm(hitl_session_id=second.id)
    assert (await second.end()).results[new.id]["status"] == "success"


# danger


async def test_danger_needs_a_yes_of_its_own(llm: ScriptedLlm, server: Server, me: User, socket: Socket) -> None:
    safe, dangerous = describe("R1", "safe"), configure("R2", "no ip routing")
    question = await ask(llm, socket, safe, dangerous)
    for work in (question.confirm(), question.confirm(dangerous), question.confirm(safe, dangerous)):
        error = await refused(work)
        assert error["code"] == "confirmation_required"
        (detail,) = error["details"]
        assert detail["tool_call_id"] == dangerous.id
        (command,) = detail["dangerous_commands"]
        assert (command["device_name"], command["command"]) == ("R2", "no ip routing")
        assert command["reason"]
    by_rest = await me.chat("POST", f"/sessions/{question.session_id}/hitl/confirm", {"confirm_all": True})
    assert (by_rest.status, by_rest.code) == (409, "confirmation_required")
    assert pending(await question.status()) == [safe.id, dangerous.id]
    await question.confirm(safe)
    await question.confirm(dangerous, acknowledge_dangerous=True)
    assert (await question.end()).statuses == ["success", "success"]
    assert "no ip routing" in lines_sent(server.project, "R2")


@pytest.mark.parametrize("apply", ["direct", "regenerate"])
async def test_danger_that_a_person_writes(llm: ScriptedLlm, server: Server, socket: Socket, apply: str) -> None:
    made, dangerous = describe("R2", "one"), configure("R2", "no ip routing")
    question = await ask(llm, socket, made, then=[say(repeated(dangerous))] if apply == "regenerate" else [])
    error = await refused(question.modify(made, dangerous, apply=apply))
    assert (error["code"], error["details"][0]["tool_call_id"]) == ("confirmation_required", made.id)
    assert pending(await question.status()) == [made.id]
    await question.modify(made, dangerous, apply=apply, acknowledge_dangerous=True)
    assert (await question.end()).outcome == "completed"
    assert lines_sent(server.project, "R2").count("no ip routing") == 1
    assert len(socket.of("hitl_required")) == 1


async def test_danger_that_a_person_takes_out(llm: ScriptedLlm, server: Server, socket: Socket) -> None:
    made = configure("R2", "interface Loopback50", "do reload")
    question = await ask(llm, socket, made)
    assert question.prompt["pending_tools"][0]["danger_level"] == "high"
    await question.modify(made, describe("R2", "calm"), apply="direct")
    assert (await question.end()).statuses == ["success"]
    assert "do reload" not in lines_sent(server.project, "R2")


# modifying, direct


async def test_changed_arguments_run_as_they_are(llm: ScriptedLlm, server: Server, me: User, socket: Socket) -> None:
    made, wanted = describe("R1", "theirs"), describe("R1", "mine")
    question = await ask(llm, socket, made)
    answer = await question.modify(made, wanted, apply="direct")
    assert (answer["status"], answer["confirmed_count"], answer["remaining"]) == ("modified", 0, [])
    summary = answer["modification_summary"].splitlines()
    assert {"-description theirs", "+description mine", " interface Loopback50"} <= set(summary)
    assert summary[0].startswith("--- R1")
    turn = await question.end()
    assert len(turn.of("hitl_required")) == 1
    assert marks_sent(server.project, "R1") == ["mine"]
    end = turn.results[made.id]
    assert (end["status"], end["executed_args"]) == ("success", arguments(wanted))
    message = (await results(me, question.session_id))[made.id]
    assert message["metadata"]["executed_args"] == arguments(wanted)
    assert message["content"] == end["tool_output"] == answer_of(llm, made)
    output = json.loads(message["content"])
    assert output["executed_args"] == arguments(wanted)
    assert "person changed" in output["note"]
    (asking,) = [m for m in await me.messages(question.session_id) if m.get("tool_calls")]
    assert json.loads(asking["tool_calls"][0]["function"]["arguments"]) == arguments(made), "the model's own stay"


async def test_a_call_moved_to_another_device_keeps_its_place(llm: ScriptedLlm, server: Server, socket: Socket) -> None:
    """Calls on one device run in the model's order, also if a person has put one of them there."""
    slow, moved, later = (
        configure("R1", "do ping 203.0.113.1 repeat 1"),
        describe("R2", "moved"),
        describe("R2", "later"),
    )
    question = await ask(llm, socket, slow, moved, later)
    await question.modify(moved, describe("R1", "moved"), apply="direct")
    await question.confirm()
    turn = await question.end()
    assert turn.statuses.count("success") == 3
    starts = [event["tool_call_id"] for event in turn.events if event["type"] in ("tool_start", "tool_end")]
    assert starts.index(moved.id) > max(n for n, call_id in enumerate(starts) if call_id == slow.id)
    assert marks_sent(server.project, "R1") == ["moved"]


@pytest.mark.parametrize(
    ("modified", "field"),
    [
        ({}, "device_configs"),
        ({"device_configs": "R1"}, "device_configs"),
        ({"device_configs": [{"device_name": "R1"}]}, "config_commands"),
        ({"device_configs": [{"device_name": "R1", "config_commands": [5]}]}, "config_commands"),
        ({"device_configs": [{"device_name": "R9", "config_commands": ["x"]}]}, "R9"),
        ({"device_configs": [{"device_name": "PC1", "config_commands": ["! rm -rf /"]}]}, "!"),
    ],
    ids=str,
)
async def test_arguments_that_cannot_run_are_refused(
    llm: ScriptedLlm, me: User, socket: Socket, modified: Json, field: str
) -> None:
    made = describe("R1", "one")
    question = await ask(llm, socket, made)
    body = {"tool_call_id": made.id, "modified_args": modified, "apply": "direct"}
    answer = await me.chat("POST", f"/sessions/{question.session_id}/hitl/modify", body)
    assert (answer.status, answer.code) == (422, "invalid_argument")
    assert field in answer.text
    assert (await question.status())["pending_tools"] == question.prompt["pending_tools"]
    assert socket.of("hitl_resolved") == []


async def test_a_call_that_was_never_asked_cannot_be_changed(llm: ScriptedLlm, socket: Socket) -> None:
    read = show("R1", "show version")
    question = await ask(llm, socket, read, describe("R2", "one"))
    error = await refused(question.modify(read, describe("R1", "x"), apply="direct"))
    assert error["code"] == "not_found"


# modifying, by way of the model


async def test_the_model_repeats_what_the_person_wants(
    llm: ScriptedLlm, server: Server, me: User, socket: Socket
) -> None:
    made, wanted = describe("R1", "theirs"), describe("R1", "mine")
    question = await ask(llm, socket, made, then=[say(wanted), say("As you wish.")])
    await question.modify(made, wanted)
    turn = await question.end()
    assert (turn.outcome, turn.text) == ("completed", "As you wish.")
    assert len(turn.of("hitl_required")) == 1
    assert [turn.results[one.id]["status"] for one in (made, wanted)] == ["replaced", "success"]
    asked_again = next(m["content"] for m in llm.turns[1].messages if m.get("tool_call_id") == made.id)
    assert (json.loads(asked_again)["old_args"], json.loads(asked_again)["new_args"]) == (
        arguments(made),
        arguments(wanted),
    )
    assert marks_sent(server.project, "R1") == ["mine"]
    (story,) = await told(me, question.session_id)
    (entry,) = story["calls"]
    assert (entry["decision"], entry["final_args"], entry["status"]) == ("modified", arguments(wanted), "success")


async def test_the_model_does_something_else(llm: ScriptedLlm, server: Server, me: User, socket: Socket) -> None:
    made, wanted, own = describe("R1", "theirs"), describe("R1", "mine"), describe("R1", "own idea")
    first = await ask(llm, socket, made, then=[say(own)])
    await first.modify(made, wanted, apply="regenerate")
    second = await first.again()
    assert second.id != first.id
    assert [tool["tool_args"] for tool in second.prompt["pending_tools"]] == [arguments(own)]
    await second.reject()
    await second.end()
    assert marks_sent(server.project, "R1") == []
    statuses = [story["calls"][0]["status"] for story in await told(me, first.session_id)]
    assert statuses == ["not executed", "rejected"]


async def test_a_granted_call_runs_once(llm: ScriptedLlm, server: Server, me: User, socket: Socket) -> None:
    made, wanted = describe("R1", "theirs"), describe("R1", "mine")
    once_more = repeated(wanted)
    first = await ask(llm, socket, made, then=[say(wanted), say(once_more)])
    await first.modify(made, wanted)
    second = await first.again()
    assert second.pending == [once_more.id]
    await second.reject()
    await second.end()
    assert marks_sent(server.project, "R1") == ["mine"]


async def test_two_of_the_same_need_two_grants(llm: ScriptedLlm, server: Server, socket: Socket) -> None:
    made, wanted = describe("R1", "theirs"), describe("R1", "mine")
    twin = repeated(wanted)
    first = await ask(llm, socket, made, then=[say(wanted, twin)])
    await first.modify(made, wanted)
    second = await first.again()
    assert second.pending == [twin.id]
    await second.confirm()
    turn = await second.end()
    assert [turn.results[one.id]["status"] for one in (made, wanted, twin)] == ["replaced", "success", "success"]
    assert marks_sent(server.project, "R1") == ["mine", "mine"]


async def test_a_grant_survives_batches_that_need_nobody(llm: ScriptedLlm, server: Server, socket: Socket) -> None:
    made, wanted = describe("R1", "theirs"), describe("R1", "mine")
    question = await ask(llm, socket, made, then=[say(show("R1", "show version")), say(wanted)])
    await question.modify(made, wanted)
    assert (await question.end()).outcome == "completed"
    assert len(socket.of("hitl_required")) == 1
    assert marks_sent(server.project, "R1") == ["mine"]


async def test_a_grant_is_dropped_by_the_next_question(
    llm: ScriptedLlm, server: Server, me: User, socket: Socket
) -> None:
    made, wanted, between = describe("R1", "theirs"), describe("R1", "mine"), describe("R2", "between")
    late = repeated(wanted)
    first = await ask(llm, socket, made, then=[say(between), say(late)])
    await first.modify(made, wanted)
    second = await first.again()
    await second.confirm()
    third = await second.again()
    assert third.pending == [late.id], "the person has seen something else in between"
    await third.reject()
    await third.end()
    assert marks_sent(server.project, "R1") == []
    statuses = [story["calls"][0]["status"] for story in await told(me, first.session_id)]
    assert statuses == ["not executed", "success", "rejected"]


async def test_a_grant_ends_with_its_run(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    made, wanted = describe("R1", "theirs"), describe("R1", "mine")
    first = await ask(llm, socket, made)
    await first.modify(made, wanted)
    await first.end()
    second = await ask(llm, socket, repeated(wanted), session_id=first.session_id)
    await second.reject()
    await second.end()
    statuses = [story["calls"][0]["status"] for story in await told(me, first.session_id)]
    assert statuses == ["not executed", "rejected"]


async def test_the_next_message_knows_what_was_decided(llm: ScriptedLlm, socket: Socket) -> None:
    confirmed, rejected = describe("R1", "yes"), describe("R2", "no")
    question = await ask(llm, socket, confirmed, rejected)
    await question.confirm(confirmed)
    await question.reject(rejected, reason="a good reason")
    await question.end()
    assert (await socket.turn("What happened?", session_id=question.session_id)).outcome == "completed"
    assert "success" in answer_of(llm, confirmed)
    assert "a good reason" in answer_of(llm, rejected)
