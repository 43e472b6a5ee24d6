"""A person decides in the terminal: what is shown, what is sent, and what others decide meanwhile."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from canned_server import CannedServer, Frame, Line, content, done, tool
from prompts import CONFIGURE, RUNS, Person, ask, deletion, editor, finish, pending, resolved, status, take

RELOAD = pending("c1", "hostname Core", "do reload", reason="Restarts the device.")


def sent(server: CannedServer, name: str) -> list[Frame]:
    return [command for command in server.commands if command["type"] == name]


async def test_what_is_asked_is_shown_and_confirmed(server: CannedServer, terminal: Any) -> None:
    async def script(line: Line) -> None:
        await ask(line, pending("c1", "interface lo0", "hostname Core\u202e\x1b"))
        await take(line, "hitl.confirm", "confirmed", "c1")
        await line.events(*tool("c1", CONFIGURE, {"results": []}))
        await finish(line)

    server.scripts = [script]
    assert await terminal.chat(session="s", typist=Person("", "cancel", "d", "c")) == 0
    shown = terminal.err
    assert "The copilot asks for your decision (1 min 2 s left):" in shown or "(1 min 1 s left):" in shown
    assert f"{CONFIGURE}  (medium)\n  Configure R1\n  R1 (ios)\n     1  interface lo0\n" in shown
    assert "     2  hostname Core\\u202e\\x1b\n" in shown, "what hides is seen"
    assert shown.count("    -hostname R1\n    +hostname Core\n") == 2, "shown again"
    assert "Type one of: c, r, e, d, s." in shown
    assert "elsewhere" not in shown
    (command,) = sent(server, "hitl.confirm")
    assert command["tool_call_ids"] == ["c1"]
    assert command["hitl_session_id"] == "h1"
    assert command["acknowledge_dangerous"] is False


async def test_colours(server: CannedServer, terminal: Any) -> None:
    async def script(line: Line) -> None:
        await ask(line, RELOAD)
        await take(line, "hitl.reject", "rejected", "c1")
        await finish(line)

    server.scripts = [script]
    await terminal.chat(session="s", typist=Person("r", ""), lively=True)
    assert "\x1b[1;31mdo reload\x1b[0m" in terminal.out
    assert "\x1b[1;31m        ! Restarts the device.\x1b[0m" in terminal.out
    assert "\x1b[31m    -hostname R1\x1b[0m" in terminal.out
    assert "\x1b[32m    +hostname Core\x1b[0m" in terminal.out


@pytest.mark.parametrize("call", [RELOAD, deletion()])
async def test_danger_takes_a_second_step(server: CannedServer, terminal: Any, call: Frame) -> None:
    async def script(line: Line) -> None:
        await ask(line, call)
        await take(line, "hitl.confirm", "confirmed", "c1")
        await finish(line)

    server.scripts = [script]
    assert await terminal.chat(session="s", typist=Person("c", "y", "c", "", "confirm", "yes")) == 0
    (command,) = sent(server, "hitl.confirm")
    assert command["acknowledge_dangerous"] is True
    assert terminal.err.count("Not confirmed.") == 2
    assert "DANGEROUS" in terminal.err


async def test_danger_that_only_the_server_sees(server: CannedServer, terminal: Any) -> None:
    danger = {"device_name": "R1", "command": "hostname Core", "reason": "Is what a new rule names."}

    async def script(line: Line) -> None:
        await ask(line, pending())
        details = [{"tool_call_id": "c1", "dangerous_commands": [danger]}]
        await line.refuse(await line.command("hitl.confirm"), "Confirm it again.", "confirmation_required", details)
        await take(line, "hitl.confirm", "confirmed", "c1")
        await finish(line)

    server.scripts = [script]
    assert await terminal.chat(session="s", typist=Person("c", "yes")) == 0
    assert [one["acknowledge_dangerous"] for one in sent(server, "hitl.confirm")] == [False, True]
    assert "R1: hostname Core: Is what a new rule names." in terminal.err


@pytest.mark.parametrize(("typed", "reason"), [("not now", "not now"), (" ", None)])
async def test_reject(server: CannedServer, terminal: Any, typed: str, reason: str | None) -> None:
    async def script(line: Line) -> None:
        await ask(line, pending())
        await take(line, "hitl.reject", "rejected", "c1")
        output = {"error": "A person rejected this call.", "reason": reason}
        await line.events(tool("c1", CONFIGURE, output, "rejected")[-1])
        await finish(line)

    server.scripts = [script]
    assert await terminal.chat(session="s", typist=Person("r", typed)) == 0
    assert sent(server, "hitl.reject")[0]["reason"] == reason
    why = f"    {reason}\n" if reason else ""
    assert f"1 call rejected.\n  rejected by a person, not run\n{why}" in terminal.err


async def test_one_after_the_other_or_all(server: CannedServer, terminal: Any) -> None:
    async def script(line: Line) -> None:
        await ask(line, pending("c1"), pending("c2"), deletion("c3"), pending("c4"))
        await take(line, "hitl.confirm", "confirmed", "c1", remaining=["c2", "c3", "c4"])
        await take(line, "hitl.reject", "rejected", "c2", remaining=["c3", "c4"])
        await take(line, "hitl.confirm", "confirmed", "c3", "c4")
        await finish(line)

    server.scripts = [script]
    assert await terminal.chat(session="s", typist=Person("c", "r", "", "a", "yes")) == 0
    first, last = sent(server, "hitl.confirm")
    assert (first["tool_call_ids"], first["acknowledge_dangerous"]) == (["c1"], False)
    assert (last["tool_call_ids"], last["acknowledge_dangerous"]) == (["c3", "c4"], True)
    assert "3 of 4: delete_gns3_node  DANGEROUS\n  Delete R2\n  {\n" in terminal.err
    assert "3 of 4: [c]onfirm, [r]eject, [e]dit, [d]iff again, [a]ll confirm, [s]kip" in terminal.err


# others


async def until_asked(person: Person) -> None:
    async with asyncio.timeout(5):
        await person.asked.wait()


@pytest.mark.parametrize(
    ("decision", "by", "words"),
    [
        ("rejected", "alice", f"{CONFIGURE} was rejected elsewhere by alice: no"),
        ("confirmed", "local", f"{CONFIGURE} was confirmed elsewhere by local."),
        ("expired", "server", f"Nobody has decided in time: {CONFIGURE} is not run."),
        ("cancelled", "alice", f"The run was stopped by alice: {CONFIGURE} is not run."),
    ],
)
async def test_decided_elsewhere(server: CannedServer, terminal: Any, decision: str, by: str, words: str) -> None:
    person = Person()

    async def script(line: Line) -> None:
        await ask(line, pending())
        await until_asked(person)
        await line.events(resolved(("c1", decision, by), reason="no" if decision == "rejected" else ""))
        await line.events(tool("c1", CONFIGURE, {}, "expired")[-1])
        await finish(line)

    server.scripts = [script]
    assert await terminal.chat(session="s", typist=person) == 0
    assert f"left)? \n{words}\n  expired: nobody decided in time, not run\n" in terminal.err


async def test_another_call_decided_elsewhere_leaves_this_one_asked(server: CannedServer, terminal: Any) -> None:
    person = Person()

    async def script(line: Line) -> None:
        await ask(line, pending("c1"), pending("c2"))
        await until_asked(person)
        await line.events(resolved(("c2", "rejected", "alice"), remaining=["c1"]))
        await asyncio.sleep(0.05)
        person.asked.clear()
        await line.events(resolved(("c1", "expired", "server")))
        await finish(line)

    server.scripts = [script]
    assert await terminal.chat(session="s", typist=person) == 0
    assert f"? \n{CONFIGURE} was rejected elsewhere by alice.\n1 of 2: [c]onfirm" in terminal.err


async def test_too_late(server: CannedServer, terminal: Any) -> None:
    details = {"decision": "rejected", "by": "alice", "decided_at": "2026-01-01T10:00:00.000+00:00"}

    async def script(line: Line) -> None:
        await ask(line, pending())
        await line.refuse(await line.command("hitl.confirm"), "Too late.", "already_resolved", details)
        idle = {"status": "idle", "pending_tools": [], "hitl_session_id": None}
        await line.answer(await line.command("hitl.status"), idle)
        await finish(line)

    server.scripts = [script]
    assert await terminal.chat(session="s", typist=Person("c")) == 0
    assert "Too late: it was rejected by alice at " in terminal.err


async def test_a_broken_connection_keeps_the_question(server: CannedServer, terminal: Any) -> None:
    person = Person()

    async def broken(line: Line) -> None:
        await ask(line, pending())
        await until_asked(person)
        await line.cut()

    async def restarted(line: Line) -> None:
        await line.hello(epoch="e2", seq=0, recovered=False, pending_hitl=[status(pending())])
        line.session_id = "s"
        await line.recall([], status="waiting", epoch="e2")
        await asyncio.sleep(0.05)
        await line.events(resolved(("c1", "confirmed", "alice")))
        await finish(line)

    server.scripts = [broken, restarted]
    assert await terminal.chat(session="s", typist=person) == 0
    assert terminal.err.count("asks for your decision") == 1
    assert "Connected again.\n[c]onfirm" in terminal.err
    assert "was confirmed elsewhere by alice" in terminal.err


# later, or not here


async def test_skip(server: CannedServer, terminal: Any) -> None:
    async def script(line: Line) -> None:
        await ask(line, pending())
        await line.gone()

    server.scripts = [script]
    assert await terminal.chat(session="s", typist=Person("s")) == 0
    assert terminal.err.endswith(f"--data-dir {terminal.data_dir} --session s\n")
    assert f"It waits. To decide, open {server.url}" in terminal.err


@pytest.mark.parametrize("person", [None, Person(None), Person(present=False)], ids=["pipe", "closed", "background"])
async def test_nobody_to_ask(server: CannedServer, terminal: Any, person: Person | None) -> None:
    async def script(line: Line) -> None:
        await ask(line, RELOAD)
        await asyncio.sleep(0.05)
        await line.events(resolved(("c1", "confirmed", "alice")))
        await finish(line)

    server.scripts = [script]
    assert await terminal.chat(session="s", typist=person) == 0
    assert "     2  do reload\n        ! Restarts the device.\n" in terminal.err
    assert f"It waits. To decide, open {server.url}" in terminal.err
    assert "alice" in terminal.err or person is not None
    assert [command["type"] for command in server.commands] == ["chat.send"]


def waiting(*steps: Any) -> Any:
    async def script(line: Line) -> None:
        await line.hello(seq=5, pending_hitl=[status(pending())], runs=RUNS)
        line.session_id = "s"
        history = {"messages": [{"id": "m-user", "role": "user", "content": "?"}], "has_more": False, "seq": 5}
        await line.answer(await line.command("sessions.history"), history)
        await line.recall([{"id": "m-1", "role": "assistant", "content": "I will."}], status="waiting", seq=5)
        for step in steps:
            await step(line)

    return script


async def confirmed(line: Line) -> None:
    await take(line, "hitl.confirm", "confirmed", "c1")
    await finish(line)


async def answered(line: Line) -> None:
    command = await line.command("chat.send")
    await line.answer(command, {"run_id": "run-2", "session_id": "s", "message_id": "m-2", "status": "started"})
    await line.events({**content("Next.", "m-3"), "run_id": "run-2"}, {**done(), "run_id": "run-2"})


async def test_a_session_that_waits_already(server: CannedServer, terminal: Any) -> None:
    server.scripts = [waiting(confirmed)]
    assert await terminal.chat(None, session="s", typist=Person("c")) == 0
    assert "I will." in terminal.out
    assert "Done." in terminal.out
    assert sent(server, "chat.send") == []


async def test_a_message_for_a_session_that_waits_is_sent_after_the_decision(
    server: CannedServer, terminal: Any
) -> None:
    server.scripts = [waiting(confirmed, answered)]
    assert await terminal.chat("next", session="s", typist=Person("d", "c")) == 0
    assert terminal.out.endswith("Next.\n")
    assert sent(server, "chat.send")[0]["message"] == "next"


async def test_a_message_interrupts_what_waits(server: CannedServer, terminal: Any) -> None:
    async def stopped(line: Line) -> None:
        await line.answer(await line.command("chat.stop"), {"session_id": "s", "stopped": True})
        await line.events(resolved(("c1", "cancelled", "local")), done("stopped"))

    server.scripts = [waiting(stopped, answered)]
    assert await terminal.chat("next", session="s", typist=Person("i")) == 0
    assert terminal.out.endswith("Next.\n")


async def test_a_message_is_not_sent_when_the_question_is_left(server: CannedServer, terminal: Any) -> None:
    server.scripts = [waiting(Line.gone)]
    assert await terminal.chat("next", session="s", typist=Person("s")) == 0
    assert sent(server, "chat.send") == []


async def test_a_message_on_a_pipe_is_refused_with_the_question(server: CannedServer, terminal: Any) -> None:
    async def script(line: Line) -> None:
        await line.hello(pending_hitl=[status(pending())], runs=RUNS)
        await line.refuse(await line.command("chat.send"), "This session waits for your decision.", "hitl_pending")

    server.scripts = [script]
    assert await terminal.chat("next", session="s") == 2
    assert "hostname Core" in terminal.err
    assert "To decide, open" in terminal.err


async def test_no_message_and_nothing_to_follow(server: CannedServer, terminal: Any) -> None:
    async def script(line: Line) -> None:
        await line.hello(runs=[], pending_hitl=[])

    server.scripts = [script]
    assert await terminal.chat(None, session="s") == 2
    assert "give a MESSAGE" in terminal.err
    assert await terminal.chat(None) == 2
    assert "say with --session" in terminal.err


# editing

posix = pytest.mark.skipif(sys.platform == "win32", reason="the scripted editor is a shell script")


async def modify(line: Line) -> Frame:
    command = await line.command("hitl.modify")
    await line.events(resolved(("c1", "modified", "local")))
    result = {"status": "modified", "confirmed_count": 0, "message": "The call is changed.", "remaining": []}
    await line.answer(command, result)
    return command


@posix
@pytest.mark.parametrize(("choice", "apply"), [("r", "direct"), ("model", "regenerate")])
async def test_edit(
    server: CannedServer, terminal: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, choice: str, apply: str
) -> None:
    async def script(line: Line) -> None:
        await ask(line, pending())
        command = await modify(line)
        end = tool("c1", CONFIGURE, {"results": []}, "success" if apply == "direct" else "replaced")[-1]
        await line.events(end | ({"executed_args": command["modified_args"]} if apply == "direct" else {}))
        await finish(line)

    monkeypatch.setenv("VISUAL", editor(tmp_path, 'sed -i "s/Core/Edge/" "$1"'))
    server.scripts = [script]
    assert await terminal.chat(session="s", typist=Person("e", choice)) == 0
    (command,) = sent(server, "hitl.modify")
    assert command["modified_args"] == pending("c1", "hostname Edge")["tool_args"]
    assert (command["apply"], command["acknowledge_dangerous"]) == (apply, False)
    assert "    -hostname Core\n    +hostname Edge\n" in terminal.err
    assert tmp_path.joinpath("seen-0").read_text().endswith("\n\n[R1]\nhostname Core\n")
    mode, *_, path = tmp_path.joinpath("modes").read_text().split()
    assert mode.startswith("-rw-------")
    assert not Path(path).parent.exists()
    words = "changed by a person: R1: hostname Edge" if apply == "direct" else "not run: a person changed it"
    assert words in terminal.err


@posix
async def test_edits_that_are_wrong_are_not_lost(
    server: CannedServer, terminal: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unreadable, then refused by the server, then put aside, then dangerous."""
    danger = {"device_name": "R1", "command": "do reload", "reason": "Restarts the device."}
    details = [{"tool_call_id": "c1", "dangerous_commands": [danger]}]

    async def script(line: Line) -> None:
        await ask(line, pending())
        faults = [{"field": "device_configs.0.device_name", "message": "There is no R9."}]
        await line.refuse(await line.command("hitl.modify"), "wrong", "invalid_argument", faults)
        await line.refuse(await line.command("hitl.modify"), "Dangerous.", "confirmation_required", details)
        await modify(line)
        await finish(line)

    steps = ('echo "[R2]" >> "$1"', 'sed -i "s/R2/R9/; \\$ado reload" "$1"', 'sed -i "s/R9/R2/" "$1"', "true")
    monkeypatch.setenv("VISUAL", editor(tmp_path, *steps))
    server.scripts = [script]
    typed = ("e", "e", "r", "b", "e", "b", "e", "r", "yes")
    assert await terminal.chat(session="s", typist=Person(*typed)) == 0
    assert "[R2] has no commands" in terminal.err
    assert "device_configs.0.device_name: There is no R9." in terminal.err
    assert "! R1: do reload: Restarts the device." in terminal.err
    last = sent(server, "hitl.modify")[-1]
    assert last["acknowledge_dangerous"] is True
    assert [item["device_name"] for item in last["modified_args"]["device_configs"]] == ["R1", "R2"]


@posix
async def test_an_edit_without_a_change(
    server: CannedServer, terminal: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def script(line: Line) -> None:
        await ask(line, pending("c1", "hostname A\n hostname B"))
        await confirmed(line)

    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", editor(tmp_path, "true"))
    server.scripts = [script]
    assert await terminal.chat(session="s", typist=Person("e", "c")) == 0
    assert "Nothing was changed." in terminal.err


@posix
async def test_events_wait_for_the_editor(
    server: CannedServer, terminal: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def script(line: Line) -> None:
        await ask(line, pending())
        async with asyncio.timeout(5):
            while not tmp_path.joinpath("seen-0").exists():  # noqa: ASYNC110 another process makes it
                await asyncio.sleep(0.01)
        await line.events(resolved(("c1", "confirmed", "alice")))
        await finish(line)
        await asyncio.sleep(0.1)
        assert "Done." not in terminal.out
        tmp_path.joinpath("go").touch()

    monkeypatch.setenv("VISUAL", editor(tmp_path, f'while ! [ -e "{tmp_path}/go" ]; do sleep 0.02; done'))
    server.scripts = [script]
    assert await terminal.chat(session="s", typist=Person("e")) == 0
    assert "was confirmed elsewhere by alice" in terminal.err
    assert terminal.out == "Done.\n"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("/nowhere/ed", "'/nowhere/ed' cannot be started"),
        ("false", "ended with code 1"),
        ("'", "$VISUAL is no command"),
    ],
)
async def test_an_editor_that_fails(
    server: CannedServer, terminal: Any, monkeypatch: pytest.MonkeyPatch, command: str, words: str
) -> None:
    async def script(line: Line) -> None:
        await ask(line, pending())
        await confirmed(line)

    monkeypatch.setenv("VISUAL", command)
    server.scripts = [script]
    assert await terminal.chat(session="s", typist=Person("e", "c")) == 0
    assert words in terminal.err
