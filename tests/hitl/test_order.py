"""How the calls of a batch run: in order on one device, side by side on several, until they end or are stopped."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from typing import Any

import pytest
from kit.conversation import Turn
from kit.hitl import (
    CONFIGURE,
    SLOW,
    ask,
    configure,
    configure_each,
    describe,
    lines_sent,
    marks_sent,
    reached,
    results,
    time_of,
    told,
)
from kit.scripted_llm import TOPOLOGY, Call, ScriptedLlm, call, host, say, show
from kit.server import Server, Start, User
from kit.socket import Refused, Socket
from kit.waiting import eventually

Json = dict[str, Any]
ENDLESS = "do ping 203.0.113.1 repeat 30"
"""A line that takes a minute, unless it is interrupted."""


def slow(device: str, *marks: str, line: str = SLOW) -> Call:
    """A configuration of more than two seconds: the first mark, the wait, the other marks."""
    first, *others = (f"description {mark}" for mark in marks)
    return configure(device, "interface Loopback50", first, line, *others)


def span(turn: Turn, made: Call) -> tuple[int, int]:
    """Where the call starts and ends among its turn's events."""
    places = {event["type"]: n for n, event in enumerate(turn.events) if event.get("tool_call_id") == made.id}
    return places["tool_start"], places["tool_end"]


def output(turn: Turn, made: Call) -> Json:
    return json.loads(turn.results[made.id]["tool_output"])


def entries(turn: Turn, made: Call) -> dict[str, Json]:
    return {entry["device_name"]: entry for entry in output(turn, made)["results"]}


async def confirmed(llm: ScriptedLlm, socket: Socket, *calls: Call) -> Turn:
    question = await ask(llm, socket, *calls)
    await question.confirm()
    return await question.end()


# order


async def test_calls_on_one_device_run_in_the_models_order(llm: ScriptedLlm, server: Server, socket: Socket) -> None:
    calls = [slow("R1", "a1", "a2"), describe("R1", "b1", "b2"), show("R1", "show version"), describe("R1", "c")]
    turn = await confirmed(llm, socket, *calls)
    assert marks_sent(server.project, "R1") == ["a1", "a2", "b1", "b2", "c"]
    spans = [span(turn, made) for made in calls]
    assert all(earlier[1] < later[0] for earlier, later in itertools.pairwise(spans))


async def test_calls_on_different_devices_run_side_by_side(
    llm: ScriptedLlm, server: Server, me: User, socket: Socket
) -> None:
    one, two = slow("R1", "a", "b"), slow("R2", "c", "d")
    read = show("R2", "show version")  # behind the second
    topology = call(TOPOLOGY, {})
    turn = await confirmed(llm, socket, one, two, read, topology)
    project = server.project
    assert time_of(project, "R2", "description c") < time_of(project, "R1", "description b")
    assert time_of(project, "R1", "description a") < time_of(project, "R2", "description d")
    assert span(turn, topology)[1] < span(turn, one)[1], "what reads only does not wait"
    assert span(turn, two)[1] < span(turn, read)[0], "but behind a change of the same device"
    assert turn.statuses == ["success"] * 4
    assert list(await results(me, turn.session_id)) == [one.id, two.id, read.id, topology.id]


async def test_devices_of_one_call_run_side_by_side(llm: ScriptedLlm, server: Server, socket: Socket) -> None:
    made = configure_each({name: (SLOW, "interface Loopback50", f"description {name}") for name in ("R1", "R2")})
    turn = await confirmed(llm, socket, made)
    assert {name: entry["status"] for name, entry in entries(turn, made).items()} == {"R1": "success", "R2": "success"}
    assert time_of(server.project, "R2", SLOW) < time_of(server.project, "R1", "description R1")
    assert time_of(server.project, "R1", SLOW) < time_of(server.project, "R2", "description R2")


async def test_a_call_on_two_devices_waits_for_both(llm: ScriptedLlm, socket: Socket) -> None:
    one, both = slow("R1", "a"), configure_each({"R1": ("ip routing",), "R2": ("ip routing",)})
    after = describe("R2", "b")
    turn = await confirmed(llm, socket, one, both, after)
    assert span(turn, one)[1] < span(turn, both)[0]
    assert span(turn, both)[1] < span(turn, after)[0]


# what devices say


async def test_a_refused_line_ends_its_devices_part(llm: ScriptedLlm, server: Server, me: User, socket: Socket) -> None:
    lines = {
        "R1": ("interface Loopback50", "nonsense here", "description never"),
        "R2": ("interface Loopback50", "description fine"),
    }
    made = configure_each(lines)
    turn = await confirmed(llm, socket, made)
    found = entries(turn, made)
    assert (found["R1"]["status"], found["R2"]["status"]) == ("partial_success", "success")
    assert "'nonsense here'" in found["R1"]["error"]
    assert "Not sent: description never" in found["R1"]["error"]
    assert turn.results[made.id]["status"] == "success"
    assert (marks_sent(server.project, "R1"), marks_sent(server.project, "R2")) == ([], ["fine"])
    assert (await told(me, turn.session_id))[0]["calls"][0]["status"] == "success"


async def test_a_call_of_which_no_line_was_taken_is_an_error(
    llm: ScriptedLlm, server: Server, me: User, socket: Socket
) -> None:
    made = configure("R1", "nonsense here", "interface Loopback50", "description never")
    turn = await confirmed(llm, socket, made)
    assert (turn.statuses, entries(turn, made)["R1"]["status"]) == (["error"], "failed")
    assert "Not sent: interface Loopback50; description never" in entries(turn, made)["R1"]["error"]
    assert marks_sent(server.project, "R1") == []
    assert (await told(me, turn.session_id))[0]["calls"][0]["status"] == "error"


async def test_an_unknown_device_among_known_ones(llm: ScriptedLlm, server: Server, socket: Socket) -> None:
    made = configure_each({"R9": ("ip routing",), "R1": ("interface Loopback50", "description known")})
    question = await ask(llm, socket, made)
    assert [device["device_name"] for device in question.prompt["pending_tools"][0]["devices"]] == ["R1"]
    await question.confirm()
    turn = await question.end()
    found = entries(turn, made)
    assert (found["R9"]["status"], found["R1"]["status"]) == ("failed", "success")
    assert "R1, R2" in found["R9"]["error"], "it names the devices that there are"
    assert marks_sent(server.project, "R1") == ["known"]


@pytest.mark.parametrize(
    "made",
    [
        configure("R9", "ip routing"),
        configure("PC1", "! touch /tmp/x"),
        host("PC1", "show ip", "! touch /tmp/x"),
        configure("R1"),
        call(CONFIGURE, {"device_configs": []}),
        call(CONFIGURE, '{"device_configs": [{"dev'),
        call("no_such_tool", {}),
    ],
    ids=["unknown device", "shell escape", "shell escape among others", "no line", "nothing", "cut off", "no tool"],
)
async def test_nobody_is_asked_about_what_cannot_run(
    llm: ScriptedLlm, server: Server, socket: Socket, made: Call
) -> None:
    asked = describe("R2", "fine")
    question = await ask(llm, socket, made, asked)
    assert question.pending == [asked.id]
    await question.confirm()
    turn = await question.end()
    assert (turn.results[made.id]["status"], turn.results[asked.id]["status"]) == ("error", "success")
    assert turn.outcome == "completed"
    for device in ("R1", "PC1"):
        assert not [line for line in lines_sent(server.project, device) if "!" in line or line == "ip routing"]


async def test_newlines_inside_a_command_are_lines(llm: ScriptedLlm, server: Server, socket: Socket) -> None:
    await confirmed(llm, socket, configure("R1", "interface Loopback50\n description one\r\n description two\n"))
    assert marks_sent(server.project, "R1") == ["one", "two"]


# a console that another run holds


async def test_the_second_run_waits_for_the_console(llm: ScriptedLlm, server: Server, me: User, socket: Socket) -> None:
    first = await ask(llm, socket, slow("R1", "a", "b"), session_id="first")
    await first.confirm()
    await reached(server.project, "R1", "description a")
    later = describe("R1", "c")
    second = await ask(llm, socket, later, session_id="second")
    await second.confirm()
    progress = await socket.frame("tool_progress", run_id=second.run_id)
    assert (progress["tool_call_id"], progress["device_name"]) == (later.id, "R1")
    assert "another" in progress["message"]
    assert "waiting" in progress["message"]
    assert marks_sent(server.project, "R1") == ["a"]
    assert (await second.end()).statuses == (await first.end()).statuses == ["success"]
    assert marks_sent(server.project, "R1") == ["a", "b", "c"]


async def test_a_run_that_waits_for_a_console_can_be_stopped(llm: ScriptedLlm, server: Server, socket: Socket) -> None:
    first = await ask(llm, socket, slow("R1", "a", "b"), session_id="first")
    await first.confirm()
    await reached(server.project, "R1", "description a")
    waits = describe("R1", "c")
    second = await ask(llm, socket, waits, session_id="second")
    await second.confirm()
    await socket.frame("tool_progress", run_id=second.run_id)
    await socket.command("chat.stop", session_id="second")
    turn = await second.end()
    assert marks_sent(server.project, "R1") == ["a"], "it did not wait for the first"
    assert (turn.outcome, turn.statuses, output(turn, waits)["sent"]) == ("stopped", ["stopped"], {})
    assert (await first.end()).statuses == ["success"]
    assert marks_sent(server.project, "R1") == ["a", "b"]


# stopping in the middle


async def assert_left_configuration(llm: ScriptedLlm, socket: Socket) -> None:
    """The next command finds the router at its usual prompt."""
    made = show("R1", "show clock")
    llm.answer(say(made), say("Done."))
    turn = await socket.turn("Look")
    assert entries(turn, made)["R1"]["output"].startswith("R1# show clock")


async def test_a_stop_in_the_middle_of_a_configuration(
    llm: ScriptedLlm, server: Server, me: User, socket: Socket
) -> None:
    ended, made, behind = describe("R2", "z"), slow("R1", "a", "never", line=ENDLESS), describe("R1", "nor this")
    question = await ask(llm, socket, ended, made, behind)
    await question.confirm()
    await reached(server.project, "R1", ENDLESS)
    await socket.frame("tool_end", tool_call_id=ended.id)
    assert (await socket.command("chat.stop", session_id=question.session_id))["stopped"] is True
    turn = await question.end()
    assert turn.outcome == "stopped"
    assert [turn.results[one.id]["status"] for one in (ended, made, behind)] == ["success", "stopped", "stopped"]
    assert output(turn, made)["sent"] == {"R1": ["interface Loopback50", "description a", ENDLESS]}
    (story,) = await told(me, question.session_id)
    assert [entry["status"] for entry in story["calls"]] == ["success", "stopped", "not executed"]
    await assert_left_configuration(llm, socket)
    assert marks_sent(server.project, "R1") == ["a"]
    assert (await socket.turn("And now?", session_id=question.session_id)).outcome == "completed"


async def test_an_interrupt_in_the_middle_of_a_configuration(llm: ScriptedLlm, server: Server, socket: Socket) -> None:
    made, instead = slow("R1", "a", "never", line=ENDLESS), show("R1", "show clock")
    question = await ask(llm, socket, made, then=[say(instead), say("Done.")])
    await question.confirm()
    await reached(server.project, "R1", ENDLESS)
    sent = await socket.chat("Look instead", session_id=question.session_id, on_busy="interrupt")
    assert (await question.end()).statuses == ["stopped"]
    turn = await socket.end_of(sent)
    assert entries(turn, instead)["R1"]["output"].startswith("R1# show clock")
    assert marks_sent(server.project, "R1") == ["a"]


async def test_deleting_the_session_in_the_middle_of_a_configuration(
    llm: ScriptedLlm, server: Server, me: User, socket: Socket
) -> None:
    question = await ask(llm, socket, slow("R1", "a", "never", line=ENDLESS))
    await question.confirm()
    await reached(server.project, "R1", ENDLESS)
    assert (await me.chat("DELETE", f"/sessions/{question.session_id}")).status == 204
    await assert_left_configuration(llm, socket)
    assert marks_sent(server.project, "R1") == ["a"]


async def test_an_orderly_stop_of_the_server_in_the_middle_of_a_configuration(llm: ScriptedLlm, start: Start) -> None:
    server = await start(shutdown_grace=0)
    made = slow("R1", "a", "never", line=ENDLESS)
    async with server.user().socket() as socket:
        question = await ask(llm, socket, made)
        await question.confirm()
        await reached(server.project, "R1", ENDLESS)
        stopping = asyncio.create_task(server.stop())
        assert await socket.closed() == 1001
    await stopping
    again = await start()
    me = again.user()
    found = (await results(me, question.session_id))[made.id]
    assert found["metadata"]["status"] == "stopped"
    assert json.loads(found["content"])["sent"] == {"R1": ["interface Loopback50", "description a", ENDLESS]}
    assert marks_sent(again.project, "R1") == ["a"]
    async with me.socket() as socket:
        assert socket.hello["runs"] == []
        assert (await socket.turn("And now?", session_id=question.session_id)).outcome == "completed"


@pytest.mark.parametrize("made", [host("PC3", "ip 10.0.9.9/24"), describe("R3", "unseen")], ids=["host", "router"])
async def test_a_device_that_comes_after_the_call_was_looked_at_is_not_changed(
    llm: ScriptedLlm, server: Server, socket: Socket, made: Call
) -> None:
    """Nobody was asked about it: when the batch was planned there was no such device."""
    template, name = ("VPCS", "PC3") if "PC3" in made.arguments else ("Router (IOS-like)", "R3")
    create = call("create_gns3_node", {"nodes": [{"template": template, "name": name}]})
    start = call("start_gns3_node", {"node_ids": [name]})
    known = describe("R1", "seen")
    llm.answer(say(create, start, made, known), say("Done."))
    sent = await socket.chat("Build and configure at once")
    prompt = await socket.frame("hitl_required", run_id=sent["run_id"])
    assert [tool["tool_call_id"] for tool in prompt["pending_tools"]] == [known.id]
    await socket.command("hitl.confirm", session_id=sent["session_id"], confirm_all=True)
    turn = await socket.end_of(sent)
    assert turn.results[start.id]["status"] == "success"
    assert turn.results[made.id]["status"] == "error"
    assert not [line for line in lines_sent(server.project, name) if line.startswith(("ip ", "description"))]


def rename(old: str, new: str) -> Call:
    return call("update_gns3_node_name", {"nodes": [{"node_id": old, "name": new}]})


def delete(*names: str) -> Call:
    return call("delete_gns3_node", {"node_ids": list(names)})


async def names_by_id(user: User) -> dict[str, str]:
    nodes = (await user.rest("GET", f"/v3/projects/{user.project_id}/nodes")).json
    return {node["node_id"]: node["name"] for node in nodes}


async def test_a_yes_to_delete_is_about_the_node_that_was_shown(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    before = await names_by_id(me)
    gone = delete("PC1")
    question = await ask(llm, socket, rename("PC1", "PCX"), rename("PC2", "PC1"), gone, then=[say("Done.")])
    await question.confirm(acknowledge_dangerous=True)
    turn = await question.end()
    assert turn.results[gone.id]["status"] == "error"
    after = await names_by_id(me)
    assert after.keys() == before.keys()
    assert sorted(after.values()) == ["PC1", "PCX", "R1", "R2"]


async def test_a_node_that_was_not_shown_is_not_deleted_with_the_others(
    llm: ScriptedLlm, me: User, socket: Socket
) -> None:
    create = call("create_gns3_node", {"nodes": [{"template": "VPCS", "name": "PC7"}]})
    question = await ask(llm, socket, create, delete("PC2", "PC7"), then=[say("Done.")])
    assert [one["device_name"] for one in question.prompt["pending_tools"][0]["dangerous_commands"]] == ["PC2"]
    await question.confirm(acknowledge_dangerous=True)
    await question.end()
    assert sorted((await names_by_id(me)).values()) == ["PC1", "PC7", "R1", "R2"]


@pytest.mark.parametrize("apply", ["confirmed", "direct"])
async def test_lines_go_to_no_device_that_has_taken_the_name_since(
    llm: ScriptedLlm, server: Server, me: User, socket: Socket, apply: str
) -> None:
    """While the prompt is open, somebody swaps the names of the two routers."""
    first, second = describe("R1", "first"), describe("R2", "second")
    question = await ask(llm, socket, first, second)
    if apply == "direct":
        await question.modify(first, describe("R1", "changed"), apply="direct")
    else:
        await question.confirm(first)
    llm.answer(say(rename("R1", "RX"), rename("R2", "R1"), rename("RX", "R2")), say("Swapped."))
    assert (await socket.turn("Swap them")).statuses == ["success"] * 3
    llm.answer(say("Done."))
    await question.confirm(second)
    turn = await question.end()
    assert [turn.results[made.id]["status"] for made in (first, second)] == ["error", "error"]
    lines = lines_sent(server.project, "R1") + lines_sent(server.project, "R2")
    assert not [line for line in lines if line.startswith("description")]


async def test_history_says_which_calls_have_started(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    first, second = slow("R1", "first"), slow("R1", "second")
    question = await ask(llm, socket, first, second)
    await question.confirm()
    await socket.frame("tool_start", tool_call_id=first.id)
    shown = {call_id: message["metadata"] for call_id, message in (await results(me, question.session_id)).items()}
    assert shown == {first.id: {"partial": True, "started": True}, second.id: {"partial": True}}
    await question.end()


async def test_a_decision_is_taken_to_its_end_though_its_socket_breaks(llm: ScriptedLlm, me: User) -> None:
    for number in range(8):
        async with me.socket() as tab:
            made = describe("R1", f"round{number}")
            question = await ask(llm, tab, made, then=[say("Done.")])
            await tab.begin("hitl.confirm", session_id=question.session_id, confirm_all=True)
            await asyncio.sleep(number * 0.001)  # the cut comes at another moment of the commit each time
            await tab.drop()
        async with me.socket() as other:
            # The server may have got the first decision, may be taking it just now, or may never have seen it.
            with contextlib.suppress(Refused):
                await other.command("hitl.confirm", session_id=question.session_id, confirm_all=True)
            assert await ends_well(me, question.session_id)


async def ends_well(user: User, session_id: str) -> bool:
    async def idle() -> bool:
        return bool((await user.session(session_id))["status"] == "idle")

    await eventually(idle, "the run ends")
    (last,) = [message for message in await user.messages(session_id) if message["role"] == "tool"]
    return bool(last["metadata"]["status"] == "success")
