"""Many answers at the same moment: one winner, one execution, and everybody hears the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable
from contextlib import AsyncExitStack
from typing import Any

from kit.hitl import Question, arguments, ask, describe, marks_sent, told
from kit.scripted_llm import Call, ScriptedLlm
from kit.server import Server, User, gather_all
from kit.socket import JSON, MSGPACK, Refused, Socket

Json = dict[str, Any]
ROUNDS, TABS = 50, 3


async def by_socket(work: Awaitable[Json]) -> tuple[str, Any]:
    """("won", the answer) or (a code, the details)."""
    try:
        return "won", await work
    except Refused as refusal:
        return refusal.code, refusal.error["details"]


async def by_rest(me: User, question: Question, action: str, body: Json) -> tuple[str, Any]:
    answer = await me.chat("POST", f"/sessions/{question.session_id}/hitl/{action}", body)
    if answer.status == 200:
        return "won", answer.json
    assert answer.status == 409
    return answer.code, answer.json["details"]


def eight_answers(me: User, tabs: list[Socket], question: Question, made: Call, new: Call) -> list[Awaitable[Any]]:
    one, two, three = tabs
    body = {"tool_call_ids": [made.id]}
    return [
        by_socket(question.confirm(made, tab=one)),
        by_socket(question.reject(tab=two, reason="no")),
        by_socket(question.modify(made, new, tab=three, apply="direct")),
        by_rest(me, question, "reject", body),
        by_rest(me, question, "confirm", {"confirm_all": True, "hitl_session_id": question.id}),
        by_socket(question.confirm(tab=two, hitl_session_id=question.id)),
        by_rest(me, question, "modify", {"tool_call_id": made.id, "modified_args": arguments(new), "apply": "direct"}),
        by_socket(question.reject(made, tab=one)),
    ]


async def test_one_of_eight_simultaneous_answers_wins(llm: ScriptedLlm, server: Server, me: User) -> None:
    winners: Counter[str] = Counter()
    async with AsyncExitStack() as stack:
        offers = [JSON, MSGPACK, JSON]
        tabs = [await stack.enter_async_context(me.socket(offers=(offer,))) for offer in offers]
        for number in range(ROUNDS):
            made, new = describe("R1", f"old{number}"), describe("R1", f"new{number}")
            question = await ask(llm, tabs[0], made, session_id=f"round-{number}")
            racing = eight_answers(me, tabs, question, made, new)
            start = number % len(racing)
            answers = await gather_all(*racing[start:], *racing[:start])
            turn = await question.end()

            (won,) = [answer for outcome, answer in answers if outcome == "won"]
            lost = [details for outcome, details in answers if outcome == "already_resolved"]
            assert len(lost) == 7
            assert {details["decision"] for details in lost} == {won["status"]}
            winners[won["status"]] += 1

            sent = [mark for mark in marks_sent(server.project, "R1") if mark in (f"old{number}", f"new{number}")]
            runs = {"confirmed": [f"old{number}"], "modified": [f"new{number}"], "rejected": []}
            assert sent == runs[won["status"]]
            assert turn.results[made.id]["status"] == ("rejected" if won["status"] == "rejected" else "success")
            for tab in tabs:
                await tab.frame("done", run_id=turn.run_id)
                (resolved,) = tab.of("hitl_resolved", session_id=question.session_id)
                (decision,) = resolved["decisions"]
                assert (decision["tool_call_id"], decision["decision"]) == (made.id, won["status"])
            ((entry,),) = [story["calls"] for story in await told(me, question.session_id)]
            assert entry["decision"] == won["status"]
    assert winners.keys() == {"confirmed", "rejected", "modified"}, "each kind has won some round"
