"""While a person is asked: the prompt expires, or is cancelled, or waits; nothing else goes on in its session."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

import pytest
from kit.hitl import (
    Question,
    arguments,
    ask,
    configure,
    describe,
    lines_sent,
    marks_sent,
    pending,
    refused,
    results,
    told,
)
from kit.scripted_llm import Gate, ScriptedLlm, say
from kit.server import Server, Start, User
from kit.socket import Socket
from kit.waiting import eventually, soon

Json = dict[str, Any]
SHORT = 1
"""Seconds until a prompt expires, where a test waits for that."""


def decisions(events: list[Json]) -> list[tuple[str, str, str]]:
    return [
        (one["tool_call_id"], one["decision"], one["by"])
        for event in events
        if event["type"] == "hitl_resolved"
        for one in event["decisions"]
    ]


async def assert_goes_on(socket: Socket, session_id: str) -> None:
    """The next message works, also for the provider."""
    assert (await socket.turn("And now?", session_id=session_id)).outcome == "completed"


# expiry


@pytest.fixture
async def hasty(start: Start) -> Server:
    """A server whose prompts expire soon."""
    return await start(hitl_timeout=SHORT)


@pytest.fixture
async def hasty_socket(hasty: Server) -> AsyncIterator[Socket]:
    async with hasty.user().socket() as socket:
        yield socket


async def test_an_unanswered_prompt_expires(llm: ScriptedLlm, hasty: Server, hasty_socket: Socket) -> None:
    made = describe("R1", "one")
    question = await ask(llm, hasty_socket, made, then=[say("Nobody was there.")])
    assert question.prompt["timeout"] == SHORT
    turn = await question.end()
    assert decisions(turn.events) == [(made.id, "expired", "server")]
    assert turn.results[made.id]["status"] == "expired"
    assert "in time" in turn.results[made.id]["tool_output"]
    assert (turn.outcome, turn.text) == ("completed", "Nobody was there.")
    late = await refused(question.confirm(made))
    assert (late["code"], late["details"]["decision"]) == ("already_resolved", "expired")
    assert lines_sent(hasty.project, "R1") == []
    await assert_goes_on(hasty_socket, question.session_id)


async def test_only_what_is_undecided_expires(llm: ScriptedLlm, hasty: Server, hasty_socket: Socket) -> None:
    confirmed, rejected, left = describe("R1", "confirmed"), describe("R2", "rejected"), describe("R1", "left")
    question = await ask(llm, hasty_socket, confirmed, rejected, left)
    await question.confirm(confirmed)
    await question.reject(rejected)
    assert (await question.status())["expires_at"] == question.prompt["expires_at"], "the deadline does not move"
    turn = await question.end()
    assert turn.of("hitl_resolved")[-1]["remaining"] == []
    assert decisions(turn.events)[-1] == (left.id, "expired", "server")
    assert [turn.results[made.id]["status"] for made in (confirmed, rejected, left)] == [
        "success",
        "rejected",
        "expired",
    ]
    assert (marks_sent(hasty.project, "R1"), marks_sent(hasty.project, "R2")) == (["confirmed"], [])


async def test_it_expires_without_any_client(llm: ScriptedLlm, hasty: Server) -> None:
    made = describe("R1", "one")
    async with hasty.user().socket() as socket:
        question = await ask(llm, socket, made)
    me = hasty.user()
    await me.idle(question.session_id)
    assert (await results(me, question.session_id))[made.id]["metadata"]["status"] == "expired"


async def test_a_restart_does_not_move_the_deadline(llm: ScriptedLlm, start: Start) -> None:
    server = await start(hitl_timeout=300)
    made, other = describe("R1", "one"), describe("R2", "two")
    async with server.user().socket() as socket:
        question = await ask(llm, socket, made, other)
        await question.confirm(other)
    await server.stop()
    again = await start(hitl_timeout=5)
    async with again.user().socket() as socket:
        (status,) = socket.hello["pending_hitl"]
        assert (status["hitl_session_id"], pending(status)) == (question.id, [made.id])
        assert status["expires_at"] == question.prompt["expires_at"]
        assert status["timeout"] == question.prompt["timeout"]
        found = Question(socket, question.sent, status)
        await found.confirm(hitl_session_id=question.id)
        turn = await found.end()
        assert turn.outcome == "completed"
    assert (marks_sent(again.project, "R1"), marks_sent(again.project, "R2")) == (["one"], ["two"])


async def test_what_expired_while_the_server_was_away(llm: ScriptedLlm, start: Start) -> None:
    server = await start(hitl_timeout=SHORT)
    made = describe("R1", "one")
    async with server.user().socket() as socket:
        question = await ask(llm, socket, made)
    await server.stop()
    deadline = datetime.fromisoformat(question.prompt["expires_at"])
    await eventually(lambda: datetime.now(deadline.tzinfo) > deadline, "the deadline is over")
    again = await start(hitl_timeout=SHORT)
    me = again.user()
    await me.idle(question.session_id)
    assert (await results(me, question.session_id))[made.id]["metadata"]["status"] == "expired"
    assert lines_sent(again.project, "R1") == []


async def test_a_timeout_of_zero_waits_for_ever(llm: ScriptedLlm, start: Start) -> None:
    server = await start(hitl_timeout=0)
    async with server.user().socket() as socket:
        question = await ask(llm, socket, describe("R1", "one"))
        assert (question.prompt["timeout"], question.prompt["expires_at"]) == (0, None)
        await question.confirm()
        assert (await question.end()).statuses == ["success"]


# cancelling


@pytest.mark.parametrize("how", ["chat.stop", "/abort", "/stop"])
async def test_a_stop_cancels_the_prompt(llm: ScriptedLlm, server: Server, me: User, socket: Socket, how: str) -> None:
    confirmed, rejected, left = describe("R1", "confirmed"), describe("R2", "rejected"), describe("R2", "left")
    question = await ask(llm, socket, confirmed, rejected, left)
    await question.confirm(confirmed)
    await question.reject(rejected, reason="no")
    if how == "chat.stop":
        answer = await socket.command(how, session_id=question.session_id)
        assert answer == {"session_id": question.session_id, "stopped": True}
    else:
        assert (await me.chat("POST", f"/sessions/{question.session_id}{how}")).status == 200
    turn = await question.end()
    assert turn.outcome == "stopped"
    assert decisions(turn.events)[-1] == (left.id, "cancelled", "local")
    assert [turn.results[made.id]["status"] for made in (confirmed, rejected, left)] == [
        "stopped",
        "rejected",
        "stopped",
    ]
    assert len(llm.turns) == 1
    late = await refused(question.confirm(left))
    assert (late["code"], late["details"]["decision"]) == ("already_resolved", "cancelled")
    assert lines_sent(server.project, "R1") == lines_sent(server.project, "R2") == []
    await assert_goes_on(socket, question.session_id)


async def test_an_interrupting_message_cancels_the_prompt(llm: ScriptedLlm, server: Server, socket: Socket) -> None:
    made = describe("R1", "one")
    question = await ask(llm, socket, made, then=[say("Instead.")])
    sent = await socket.chat("Never mind", session_id=question.session_id, on_busy="interrupt")
    old, new = await question.end(), await socket.end_of(sent)
    assert (old.outcome, new.outcome, new.text) == ("stopped", "completed", "Instead.")
    assert decisions(old.events) == [(made.id, "cancelled", "local")]
    assert lines_sent(server.project, "R1") == []


async def test_deleting_the_session_drops_the_prompt(
    llm: ScriptedLlm, server: Server, me: User, socket: Socket
) -> None:
    made = describe("R1", "one")
    question = await ask(llm, socket, made)
    assert (await me.chat("DELETE", f"/sessions/{question.session_id}")).status == 204
    await socket.frame("session_deleted", session_id=question.session_id)
    assert decisions(socket.events) == [(made.id, "cancelled", "local")]
    for kind in ("hitl.confirm", "hitl.status"):
        more = {"confirm_all": True} if kind == "hitl.confirm" else {}
        assert (await refused(socket.command(kind, session_id=question.session_id, **more)))["code"] == "not_found"
    async with me.socket() as late:
        assert late.hello["pending_hitl"] == late.hello["runs"] == []
    assert lines_sent(server.project, "R1") == []


async def test_closing_the_project_cancels_the_prompt(llm: ScriptedLlm, server: Server, me: User) -> None:
    made = describe("R1", "one")
    async with me.socket() as socket:
        question = await ask(llm, socket, made)
        assert (await me.rest("POST", f"/v3/projects/{me.project_id}/close")).status in (200, 204)
        assert await socket.closed() == 4403
    assert (await me.rest("POST", f"/v3/projects/{me.project_id}/open")).status in (200, 201)
    async with me.socket() as socket:
        assert socket.hello["pending_hitl"] == []
        assert (await results(me, question.session_id))[made.id]["metadata"]["status"] == "stopped"
        (story,) = await told(me, question.session_id)
        assert [(c["decision"], c["status"]) for c in story["calls"]] == [("cancelled", "stopped")]
        await assert_goes_on(socket, question.session_id)
    assert marks_sent(server.project, "R1") == []


async def test_renaming_leaves_the_prompt_alone(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    question = await ask(llm, socket, describe("R1", "one"))
    renamed = await me.chat("PATCH", f"/sessions/{question.session_id}", {"title": "While it waits"})
    assert (renamed.json["title"], renamed.json["status"]) == ("While it waits", "waiting")
    assert (await question.status())["hitl_session_id"] == question.id
    await question.confirm(hitl_session_id=question.id)
    assert (await question.end()).statuses == ["success"]


# other messages


@pytest.mark.parametrize("on_busy", [None, "reject", "enqueue"])
async def test_a_message_cannot_pass_the_prompt(
    llm: ScriptedLlm, me: User, socket: Socket, on_busy: str | None
) -> None:
    question = await ask(llm, socket, describe("R1", "one"))
    more = {"on_busy": on_busy} if on_busy else {}
    error = await refused(socket.chat("and?", session_id=question.session_id, **more))
    assert error["code"] == "hitl_pending"
    answer = await me.chat("POST", "/stream", {"message": "and?", "session_id": question.session_id, **more})
    assert (answer.status, answer.code) == (409, "hitl_pending")
    assert pending(await question.status()) == question.pending
    await question.reject()
    await question.end()
    said = [m["content"] for m in await me.messages(question.session_id) if m["role"] == "user"]
    assert said == ["Go"], "a refused message is not kept"


async def test_other_sessions_go_on(llm: ScriptedLlm, socket: Socket) -> None:
    await ask(llm, socket, describe("R1", "one"))
    assert (await socket.turn("Hello")).outcome == "completed"


async def test_waiting_takes_no_place_among_the_users_runs(llm: ScriptedLlm, start: Start) -> None:
    server = await start(max_runs_per_user=1)
    async with server.user().socket() as socket:
        questions = [await ask(llm, socket, describe("R1", f"{n}")) for n in range(3)]
        llm.answer(say(gate := Gate()))
        running = await socket.chat("A run that is no question")
        await gate.reached()
        assert (await refused(socket.chat("One too many")))["code"] == "too_many_runs"
        for question in questions:
            await question.reject()
        gate.open()
        await socket.end_of(running)
        for question in questions:
            assert (await question.end()).outcome == "completed"


# streams


async def test_a_stream_stays_open_over_the_pause(llm: ScriptedLlm, start: Start) -> None:
    server = await start(heartbeat=0.1)
    me = server.user()
    made = describe("R1", "one")
    llm.answer(say(made), say("Done."))
    async with me.sse("POST", "/stream", {"message": "Go", "session_id": "s"}) as stream:
        prompt = await stream.until("hitl_required")
        await stream.until("heartbeat")
        body = {"confirm_all": True, "hitl_session_id": prompt["hitl_session_id"]}
        assert (await me.chat("POST", "/sessions/s/hitl/confirm", body)).status == 200
        kinds = [event["type"] for event in await stream.rest()]
    assert kinds.index("hitl_required") < kinds.index("hitl_resolved") < kinds.index("tool_end")
    assert kinds[-1] == "done"


async def test_without_a_stream_the_answer_is_the_prompt(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    made = describe("R1", "one")
    llm.answer(say("I would do this.", made), say("Done."))
    answer = await me.chat("POST", "/stream", {"message": "Go", "session_id": "s", "stream": False})
    assert answer.status == 200
    result = answer.json
    assert (result["outcome"], result["session_id"]) == ("waiting", "s")
    assert result["message"]["content"] == "I would do this."
    assert result["hitl"] == await socket.command("hitl.status", session_id="s")
    assert [tool["tool_args"] for tool in result["hitl"]["pending_tools"]] == [arguments(made)]
    assert result["usage"]["llm_calls"] == 1
    await socket.command("hitl.confirm", session_id="s", confirm_all=True)
    await socket.frame("done", session_id="s")
    assert (await me.messages("s"))[-1]["content"] == "Done."


async def test_history_shows_that_a_call_waits(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    made = configure("R1", "interface Loopback50")
    question = await ask(llm, socket, made)
    last = (await me.messages(question.session_id))[-1]
    assert (last["role"], last["tool_call_id"], last["metadata"]) == ("tool", made.id, {"partial": True})
    await question.reject()
    await question.end()
    assert all("partial" not in (m.get("metadata") or {}) for m in await me.messages(question.session_id))


async def test_a_resumed_socket_hears_what_it_missed(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    question = await ask(llm, socket, describe("R1", "one"))
    async with me.socket() as other:
        place = other.place
    await question.confirm()
    turn = await question.end()
    async with me.socket(resume=place) as back:
        assert back.hello["recovered"] is True
        assert await back.frame("hitl_resolved") == turn.of("hitl_resolved")[0]


# a restart


async def test_an_orderly_stop_keeps_prompts_and_decisions(llm: ScriptedLlm, start: Start) -> None:
    server = await start()
    one, two = describe("R1", "one"), describe("R2", "two")
    async with server.user().socket() as socket:
        question = await ask(llm, socket, one, two)
        await question.reject(two, reason="not that one")
        stopping = asyncio.create_task(server.stop())
        assert await socket.closed() == 1001
    await soon(stopping, "the server stops")
    again = await start()
    me = again.user()
    async with me.socket() as socket:
        (status,) = socket.hello["pending_hitl"]
        assert (status["hitl_session_id"], pending(status)) == (question.id, [one.id])
        assert (await me.session(question.session_id))["status"] == "waiting"
        found = Question(socket, question.sent, status)
        await found.confirm()
        await socket.frame("done", run_id=question.run_id)
        statuses = {i: m["metadata"]["status"] for i, m in (await results(me, question.session_id)).items()}
        assert statuses == {one.id: "success", two.id: "rejected"}
        await assert_goes_on(socket, question.session_id)
    assert (marks_sent(again.project, "R1"), marks_sent(again.project, "R2")) == (["one"], [])


# others


HITL_ROUTES = [
    ("GET", "hitl-status", None),
    ("GET", "hitl/history", None),
    ("POST", "hitl/confirm", {"confirm_all": True}),
    ("POST", "hitl/reject", {"reject_all": True}),
    ("POST", "hitl/modify", {"tool_call_id": "x", "modified_args": {}}),
]
HITL_COMMANDS: list[tuple[str, Json]] = [
    ("hitl.status", {}),
    ("hitl.history", {}),
    ("hitl.confirm", {"confirm_all": True}),
    ("hitl.reject", {"reject_all": True}),
    ("hitl.modify", {"tool_call_id": "x", "modified_args": {}}),
]


async def test_a_prompt_is_its_users_alone(llm: ScriptedLlm, start: Start) -> None:
    server = await start(auth="jwt")
    alice, bob = server.user("alice"), server.user("bob")
    async with alice.socket() as hers, bob.socket() as his:
        question = await ask(llm, hers, describe("R1", "one"))
        for method, path, body in HITL_ROUTES:
            answer = await bob.chat(method, f"/sessions/{question.session_id}/{path}", body)
            assert (answer.status, answer.code) == (404, "not_found")
        for kind, body in HITL_COMMANDS:
            assert (await refused(his.command(kind, session_id=question.session_id, **body)))["code"] == "not_found"
        async with bob.socket() as late:
            assert late.hello["pending_hitl"] == late.hello["runs"] == []
        await question.confirm()
        turn = await question.end()
        assert decisions(turn.events)[0][1:] == ("confirmed", "alice")
        assert [event for event in his.events if event.get("session_id") == question.session_id] == []
        assert (await told(alice, question.session_id))[0]["calls"][0]["by"] == "alice"
