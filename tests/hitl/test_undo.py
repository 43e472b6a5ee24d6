"""What a run changed can be taken back: copies around each change, and a run that asks to send the way back."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from kit.database import rows
from kit.hitl import (
    CONFIGURE,
    SLOW,
    Question,
    arguments,
    ask,
    configure,
    configure_each,
    lines_sent,
    reached,
    refused,
    results,
    told,
)
from kit.process import KillableServer
from kit.scripted_llm import Call, ScriptedLlm, call, host, say, show
from kit.server import Server, Start, User
from kit.socket import Socket

Json = dict[str, Any]
VPCS = "execute_vpcs_commands"


async def done(llm: ScriptedLlm, socket: Socket, *calls: Call, **request: Any) -> Question:
    """A run whose calls are confirmed and end."""
    question = await ask(llm, socket, *calls, **request)
    await question.confirm(acknowledge_dangerous=True)
    await question.end()
    return question


async def undo(socket: Socket, run_id: str) -> Question:
    sent = await socket.command("run.undo", run_id=run_id)
    return Question(socket, sent, await socket.frame("hitl_required", run_id=sent["run_id"]))


async def undone(socket: Socket, run_id: str) -> Question:
    question = await undo(socket, run_id)
    await question.confirm(acknowledge_dangerous=True)
    assert (await question.end()).done["outcome"] == "completed"
    return question


async def running(llm: ScriptedLlm, socket: Socket, me: User, device: str) -> str:
    """The device's own word, asked for in a session of its own."""
    command = "show ip" if device.startswith("PC") else "show running-config"
    asked = show(device, command)
    llm.answer(say(asked), say("That is it."))
    sent = await socket.chat("Show")
    await socket.end_of(sent)
    answer = (await results(me, sent["session_id"]))[asked.id]["content"]
    return answer.partition("bytes")[2] or answer


def texts(turn_messages: list[Json]) -> list[str]:
    return [message["content"] for message in turn_messages if message["role"] == "assistant"]


# copies


async def test_a_change_is_shown_before_and_after(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    question = await done(llm, socket, configure_each({"R1": ["hostname Core"], "R2": ["no such line"]}))
    ended = await question.end()
    assert ended.done["undoable"] is True
    (said, *_) = await me.messages(question.session_id)
    assert said["metadata"]["undoable"] is True
    (story,) = await told(me, question.session_id)
    first, second = sorted(story["devices"], key=lambda device: device["device_name"])
    assert first.keys() == {"tool_call_id", "device_name", "before", "after", "diff", "missing"}
    assert "\nhostname R1\n" in first["before"]
    assert "\nhostname Core\n" in first["after"]
    assert [line for line in first["diff"].splitlines() if line[0] in "+-"][2:] == ["-hostname R1", "+hostname Core"]
    assert (second["device_name"], second["diff"], second["missing"]) == ("R2", "", None)
    assert second["before"] == second["after"]
    assert first["tool_call_id"] in (c["tool_call_id"] for c in story["calls"])


async def test_the_copy_is_read_before_the_first_line(llm: ScriptedLlm, server: Server, socket: Socket) -> None:
    await done(llm, socket, configure("R1", "interface Loopback0", "description new"))
    sent = [line for line in lines_sent(server.project, "R1") if line not in ("", "terminal length 0", "enable")]
    assert sent == [
        "show running-config",
        *("configure terminal", "interface Loopback0", "description new", "end"),
        "show running-config",
    ]


async def test_what_changed_nothing_cannot_be_undone(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    question = await done(llm, socket, configure("R1", "hostname R1"))
    assert "undoable" not in (await question.end()).done
    assert "undoable" not in (await me.messages(question.session_id))[0]["metadata"]
    llm.answer(say("Hello."))
    talked = await socket.chat("Hello")
    await socket.end_of(talked)
    error = await refused(socket.command("run.undo", run_id=talked["run_id"]))
    assert error["code"] == "conflict"
    assert "nothing to undo" in error["message"]


async def test_a_copy_belongs_to_its_session(llm: ScriptedLlm, server: Server, me: User, socket: Socket) -> None:
    question = await done(llm, socket, configure("R1", "hostname Core"))
    assert len(rows(server.database, "SELECT * FROM device_copies")) == 1
    kept = str([*rows(server.database, "SELECT * FROM checkpoints"), *rows(server.database, "SELECT * FROM writes")])
    assert "hostname R1" not in kept
    await me.chat("DELETE", f"/sessions/{question.session_id}")
    assert rows(server.database, "SELECT * FROM device_copies") == []
    assert (await refused(socket.command("run.undo", run_id=question.run_id)))["code"] == "not_found"


# the way back


async def test_a_run_is_taken_back(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    before = [await running(llm, socket, me, device) for device in ("R1", "PC1")]
    lines = ["hostname Core", "interface Loopback7", "ip address 10.7.7.7 255.255.255.255"]
    run = await done(llm, socket, configure("R1", *lines), host("PC1", "ip 10.50.0.5/24 10.50.0.1", "set pcname Web"))
    counted = (await me.idle(run.session_id))["llm_calls_count"]
    question = await undo(socket, run.run_id)
    assert question.sent.keys() == {"run_id", "session_id", "message_id", "status"}
    assert (question.session_id, question.sent["status"]) == (run.session_id, "started")
    router, pc = question.prompt["pending_tools"]
    assert (router["tool_name"], router["danger_level"]) == (CONFIGURE, "medium")
    assert router["tool_args"] == {
        "device_configs": [{"device_name": "R1", "config_commands": ["no interface Loopback7", "hostname R1"]}]
    }
    assert "-hostname Core\n" in router["preview"]
    assert (pc["tool_name"], pc["danger_level"]) == (VPCS, "low")
    assert pc["devices"][0]["lines"][0] == "set pcname PC1"
    await question.confirm()
    turn = await question.end()
    assert (turn.done["outcome"], turn.done["usage"]["llm_calls"]) == ("completed", 0)
    assert [await running(llm, socket, me, device) for device in ("R1", "PC1")] == before
    messages = (await me.messages(run.session_id))[-5:]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "tool", "assistant"]
    assert messages[0]["content"] == "Undo what this changed: Go"
    assert messages[0]["metadata"].items() >= {"undoes": run.run_id, "undoable": True}.items()
    assert [c["function"]["name"] for c in messages[1]["tool_calls"]] == [CONFIGURE, VPCS]
    assert texts(messages)[0] == "This takes back what that run changed on R1 and PC1."
    assert "R1 is configured as before that run." in texts(messages)[1]
    session = await me.idle(run.session_id)
    assert session["llm_calls_count"] == counted
    assert session["stats"]["tool_calls"] == {CONFIGURE: 2, VPCS: 2}


async def test_an_undo_is_undone(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    run = await done(llm, socket, configure("R1", "hostname Core", "ip route 10.9.0.0 255.255.0.0 10.0.12.2"))
    after = await running(llm, socket, me, "R1")
    first = await undone(socket, run.run_id)
    await undone(socket, first.run_id)
    assert await running(llm, socket, me, "R1") == after


async def test_a_run_of_several_calls_goes_back_to_its_beginning(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    before = await running(llm, socket, me, "R1")
    one, two = configure("R1", "hostname One"), configure("R1", "interface Loopback9", "description two")
    question = await ask(llm, socket, one, then=[say(two), say("Done.")])
    await question.confirm()
    again = await question.again()
    await again.confirm()
    await again.end()
    stories = await told(me, question.session_id)
    assert [[d["tool_call_id"] for d in story["devices"]] for story in stories] == [[one.id], [two.id]]
    await undone(socket, question.run_id)
    assert await running(llm, socket, me, "R1") == before


async def test_what_others_changed_since_is_told(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    run = await done(llm, socket, configure("R1", "hostname Core"))
    await done(llm, socket, configure("R1", "interface Loopback3", "description other"))
    question = await undo(socket, run.run_id)
    assert question.prompt["pending_tools"][0]["devices"][0]["lines"] == ["no interface Loopback3", "hostname R1"]
    assert "R1 has been changed since that run as well" in texts(await me.messages(run.session_id))[-1]
    await question.reject()
    await question.end()
    assert texts(await me.messages(run.session_id))[-1] == "Nothing was sent: the devices are configured as they were."
    assert "hostname Core" in await running(llm, socket, me, "R1")


async def test_nothing_is_asked_where_nothing_differs(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    run = await done(llm, socket, configure("R1", "hostname Core"))
    await undone(socket, run.run_id)
    turn = await socket.end_of(await socket.command("run.undo", run_id=run.run_id))
    assert turn.done["outcome"] == "completed"
    assert turn.text == "R1 is configured as before that run: nothing to take back there."
    assert not socket.of("hitl_required", run_id=turn.run_id)


async def test_a_device_without_a_copy_is_left_out(
    llm: ScriptedLlm, me: User, socket: Socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("copilot_ws.labs.shown.CHARACTERS", 500)
    made = configure_each({"R1": ["hostname Core"]})
    run = await done(llm, socket, made, host("PC1", "set pcname Web"))
    monkeypatch.undo()
    (entry,) = entries((await results(me, run.session_id))[made.id])
    assert entry["status"] == "success"
    assert "No copy of R1's configuration was kept" in entry["warning"]
    (story,) = await told(me, run.session_id)
    told_of = {device["device_name"]: device["missing"] for device in story["devices"]}
    assert told_of == {"R1": "it is longer than 500 characters", "PC1": None}
    question = await undo(socket, run.run_id)
    assert [tool["tool_name"] for tool in question.prompt["pending_tools"]] == [VPCS]
    said = texts(await me.messages(run.session_id))[-1]
    assert "R1 is left out: no copy of its configuration was kept, it is longer than 500 characters." in said


def entries(message: Json) -> list[Json]:
    return list(json.loads(message["content"])["results"])


async def test_a_stopped_device_is_left_out(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    run = await done(llm, socket, configure_each({"R1": ["hostname One"], "R2": ["hostname Two"]}))
    await done(llm, socket, call("stop_gns3_node", {"node_ids": ["R2"]}))
    question = await undo(socket, run.run_id)
    assert [d["device_name"] for d in question.prompt["pending_tools"][0]["devices"]] == ["R1"]
    said = "".join(event["content"] for event in socket.of("content", run_id=question.run_id))
    assert "R2 is left out, its present configuration cannot be read: R2 is stopped" in said
    await question.confirm()
    await question.end()


# deciding


async def test_a_person_changes_the_way_back(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    run = await done(llm, socket, configure("R1", "hostname Core", "interface Loopback4"))
    for apply in ("regenerate", "direct"):
        question = await undo(socket, run.run_id)
        wanted = arguments(configure("R1", "hostname Mine"))
        call_id = question.pending[0]
        await socket.command(
            "hitl.modify", session_id=run.session_id, tool_call_id=call_id, modified_args=wanted, apply=apply
        )
        turn = await question.end()
        assert turn.done["outcome"] == "completed"
        assert "R1 still differs: no interface Loopback4; hostname R1" in turn.text
        assert "hostname Mine" in await running(llm, socket, me, "R1")


async def test_dangerous_lines_are_dangerous_here_too(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    run = await done(llm, socket, configure("R1", "router ospf 77", "router-id 1.1.1.1"))
    question = await undo(socket, run.run_id)
    (tool,) = question.prompt["pending_tools"]
    assert (tool["danger_level"], tool["dangerous_commands"][0]["command"]) == ("high", "no router ospf 77")
    assert (await refused(question.confirm()))["code"] == "confirmation_required"
    await question.confirm(acknowledge_dangerous=True)
    await question.end()


async def test_a_way_back_is_stopped(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    run = await done(llm, socket, configure("R1", "hostname Core"))
    question = await undo(socket, run.run_id)
    await socket.command("chat.stop", session_id=run.session_id)
    assert (await question.end()).done["outcome"] == "stopped"
    assert "hostname Core" in await running(llm, socket, me, "R1")
    await undone(socket, run.run_id)


async def test_a_way_back_expires(llm: ScriptedLlm, start: Start) -> None:
    server = await start(hitl_timeout=0.3)
    async with server.user().socket() as socket:
        run = await ask(llm, socket, configure("R1", "hostname Core"))
        await run.confirm()
        await run.end()
        question = await undo(socket, run.run_id)
        turn = await question.end()
        assert turn.done["outcome"] == "completed"
        assert "Nothing was sent" in turn.text


# who may, and when


async def test_only_ones_own_runs_are_undone(llm: ScriptedLlm, start: Start) -> None:
    server = await start(auth="jwt", jwt_secret="a-secret-of-the-tests-that-is-long-enough")
    alice, bob = server.user("alice"), server.user("bob")
    async with alice.socket() as socket:
        run = await done(llm, socket, configure("R1", "hostname Core"))
    for run_id in (run.run_id, "unknown"):
        answer = await bob.chat("POST", f"/runs/{run_id}/undo")
        assert (answer.status, answer.code) == (404, "not_found")


async def test_a_busy_session_is_left_alone(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    run = await done(llm, socket, configure("R1", "hostname Core"))
    waiting = await ask(llm, socket, configure("R1", SLOW), session_id=run.session_id)
    for run_id in (run.run_id, waiting.run_id):
        assert (await refused(socket.command("run.undo", run_id=run_id)))["code"] == "hitl_pending"
    await waiting.confirm()
    await socket.frame("tool_start", run_id=waiting.run_id)
    answer = await me.chat("POST", f"/runs/{run.run_id}/undo")
    assert (answer.status, answer.code) == (409, "session_busy")
    await waiting.end()
    answer = await me.chat("POST", f"/runs/{run.run_id}/undo")
    assert answer.status == 200
    assert answer.json["session_id"] == run.session_id


async def test_no_model_is_asked(llm: ScriptedLlm, socket: Socket) -> None:
    run = await done(llm, socket, configure("R1", "hostname Core"))
    asked = len(llm.turns)
    await undone(socket, run.run_id)
    assert len(llm.turns) == asked
    after = show("R1", "show clock")
    llm.answer(say(after), say("Later."))
    await socket.end_of(await socket.chat("And now?", session_id=run.session_id))
    roles = [message["role"] for message in llm.turns[-1].messages]
    assert roles.count("tool") == 3


# crashes


async def test_a_way_back_survives_a_crash(llm: ScriptedLlm, process: KillableServer) -> None:
    async with process.user().socket() as socket:
        run = await done(llm, socket, configure("R1", "hostname Core"))
        await done(llm, socket, configure("R1", "do write memory"))
        question = await undo(socket, run.run_id)
    await process.kill()
    await process.start()
    async with process.user().socket() as socket:
        (prompt,) = socket.hello["pending_hitl"]
        assert prompt["hitl_session_id"] == question.id
        again = Question(socket, question.sent, prompt)
        await again.confirm()
        turn = await again.end()
        assert turn.done["outcome"] == "completed"
        assert turn.done["usage"]["llm_calls"] == 0
        assert "R1 is configured as before that run." in turn.text


async def test_a_run_that_was_killed_is_taken_back(llm: ScriptedLlm, process: KillableServer) -> None:
    async with process.user().socket() as socket:
        question = await ask(llm, socket, configure("R1", "hostname Core", "do write memory", SLOW, SLOW))
        await question.confirm()
        await reached(process.project, "R1", SLOW)
    await process.kill()
    await process.start()
    me = process.user()
    assert (await me.messages(question.session_id))[0]["metadata"]["undoable"] is True
    async with me.socket() as socket:
        back = await undo(socket, question.run_id)
        assert back.prompt["pending_tools"][0]["devices"][0]["lines"] == ["hostname R1"]
        await back.confirm()
        await back.end()


# any change


def some_lines(chance: random.Random) -> list[str]:
    port = chance.choice(("GigabitEthernet0/2", "GigabitEthernet0/3", "Loopback1", "Loopback2"))
    net = chance.randint(20, 29)
    return chance.choice(
        (
            [f"interface {port}", f"ip address 10.{net}.0.1 255.255.255.0", chance.choice(("shutdown", "no shutdown"))],
            [f"interface {port}", f"description text {net}", f"ip ospf cost {net}"],
            [f"interface {port}", "no ip address"],
            ["router ospf 1", f"network 10.{net}.0.0 0.0.255.255 area {net % 3}", "passive-interface default"],
            ["router ospf 1", f"no passive-interface {port}", f"router-id 9.9.9.{net}"],
            [f"ip route 192.168.{net}.0 255.255.255.0 10.0.12.2", f"ip route 192.168.{net}.0 255.255.255.0 {port}"],
            [f"hostname Name{net}"],
            [f"banner motd #Banner {net}#"],
            ["line vty 0 6", "no login", f"exec-timeout {net} 0"],
        )
    )


@pytest.mark.parametrize("seed", range(4))
async def test_any_calls_are_taken_back(llm: ScriptedLlm, me: User, socket: Socket, seed: int) -> None:
    chance = random.Random(seed)

    def some_call() -> Call:
        return configure("R1", *(line for _ in range(5) for line in some_lines(chance)))

    await done(llm, socket, some_call())
    before = await running(llm, socket, me, "R1")
    run = await done(llm, socket, some_call(), some_call())
    await undone(socket, run.run_id)
    assert await running(llm, socket, me, "R1") == before
