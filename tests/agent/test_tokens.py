"""How long a conversation is: an estimate on the safe side, and the provider's own counts wherever there are any."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.conversation import Turn
from kit.scripted_llm import Asked, ScriptedLlm, say
from kit.server import Server, Start, User
from kit.socket import Socket

from copilot_ws.agent.tokens import estimate

CONTEXT = 16_000
ROOM = 12_000
"""What is left of it for a request: a quarter is for the answer."""
ANSWER = "The interface is up and has an address. " * 150
NEWS = "The interface is up and has an address. " * 700

Count = Callable[[Asked], tuple[int, int]]
Usage = Count | tuple[int, int] | None


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The quick brown fox jumps over the lazy dog.", 10),
        ("ip address 10.0.12.1 255.255.255.252", 17),
        ("interface GigabitEthernet0/0\n no shutdown\n", 12),
        ('{"device_configs": [{"device_name": "R1", "commands": ["show version"]}]}', 20),
        ("路由器的接口已经启用，请检查配置。", 16),
        ("ルーターのインターフェースを確認してください。", 16),
        ("Маршрутизатор работает, проверьте конфигурацию.", 16),
        ("🙂🙂🙂", 6),
    ],
)
def test_an_estimate_is_rather_too_high(text: str, tokens: int) -> None:
    """`tokens` are what tokenizers of the large models make of it."""
    assert tokens <= estimate(text) <= 3 * tokens


@given(st.text(), st.text())
def test_an_estimate_grows_with_the_text(one: str, other: str) -> None:
    assert estimate(one) <= estimate(one + other) <= estimate(one) + estimate(other)


def counting(characters: float) -> Count:
    """A provider whose tokens have so many characters on average. Our estimate is about 2.6 for such requests."""
    return lambda asked: (int(len(json.dumps([asked.messages, asked.body.get("tools")])) / characters), 500)


FEW_CHARACTERS, USUAL, MANY_CHARACTERS = counting(1.3), counting(3.5), counting(5.0)


async def talk(llm: ScriptedLlm, socket: Socket, session_id: str, *usage: Usage) -> list[Turn]:
    """A conversation of answers that are of one length each, and counted like this."""
    turns = []
    for count in usage:
        llm.answer(say(ANSWER, chunk=len(ANSWER), usage=count))
        turns.append(await socket.turn("And the next one?", session_id=session_id))
    assert {turn.outcome for turn in turns} == {"completed"}
    return turns


def untrimmed(turns: list[Turn]) -> int:
    """How many turns were answered before something had to be left out."""
    return next((number for number, turn in enumerate(turns) if turn.of("limit_reached")), len(turns))


@pytest.fixture
async def server(start: Start) -> Server:
    return await start(llm_context_tokens=CONTEXT)


async def test_what_the_provider_counts_decides_how_much_is_kept(llm: ScriptedLlm, socket: Socket) -> None:
    uncounted = untrimmed(await talk(llm, socket, "uncounted", *[None] * 9))
    few = untrimmed(await talk(llm, socket, "few", *[FEW_CHARACTERS] * 9))
    many = untrimmed(await talk(llm, socket, "many", *[MANY_CHARACTERS] * 9))
    assert few < uncounted < many < 9


@pytest.mark.parametrize("count", [FEW_CHARACTERS, USUAL, MANY_CHARACTERS], ids=["few", "usual", "many"])
async def test_by_that_count_no_call_is_too_long(llm: ScriptedLlm, socket: Socket, count: Count) -> None:
    await talk(llm, socket, "s", *[count] * 12)
    assert max(count(asked)[0] for asked in llm.turns[1:]) <= ROOM


@pytest.mark.parametrize(
    "odd",
    [None, (0, 0), (-7, -7), (1, 1), (10**7, 5), (10**30, 10**30), counting(7.0), counting(0.95)],
    ids=["none", "nothing", "negative", "one", "too many", "no integer of SQL", "few", "many"],
)
async def test_one_odd_report_is_got_over(llm: ScriptedLlm, me: User, socket: Socket, odd: Usage) -> None:
    await talk(llm, socket, "usual", *[USUAL] * 12)
    usual = len(llm.turns[-1].messages)
    await talk(llm, socket, "odd", *[USUAL] * 7, odd, *[USUAL] * 9)
    assert len(llm.turns[-1].messages) == usual
    assert max(USUAL(asked)[0] for asked in llm.turns) <= ROOM
    assert (await me.session("odd"))["input_tokens"] < 20 * CONTEXT + 10**7


async def test_what_no_report_covers_yet_is_estimated_on_the_safe_side(llm: ScriptedLlm, socket: Socket) -> None:
    await talk(llm, socket, "s", MANY_CHARACTERS, MANY_CHARACTERS)
    llm.answer(say("I see."))
    (told,) = (await socket.turn(NEWS, session_id="s")).of("limit_reached")
    assert told["limit"] == "context_tokens"


async def test_counts_outlast_a_restart_and_belong_to_their_model(llm: ScriptedLlm, start: Start) -> None:
    server = await start(llm_context_tokens=CONTEXT)
    async with server.user().socket() as socket:
        before = await talk(llm, socket, "s", FEW_CHARACTERS, FEW_CHARACTERS)
    await server.stop()
    left_out = []
    for model in ("scripted", "another"):
        server = await start(llm_context_tokens=CONTEXT, llm_model=model)
        async with server.user().socket() as socket:
            left_out.append(len((await talk(llm, socket, "s", None))[0].of("limit_reached")))
        await server.stop()
    assert (untrimmed(before), left_out) == (2, [1, 0])
