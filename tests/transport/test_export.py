"""GET /sessions/{session_id}/export: the whole conversation as a file, for people and for programs."""

from __future__ import annotations

import pytest
from aiohttp import content_disposition_filename, parse_content_disposition
from kit.conversation import assert_valid, told
from kit.scripted_llm import Gate, ScriptedLlm, say, show
from kit.server import Reply, User
from kit.socket import Socket


async def export(me: User, session_id: str = "s", query: str = "?format=json") -> Reply:
    return await me.chat("GET", f"/sessions/{session_id}/export{query}")


def file_name(answer: Reply) -> str | None:
    kind, parameters = parse_content_disposition(answer.headers["Content-Disposition"])
    assert kind == "attachment"
    return content_disposition_filename(parameters)


async def test_json_is_the_whole_history_and_its_session(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    for number in range(55):
        await socket.turn(f"Question {number}", session_id="s")
    llm.answer(say(show("R1", "show version")), say("Done."))
    await socket.turn("Look", session_id="s")
    answer = await export(me)
    found = answer.json
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json; charset=utf-8")
    assert len(found["messages"]) == 114
    assert_valid(found["messages"])
    assert found.pop("session") == await me.session("s")
    assert found == await me.conversation("s", limit=1000)
    assert (await export(me, query="")).json["messages"] == found["messages"], "json is the default"


async def test_markdown_is_for_people(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say(made := show("R1", "show version")), say("It is up."))
    await socket.turn("Look at R1", session_id="s")
    answer = await export(me, query="?format=markdown")
    assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"
    lines = answer.text.splitlines()
    assert lines[0] == "# New Conversation"
    assert "> Look at R1" in lines
    assert f"### Tool ` {made.name} `" in lines
    assert "> It is up." in lines
    assert any("uptime" in line for line in lines)


async def test_holds_what_is_still_being_said(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say("So far, ", gate := Gate(), "so good."))
    sent = await socket.chat("Go", session_id="s")
    await gate.reached()
    await socket.frame("content")
    found = (await export(me)).json
    assert told(found["messages"]) == [("user", "Go", []), ("assistant", "So far, ", [])]
    assert found["session"]["status"] == "running"
    assert "(still being written)" in (await export(me, query="?format=markdown")).text
    gate.open()
    await socket.end_of(sent)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("My lab", "My lab"),
        ("检查路由", "检查路由"),
        ('a/b\\c: "d"; e*?<f>|', "a b c d ; e f"),
        ("one\r\ntwo: X", "one two X"),
        ("100% \u202egnp", "100% gnp"),
        ("...", "conversation"),
        ("🛰️ up", "🛰️ up"),
        ("x" * 255, "x" * 80),
    ],
)
async def test_is_named_after_its_title(me: User, socket: Socket, title: str, name: str) -> None:
    await socket.turn("Hello", session_id="s")
    await socket.command("sessions.rename", session_id="s", title=title)
    answer = await export(me, query="?format=markdown")
    assert file_name(answer) == f"{name}.md"
    assert file_name(await export(me)) == f"{name}.json"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_its_name_has_a_form_for_old_clients(me: User, socket: Socket) -> None:
    await socket.turn("Hello", session_id="s")
    for title, plain in (("Où est R1?", "O_ est R1"), ("检查路由", "conversation")):
        await socket.command("sessions.rename", session_id="s", title=title)
        header = (await export(me)).headers["Content-Disposition"]
        assert header.startswith(f"attachment; filename=\"{plain}.json\"; filename*=UTF-8''")
        assert header.isascii()


@pytest.mark.parametrize("query", ["?format=xml", "?format=", "?format=json&more=1"])
async def test_another_format_is_422(me: User, socket: Socket, query: str) -> None:
    await socket.turn("Hello", session_id="s")
    answer = await export(me, query=query)
    assert (answer.status, answer.code) == (422, "invalid_argument")


async def test_of_an_unknown_session_is_404(me: User) -> None:
    assert (await export(me, "nobody")).status == 404


async def test_the_other_prefix_is_the_same(me: User, socket: Socket) -> None:
    await socket.turn("Hello", session_id="s")
    answer = await me.rest("GET", f"/v3/copilot/projects/{me.project_id}/chat/sessions/s/export?format=json")
    assert answer.json["messages"] == await me.messages("s")
