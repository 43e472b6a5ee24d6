"""A connection that breaks: no word twice, none lost, and an end if it does not come back."""

from __future__ import annotations

from typing import Any

import pytest
from canned_server import CannedServer, Frame, Line, called, content, done, tool

Script = Any
NODES = {"nodes": [{"name": "R1"}]}


def assistant(text: str, message_id: str = "m-1", **more: Any) -> Frame:
    return {"id": message_id, "role": "assistant", "content": text, **more}


def broken_after(*events: Frame, seq: int = 0) -> Script:
    async def script(line: Line) -> None:
        await line.hello(seq=seq)
        await line.accept()
        await line.events(*events)
        await line.cut()

    return script


def resumed(at: int, *events: Frame) -> Script:
    async def script(line: Line) -> None:
        assert line.resume == f"e1:{at}"
        await line.hello(seq=at + len(events), recovered=True)
        line.seq, line.session_id = at, "s"
        await line.events(*events)

    return script


async def test_resume_in_the_middle_of_an_answer(server: CannedServer, terminal: Any) -> None:
    server.scripts = [
        broken_after(content("one "), content("two "), seq=40),
        resumed(42, content("three "), content("four"), done()),
    ]
    assert await terminal.chat(session="s") == 0
    assert terminal.out == "one two three four\n"
    assert "The connection was lost (it broke)" in terminal.err
    assert "Connected again." in terminal.err
    assert [command["type"] for command in server.commands] == ["chat.send"]


async def test_a_number_that_comes_twice_is_shown_once(server: CannedServer, terminal: Any) -> None:
    async def script(line: Line) -> None:
        await line.hello()
        await line.accept()
        await line.events(content("a"))
        line.seq = 0
        await line.events(content("a"), content("b"), done())

    server.scripts = [script]
    await terminal.chat()
    assert terminal.out == "ab\n"


async def test_a_message_without_an_answer_is_sent_again_as_the_same(server: CannedServer, terminal: Any) -> None:
    async def deaf(line: Line) -> None:
        await line.hello()
        await line.command("chat.send")
        await line.events(content("one "))  # read but not shown: nobody knows yet whose it is
        await line.cut()

    async def again(line: Line) -> None:
        assert line.resume == "e1:0"
        await line.hello(seq=1, recovered=True)
        await line.accept()
        line.seq = 0
        await line.events(content("one "), content("two"), done())

    server.scripts = [deaf, again]
    assert await terminal.chat() == 0
    assert terminal.out == "one two\n"
    first, second = ({key: value for key, value in command.items() if key != "id"} for command in server.commands)
    assert first == second


async def test_a_lost_place_is_made_up_from_the_history(server: CannedServer, terminal: Any) -> None:
    """The run goes on meanwhile: events that the history holds are not shown again."""
    calls = [called("c1", "gns3_topology_reader", {})["tool_call"], called("c2", "slow", {})["tool_call"]]

    async def lost(line: Line) -> None:
        await line.hello(epoch="e2", seq=5, recovered=False)
        line.session_id = "s"
        history = [
            assistant("one two three", tool_calls=calls),
            {
                "id": "t1",
                "role": "tool",
                "tool_call_id": "c1",
                "content": '{"nodes": []}',
                "metadata": {"status": "success", "duration_ms": 5},
            },
            {"id": "t2", "role": "tool", "tool_call_id": "c2", "content": "", "metadata": {"partial": True}},
            assistant("fo", "m-2", metadata={"partial": True}),
        ]
        await line.events(content("f", "m-2"))
        await line.recall(history, status="running", seq=7, epoch="e2")
        await line.events(content("o", "m-2"), content("ur", "m-2"), done())

    server.scripts = [broken_after(content("one "), content("two")), lost]
    assert await terminal.chat(session="s") == 0
    assert terminal.out == "one two three\n\nfour\n"
    assert terminal.err.count("> gns3_topology_reader") == 1
    assert "success, 5 ms" in terminal.err
    assert "> slow" in terminal.err


async def test_a_break_while_catching_up(server: CannedServer, terminal: Any) -> None:
    """The second connection recovers the first one's place, which was not yet made up for."""

    async def lost(line: Line) -> None:
        await line.hello(epoch="e2", seq=5, recovered=False)
        await line.command("sessions.get")
        await line.cut()

    async def back(line: Line) -> None:
        assert line.resume == "e2:5"
        await line.hello(epoch="e2", seq=5, recovered=True)
        line.session_id = "s"
        await line.recall([assistant("one two")], status="idle", seq=5, epoch="e2")

    server.scripts = [broken_after(content("one ")), lost, back]
    assert await terminal.chat(session="s") == 0
    assert terminal.out == "one two\n"


@pytest.mark.parametrize(
    ("turn", "code"),
    [
        ([assistant("one two three")], 0),
        ([assistant("one two"), {"id": "m-x", "role": "user", "content": "next"}, assistant("no", "m-3")], 0),
        ([assistant("one two", metadata={"incomplete": True})], 1),
        ([assistant("one")], 0),  # a crash may have cost the last second of what was shown
        ([], 1),
    ],
)
async def test_a_run_that_ended_unseen(server: CannedServer, terminal: Any, turn: list[Frame], code: int) -> None:
    async def lost(line: Line) -> None:
        await line.hello(epoch="e2", seq=0, recovered=False)
        await line.recall(turn, status="idle", epoch="e2")

    server.scripts = [broken_after(content("one "), content("two")), lost]
    assert await terminal.chat(session="s") == code
    assert terminal.out == ("one two three\n" if "three" in str(turn) else "one two\n")
    assert ("did not run to its end" in terminal.err) == (code == 1)


async def test_a_tool_that_ended_meanwhile_is_told_once(server: CannedServer, terminal: Any) -> None:
    events = [called("c1", "reader", {}), *tool("c1", "reader", NODES)]
    server.scripts = [broken_after(*events[:3]), resumed(3, events[3], content("x"), done())]
    assert await terminal.chat(session="s") == 0
    assert terminal.err.count("> reader") == terminal.err.count("success, 812 ms") == 1
    assert "nodes (1): R1" in terminal.err


async def test_a_server_that_stops_and_comes_back(server: CannedServer, terminal: Any) -> None:
    async def stopping(line: Line) -> None:
        await line.hello()
        await line.accept()
        await line.events(content("a"))
        await line.close(1001, "shutting down")

    server.scripts = [stopping, resumed(1, content("b"), done())]
    assert await terminal.chat(session="s") == 0
    assert terminal.out == "ab\n"
    assert "the server is stopping" in terminal.err


async def test_it_gives_up(server: CannedServer, terminal: Any) -> None:
    server.scripts = [broken_after(content("a"))]
    assert await terminal.chat(session="s", give_up=0.5) == 2
    assert terminal.out == "a\n"
    assert "Gave up after 0 s without a connection; the run may go on in the server." in terminal.err
    assert "--session s MESSAGE" in terminal.err


async def test_connections_that_break_at_once_are_no_progress(server: CannedServer, terminal: Any) -> None:
    async def useless(line: Line) -> None:
        await line.hello(seq=1, recovered=True)
        await line.close(1011, "internal error")

    server.scripts = [broken_after(content("a")), *[useless] * 50]
    assert await terminal.chat(session="s", give_up=1.0) == 2
    assert "internal error" in terminal.err
    assert len(server.scripts) > 40


async def test_a_token_that_expired(server: CannedServer, terminal: Any) -> None:
    async def expired(line: Line) -> None:
        await line.hello()
        await line.accept()
        await line.send({"type": "error", "error": "Your token has expired.", "code": "token_expired"})
        await line.close(4401, "the token has expired")

    server.scripts = [expired]
    assert await terminal.chat() == 2
    assert "Your token has expired." in terminal.err
