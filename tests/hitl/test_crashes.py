"""The server is killed somewhere between a question and the end of its run, and started again.

Whenever that is: the prompt is there as it was, or the calls have results that are true; no line goes to a device
twice; the history is valid, the audit log whole, and the conversation goes on.

What must come of each call is read from the audit log that the killed server left: see `expected`.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from kit.database import rows
from kit.hitl import SLOW, Question, configure, describe, marks_sent, pending, reached, results, verified
from kit.process import KillableServer
from kit.scripted_llm import Call, ScriptedLlm, say, show
from kit.server import User, gather_all
from kit.socket import Socket
from kit.waiting import eventually, soon

pytestmark = pytest.mark.timeout(400)

Json = dict[str, Any]
LANES = 3


# the story: five calls, three decisions


@dataclass
class Batch:
    """A rejected call, a reading one, a slow one, one that a person changes, and one that waits for the slow one.

    The slow call and the last one share R1, so they run one after the other; the changed one runs `beside` them on
    R2 or in their row. `long_look`: the reading call takes two seconds.
    """

    mark: str
    long_look: bool = False
    beside: str = "R2"
    look: Call = field(init=False)
    refused: Call = field(init=False)
    slow: Call = field(init=False)
    changed: Call = field(init=False)
    new: Call = field(init=False)
    late: Call = field(init=False)

    def __post_init__(self) -> None:
        mark = self.mark
        self.look = show("R1", "ping 203.0.113.1 repeat 1" if self.long_look else "show version")
        self.refused = describe("R2", f"{mark}-refused")
        self.slow = configure(
            "R1", "interface Loopback50", f"description {mark}-slow1", SLOW, f"description {mark}-slow2"
        )
        self.changed, self.new = describe(self.beside, f"{mark}-changed"), describe(self.beside, f"{mark}-new")
        self.late = describe("R1", f"{mark}-late")

    @property
    def calls(self) -> list[Call]:
        return [self.refused, self.look, self.slow, self.changed, self.late]

    @property
    def asked(self) -> list[Call]:
        return [self.refused, self.slow, self.changed, self.late]

    def marks_of(self, made: Call) -> list[str]:
        """What this call sends once it runs, as it was decided."""
        sends = {
            self.slow.id: [f"{self.mark}-slow1", f"{self.mark}-slow2"],
            self.changed.id: [f"{self.mark}-new"],
            self.late.id: [f"{self.mark}-late"],
        }
        return sends.get(made.id, [])


class Story:
    """One conversation up to its crash: the steps that a crash can hit, and what the client was told until then."""

    def __init__(self, server: KillableServer, llm: ScriptedLlm, socket: Socket, batch: Batch) -> None:
        self.server, self.llm, self.socket, self.batch = server, llm, socket, batch
        self.prompted = False
        self.answered: set[str] = set()
        """Calls whose decision the server has acknowledged."""

    async def planning(self) -> None:
        """The model has made its calls; they are looked at, and previews are made."""
        self.llm.answer(say(*self.batch.calls), say("All done."))
        self.sent = await self.socket.chat("Go", session_id=self.batch.mark)
        await self.socket.frame("usage", run_id=self.sent["run_id"])

    async def asked(self) -> None:
        await self.planning()
        prompt = await self.socket.frame("hitl_required", run_id=self.sent["run_id"])
        self.question, self.prompted = Question(self.socket, self.sent, prompt), True

    async def partly(self) -> None:
        await self.asked()
        await reject(self.question, self.batch)
        self.answered = {self.batch.refused.id}

    async def changed(self) -> None:
        await self.partly()
        await modify(self.question, self.batch)
        self.answered.add(self.batch.changed.id)

    async def deciding(self) -> None:
        """The last decision is under way."""
        await self.changed()
        calls = [self.batch.slow.id, self.batch.late.id]
        self.deciding_id = await self.socket.begin("hitl.confirm", session_id=self.batch.mark, tool_call_ids=calls)

    async def decided(self) -> None:
        await self.deciding()
        await self.socket.result(self.deciding_id)
        self.answered = {made.id for made in self.batch.asked}

    # what can be waited for after the last decision

    async def tool(self, event: str, made: Call) -> None:
        await self.decided()
        await self.socket.frame(event, tool_call_id=made.id)

    async def line(self, device: str, line: str) -> None:
        await self.decided()
        await reached(self.server.project, device, line)

    async def frame(self, kind: str) -> None:
        await self.decided()
        await self.socket.frame(kind, run_id=self.sent["run_id"])


async def reject(question: Question, batch: Batch) -> None:
    await question.reject(batch.refused, reason="not on R2")


async def modify(question: Question, batch: Batch) -> None:
    await question.modify(batch.changed, batch.new, apply="direct")


async def decide(question: Question, batch: Batch, call_ids: list[str]) -> None:
    """Decides what is left, as the story wants it."""
    if batch.refused.id in call_ids:
        await reject(question, batch)
    if batch.changed.id in call_ids:
        await modify(question, batch)
    if rest := [made for made in (batch.slow, batch.late) if made.id in call_ids]:
        await question.confirm(*rest)


# where the server is killed


@dataclass(frozen=True)
class Point:
    """`reach` brings the story of a batch there, then `delay` seconds pass."""

    name: str
    reach: Callable[[Story], Awaitable[None]]
    delay: float = 0
    long_look: bool = False
    beside: str = "R2"
    lost_checkpoint: bool = False
    """As if the crash had come just before the newest checkpoint was committed."""

    def __str__(self) -> str:
        return f"{self.name}+{self.delay * 1000:.0f}ms"


def at(name: str, reach: Callable[[Story], Awaitable[None]], *delays: float, **batch: Any) -> list[Point]:
    return [Point(name, reach, delay, **batch) for delay in delays]


READING_FIRST: Json = {"long_look": True, "beside": "R1"}  # nothing changes before the two seconds are over
NOT_COMMITTED: Json = {**READING_FIRST, "lost_checkpoint": True}
POINTS = [
    *at("planning", Story.planning, 0, 0.03),
    *at("asked", Story.asked, 0),
    *at("one_decided", Story.partly, 0, 0.003),
    *at("two_decided", Story.changed, 0),
    *at("last_decision_under_way", Story.deciding, 0, 0.002, 0.003, 0.005),
    *at("all_decided", Story.decided, 0, 0.002, 0.006, 0.012),
    *at("reading_before_changes", lambda story: story.tool("tool_start", story.batch.look), 0.5, **READING_FIRST),
    *at("decisions_taken", lambda story: story.tool("tool_start", story.batch.look), 0, **NOT_COMMITTED),
    *at("rejected_before_changes", lambda story: story.tool("tool_end", story.batch.refused), 0.05, **READING_FIRST),
    *at("later_call_ended_first", lambda story: story.tool("tool_end", story.batch.changed), 0.02, long_look=True),
    *at("slow_started", lambda story: story.tool("tool_start", story.batch.slow), 0.01),
    *at("first_line", lambda story: story.line("R1", f"description {story.batch.mark}-slow1"), 0),
    *at("slow_line", lambda story: story.line("R1", SLOW), 0.3, 1.5),
    *at("last_line", lambda story: story.line("R1", f"description {story.batch.mark}-slow2"), 0, 0.02),
    *at("slow_ended", lambda story: story.tool("tool_end", story.batch.slow), 0),
    *at("late_line", lambda story: story.line("R1", f"description {story.batch.mark}-late"), 0),
    *at("all_ended", lambda story: story.tool("tool_end", story.batch.late), 0, 0.01),
    *at("answering", lambda story: story.frame("content"), 0),
    *at("done", lambda story: story.frame("done"), 0),
]


# what the killed server left, and what must come of it


@dataclass(frozen=True)
class Left:
    """The audit log of the session as the killed server left it."""

    decided: frozenset[str]
    started: frozenset[str]
    ended: dict[str, Json]

    @classmethod
    def of(cls, server: KillableServer, session_id: str) -> Left:
        found = rows(
            server.database, "SELECT kind, tool_call_id, data FROM audit_log WHERE thread_id = ?", (session_id,)
        )
        return cls(
            frozenset(call_id for kind, call_id, _ in found if kind == "decided"),
            frozenset(call_id for kind, call_id, _ in found if kind == "started"),
            {call_id: json.loads(data) for kind, call_id, data in found if kind == "ended"},
        )

    @property
    def cut_off(self) -> bool:
        """Some call had started, and not ended."""
        return bool(self.started - self.ended.keys())

    def expected(self, batch: Batch) -> dict[str, str]:
        """The status of each configuring call once the session is idle again."""
        runs_now = not self.started
        found = {batch.refused.id: "rejected"}
        for made in (batch.slow, batch.changed, batch.late):
            if runs_now:
                found[made.id] = "success"
            elif made.id in self.ended:
                found[made.id] = self.ended[made.id]["status"]
            else:
                found[made.id] = "unknown" if made.id in self.started else "stopped"
        return found


# the crash


async def crash_and_check(point: Point, number: int, server: KillableServer, llm: ScriptedLlm) -> None:
    mark = f"p{number}"
    batch = Batch(mark, point.long_look, point.beside)
    async with server.user().socket() as socket:
        story = Story(server, llm, socket, batch)
        await point.reach(story)
        await asyncio.sleep(point.delay)  # the place of the crash, not a synchronisation
        await server.kill()
    if point.lost_checkpoint:
        lose_checkpoint(server.database, mark)
    left, model_calls = Left.of(server, mark), len(llm.turns)
    await server.start()
    await check(story, left, model_calls, server.user())


def lose_checkpoint(database: Path, session_id: str) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        newest = "(SELECT MAX(checkpoint_id) FROM checkpoints WHERE thread_id = :id)"
        for table in ("writes", "checkpoints"):
            connection.execute(
                f"DELETE FROM {table} WHERE thread_id = :id AND checkpoint_id = {newest}", {"id": session_id}
            )


async def check(story: Story, left: Left, model_calls: int, me: User) -> None:
    session_id = story.batch.mark
    assert story.answered <= left.decided, "an acknowledged decision is kept"
    async with me.socket() as socket:
        shown = [status for status in socket.hello["pending_hitl"] if status["session_id"] == session_id]
        waits = await resting(me, session_id) == "waiting"
        assert shown or not (waits and story.prompted), "a prompt that was open is open at once"
        if waits:
            await answer_rest(story, left, await me.got(f"/sessions/{session_id}/hitl-status"), socket)
        await me.idle(session_id)
        if left.cut_off:
            assert len(story.llm.turns) == model_calls, "a run that was cut off calls no model"
        if left.decided or waits:
            await check_results(story, left, me)
        messages = await me.messages(session_id)
        assert not [m for m in messages if (m.get("metadata") or {}).get("partial")], "no placeholder is left"
        turn = await socket.turn("And now?", session_id=session_id)
        assert turn.outcome == "completed"
    assert (await verified(story.server.data_dir)).faults == []


async def resting(me: User, session_id: str) -> str:
    """`waiting` or `idle`, once the session is one of them."""

    async def status() -> str | None:
        found = str((await me.session(session_id))["status"])
        return found if found in ("waiting", "idle") else None

    return await eventually(status, f"{session_id} waits or is idle")


async def answer_rest(story: Story, left: Left, prompt: Json, socket: Socket) -> None:
    """The prompt is open as it was; the person goes on where the crash had interrupted."""
    batch = story.batch
    assert not left.started
    if story.prompted:
        assert prompt["hitl_session_id"] == story.question.id
        assert prompt["expires_at"] == story.question.prompt["expires_at"], "the deadline does not move"
    assert pending(prompt) == [made.id for made in batch.asked if made.id not in left.decided]
    question = Question(socket, story.sent, prompt)
    await decide(question, batch, pending(prompt))
    turn = await question.end()
    assert turn.outcome == "completed"


async def check_results(story: Story, left: Left, me: User) -> None:
    batch, project = story.batch, story.server.project
    found = await results(me, batch.mark)
    assert list(found) == [made.id for made in batch.calls], "one result per call, in the model's order"
    statuses = {call_id: message["metadata"]["status"] for call_id, message in found.items()}
    del statuses[batch.look.id]
    assert statuses == left.expected(batch)
    for call_id, ended in left.ended.items():
        assert found[call_id]["content"] == ended["result"], "the journalled result"
    for event in story.socket.of("tool_end"):
        assert found[event["tool_call_id"]]["content"] == event["tool_output"], "a result that was told stays"
    sent = [
        mark for device in ("R1", "R2") for mark in marks_sent(project, device) if mark.startswith(f"{batch.mark}-")
    ]
    assert len(sent) == len(set(sent)), "no line goes to a device twice"
    for made in (batch.slow, batch.changed, batch.late):
        marks = batch.marks_of(made)
        if statuses[made.id] == "success":
            assert set(marks) <= set(sent)
        elif statuses[made.id] == "stopped":
            assert not set(marks) & set(sent)
        else:
            assert "check the device" in found[made.id]["content"]
    assert not {f"{batch.mark}-refused", f"{batch.mark}-changed"} & set(sent), "what nobody approved is not sent"
    if statuses[batch.changed.id] != "stopped":
        assert "executed_args" in found[batch.changed.id]["metadata"]


# running it


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def found(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[dict[Point, BaseException | None]]:
    """What came of each point that was selected; all are tried here, side by side in a few servers.

    The suite is shared out by file (`--dist loadfile`): else each of its processes would try them all.

    The server that is started after a crash is the one that the next point kills.
    """
    wanted = [item.callspec.params["point"] for item in request.session.items if "found" in item.fixturenames]
    outcome: dict[Point, BaseException | None] = {}

    async def lane(points: list[Point]) -> None:
        while points:
            async with (
                ScriptedLlm().listening() as llm,
                KillableServer.running(tmp_path_factory.mktemp("data"), llm) as server,
            ):
                while points:
                    point = points.pop(0)
                    try:
                        await soon(crash_and_check(point, POINTS.index(point), server, llm), str(point), 90)
                    except Exception as fault:
                        outcome[point] = fault
                        break  # the next point gets a server that nothing happened to
                    outcome[point] = None

    await gather_all(*(lane(wanted[n::LANES]) for n in range(LANES)))
    yield outcome


@pytest.mark.parametrize("point", POINTS, ids=str)
def test_a_crash_leaves_what_can_be_gone_on_with(point: Point, found: dict[Point, BaseException | None]) -> None:
    if (fault := found[point]) is not None:
        raise fault
