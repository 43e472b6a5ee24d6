"""`copilot-ws chat`: what it shows where, and the exit code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from canned_server import PROJECT, RUN, TOKEN, CannedServer, Frame, Line, called, content, done, tool

READ = "execute_multiple_device_commands"
ROUTE = {"device_configs": [{"device_name": "R1", "commands": ["show ip route"]}]}
LINES = "\n".join(f"line {number}" for number in range(10))
RESULT = {"results": [{"device_name": "R1", "status": "success", "output": LINES}]}


def play(*events: Frame) -> Any:
    async def script(line: Line) -> None:
        await line.hello(seq=7)
        await line.accept()
        await line.events(*events)

    return script


WITH_TOOL = play(
    {"type": "run_started", "message_id": "m-user", "message": "hello", "limits": {}},
    {"type": "reasoning", "content": "hm, ", "message_id": "m-1"},
    {"type": "reasoning", "content": "routes", "message_id": "m-1"},
    content("I look at "),
    content("R1.\t路由 🙂"),
    called("c1", READ, ROUTE),
    *tool("c1", READ, RESULT),
    {"type": "something_new", "content": "?"},
    content("All ", "m-2"),
    content("is well.\n", "m-2"),
    done(),
)


async def test_a_pipe_gets_the_answer_and_nothing_else(server: CannedServer, terminal: Any) -> None:
    server.scripts = [WITH_TOOL]
    assert await terminal.chat("show me") == 0
    assert terminal.out == "I look at R1.\t路由 🙂\n\nAll is well.\n"
    said = terminal.err.splitlines()
    assert said[:8] == [
        "hm, routes",
        f"> {READ} R1: show ip route",
        "  success, 812 ms",
        "    line 0",
        "    line 1",
        "    line 2",
        "    line 3",
        "    (6 more lines)",
    ]
    sent = server.commands[0]
    assert sent["message"] == "show me"
    assert sent["client_message_id"]
    assert f"--session {sent['session_id']} MESSAGE" in said[8]
    assert "\x1b" not in terminal.err


async def test_a_terminal_shows_both_in_order_with_colours_and_a_spinner(server: CannedServer, terminal: Any) -> None:
    server.scripts = [WITH_TOOL]
    assert await terminal.chat(lively=True) == 0
    shown = terminal.out
    marks = ["hm, ", "I look at ", f"> {READ} R1", "R1 0/1 show ip route", "success, 812 ms", "All ", "To go on"]
    places = [shown.index(mark) for mark in marks]
    assert places == sorted(places)
    assert "\x1b[36m>" in shown
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l"), "the cursor is shown again"


async def test_a_pause_before_another_attempt_is_told(server: CannedServer, terminal: Any) -> None:
    why = {"code": "llm_rate_limited", "message": "There were too many requests."}
    pause = {"type": "llm_retry", "attempt": 2, "of": 4, "delay_seconds": 7.3, **why}
    server.scripts = [play(pause, content("Here I am.\n"), done())]
    assert await terminal.chat() == 0
    assert terminal.out == "Here I am.\n"
    assert terminal.err.startswith("Trying again in 7.3 s (attempt 2 of 4). There were too many requests.\n")


async def test_what_a_run_changed_can_be_undone(server: CannedServer, terminal: Any) -> None:
    server.scripts = [play(content("Done.\n"), done(undoable=True))]
    assert await terminal.chat(session="s1") == 0
    assert terminal.err.splitlines()[-1].endswith(f"--session s1 --undo {RUN}")

    async def back(line: Line) -> None:
        await line.hello(seq=7)
        assert (await line.accept("run.undo"))["run_id"] == RUN
        await line.events(content("R1 is as before.\n"), done())

    server.scripts = [back]
    assert await terminal.chat(None, session="s1", undo=RUN) == 0
    assert terminal.out.endswith("R1 is as before.\n")
    assert await terminal.chat("hello", session="s1", undo=RUN) == 2
    assert await terminal.chat(None, undo=RUN) == 2


async def test_nobody_steers_the_terminal(server: CannedServer, terminal: Any) -> None:
    evil = "\x1b]0;owned\x07\x9b2J"
    server.scripts = [play(content(f"a{evil}z"), called("c1", f"x{evil}", {}), done())]
    await terminal.chat(lively=True)
    assert "\x1b]" not in terminal.out
    assert "\x07" not in terminal.out
    assert "\x9b" not in terminal.out
    assert "a]0;owned2Jz" in terminal.out


async def test_a_failed_tool_says_why(server: CannedServer, terminal: Any) -> None:
    result = {"results": [{"device_name": "R9", "status": "failed", "output": "", "error": "There is no R9."}]}
    server.scripts = [play(called("c1", READ, ROUTE), *tool("c1", READ, result, "error"), content("x"), done())]
    assert await terminal.chat() == 0
    assert "  error, 812 ms\n    R9: There is no R9.\n" in terminal.err


@pytest.mark.parametrize(("outcome", "code"), [("completed", 0), ("limited", 0), ("stopped", 1), ("failed", 1)])
async def test_the_exit_code_tells_the_outcome(server: CannedServer, terminal: Any, outcome: str, code: int) -> None:
    server.scripts = [play(content("part"), done(outcome))]
    assert await terminal.chat() == code
    assert terminal.out == "part\n"


async def test_a_run_that_fails_shows_its_error(server: CannedServer, terminal: Any) -> None:
    error = {"type": "error", "error": "The model does not answer.", "code": "llm_timeout"}
    server.scripts = [play(content("So"), error, done("failed"))]
    assert await terminal.chat() == 1
    assert "The model does not answer.\nThe run failed.\n" in terminal.err


async def test_what_belongs_to_others_is_not_shown(server: CannedServer, terminal: Any) -> None:
    async def script(line: Line) -> None:
        await line.hello()
        command = await line.command("chat.send")
        await line.events(content("mine "))  # events may come before the answer to the command
        await line.events({**content("theirs"), "session_id": "other"}, {**done(), "run_id": "another"})
        result = {"run_id": "run-1", "session_id": "s", "message_id": "m-user", "status": "started"}
        await line.answer(command, result)
        await line.events(content("too"), done())

    server.scripts = [script]
    assert await terminal.chat(session="s") == 0
    assert terminal.out == "mine too\n"


async def test_a_refused_message(server: CannedServer, terminal: Any) -> None:
    async def script(line: Line) -> None:
        await line.hello()
        await line.refuse(await line.command("chat.send"), "This session is busy.")

    server.scripts = [script]
    assert await terminal.chat(session="mine") == 2
    assert server.commands[0]["session_id"] == "mine"
    assert terminal.err == "This session is busy.\n"


async def test_a_deleted_conversation_ends_it(server: CannedServer, terminal: Any) -> None:
    server.scripts = [play(content("a"), {"type": "session_deleted"})]
    assert await terminal.chat() == 1


async def test_a_closed_project_ends_it(server: CannedServer, terminal: Any) -> None:
    async def script(line: Line) -> None:
        await line.hello()
        await line.accept()
        await line.close(4403, "the project was closed")

    server.scripts = [script]
    assert await terminal.chat() == 2
    assert "the project was closed" in terminal.err


# where to


async def test_the_url_as_the_server_prints_it(server: CannedServer, terminal: Any, tmp_path: Path) -> None:
    tmp_path.joinpath("server.json").unlink()
    server.scripts = [play(content("x"), done())]
    assert await terminal.chat(url=f"{server.url}/?token={TOKEN}") == 0
    assert f"--url {server.url}/ --session" in terminal.err
    assert TOKEN not in terminal.err


@pytest.mark.parametrize("wanted", [None, PROJECT, "demo", "DEMO"])
async def test_the_project(server: CannedServer, terminal: Any, wanted: str | None) -> None:
    server.scripts = [play(done())]
    assert await terminal.chat(project=wanted) == 0


@pytest.mark.parametrize(("wanted", "words"), [("nope", "no project 'nope'"), ("old lab", "'old lab' is closed")])
async def test_an_unknown_or_closed_project(server: CannedServer, terminal: Any, wanted: str, words: str) -> None:
    assert await terminal.chat(project=wanted) == 2
    assert words in terminal.err
    assert terminal.err.endswith("There are: demo (opened), old lab (closed)\n")


async def test_no_open_project(server: CannedServer, terminal: Any) -> None:
    server.projects = []
    assert await terminal.chat() == 2
    assert terminal.err == "No project is open. The server has no projects.\n"


async def test_a_bad_token(server: CannedServer, terminal: Any) -> None:
    assert await terminal.chat(url=f"{server.url}/?token=wr0ng") == 2
    assert "does not accept this token" in terminal.err
    assert "wr0ng" not in terminal.err


async def test_the_kept_token_goes_to_its_own_server_only(server: CannedServer, terminal: Any) -> None:
    server.scripts = [play(done())]
    assert await terminal.chat(url=server.url) == 0
    assert await terminal.chat(url="http://127.0.0.1:9") == 2
    assert "There is no token for http://127.0.0.1:9" in terminal.err


async def test_no_server(terminal: Any, unused_tcp_port: int) -> None:
    assert await terminal.chat() == 2
    assert terminal.err.endswith("Start one with: copilot-ws serve\n")
    assert await terminal.chat(url=f"http://127.0.0.1:{unused_tcp_port}/?token=t") == 2
    assert "No server answers at" in terminal.err
    assert len(terminal.err.splitlines()) == 2


@pytest.mark.parametrize("url", ["ftp://host/", "http://", "http://[::1", "http://a:99999999/"])
async def test_no_url(terminal: Any, url: str) -> None:
    assert await terminal.chat(url=url) == 2
    assert "is no URL of a server" in terminal.err


async def test_a_blank_message(terminal: Any) -> None:
    assert await terminal.chat(" \n") == 2
