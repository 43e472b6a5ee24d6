"""Server-sent events: the same events as on the socket, for one session."""

from __future__ import annotations

import asyncio

import pytest
from kit.conversation import told
from kit.hitl import describe
from kit.scripted_llm import TOPOLOGY, Gate, ScriptedLlm, Think, call, fail, say
from kit.server import Start, User
from kit.socket import Socket

ASK = {"message": "Go", "session_id": "s"}


async def test_gives_the_events_of_the_socket(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say(Think("Hm."), "Look: ", call(TOPOLOGY, {})), say("Done."))
    async with me.sse("POST", "/stream", ASK) as stream:
        assert stream.status == 200
        await stream.rest()
    await socket.frame("done")
    assert stream.events == socket.events
    assert stream.events[-1]["type"] == "done"
    assert stream.ids == [f"{socket.hello['epoch']}:{event['seq']}" for event in socket.events]


async def test_headers_keep_proxies_from_holding_it_back(me: User) -> None:
    async with me.sse("POST", "/stream", ASK, headers={"Accept-Encoding": "gzip, deflate"}) as stream:
        assert stream.headers["Content-Type"] == "text/event-stream"
        assert stream.headers["Cache-Control"] == "no-cache, no-transform"
        assert stream.headers["X-Accel-Buffering"] == "no"
        assert "Content-Encoding" not in stream.headers
        await stream.rest()


async def test_other_sessions_are_not_in_it(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say("One", gate := Gate(), "."))
    async with me.sse("POST", "/stream", ASK) as stream:
        await gate.reached()
        await socket.turn("Two", session_id="other")
        gate.open()
        events = await stream.rest()
    assert {event["session_id"] for event in events} == {"s"}


async def test_heartbeats_name_the_session(llm: ScriptedLlm, start: Start) -> None:
    me = (await start(heartbeat=0.05)).user()
    llm.answer(say(gate := Gate(), "Done."))
    async with me.sse("POST", "/stream", ASK) as stream:
        beat = await stream.until("heartbeat")
        assert beat["session_id"] == "s"
        assert "seq" not in beat
        gate.open()
        await stream.rest()


async def test_the_run_goes_on_when_its_client_has_gone(llm: ScriptedLlm, me: User) -> None:
    llm.answer(say("First. ", gate := Gate(), "Last."))
    async with me.sse("POST", "/stream", ASK) as stream:
        await stream.until("content")
        stream.leave()
    gate.open()
    await me.idle("s")
    assert (await me.messages("s"))[-1]["content"] == "First. Last."


class TestAttaching:
    async def test_gives_the_run_from_its_start(self, llm: ScriptedLlm, me: User, socket: Socket) -> None:
        llm.answer(say("First. ", gate := Gate(), "Last."))
        sent = await socket.chat(**ASK)
        await gate.reached()
        async with me.sse("GET", "/sessions/s/stream") as stream:
            await stream.until("content")
            gate.open()
            await stream.rest()
        turn = await socket.end_of(sent)
        assert [event for event in stream.events if event.get("run_id")] == turn.events

    async def test_goes_on_after_the_last_id(self, llm: ScriptedLlm, me: User, socket: Socket) -> None:
        llm.answer(say("First. ", gate := Gate(), "Last."))
        async with me.sse("POST", "/stream", ASK) as begun:
            await begun.until("content")
            begun.leave()
        async with me.sse("GET", "/sessions/s/stream", headers={"Last-Event-ID": begun.ids[-1]}) as stream:
            gate.open()
            await stream.rest()
        said = "".join(e["content"] for e in (*begun.events, *stream.events) if e["type"] == "content")
        assert said == "First. Last."
        assert stream.events[0]["seq"] > begun.events[-1]["seq"]
        assert stream.events[-1]["type"] == "done"

    async def test_also_when_the_run_has_ended_meanwhile(self, llm: ScriptedLlm, me: User) -> None:
        llm.answer(say("First. ", gate := Gate(), "Last."))
        async with me.sse("POST", "/stream", ASK) as begun:
            await begun.until("content")
            begun.leave()
        gate.open()
        await me.idle("s")
        async with me.sse("GET", "/sessions/s/stream", headers={"Last-Event-ID": begun.ids[-1]}) as stream:
            assert (await stream.rest())[-1]["type"] == "done"

    async def test_to_nothing_is_204(self, me: User, socket: Socket) -> None:
        await socket.turn(**ASK)
        assert (await me.chat("GET", "/sessions/s/stream")).status == 204
        headers = {"Last-Event-ID": socket.place}
        assert (await me.chat("GET", "/sessions/s/stream", headers=headers)).status == 204

    @pytest.mark.parametrize("last", ["another:1", "rubbish", "", "{epoch}:999", "{epoch}:-1"])
    async def test_at_a_lost_place_says_so_and_ends(self, me: User, socket: Socket, last: str) -> None:
        await socket.turn(**ASK)
        headers = {"Last-Event-ID": last.format(epoch=socket.hello["epoch"])}
        async with me.sse("GET", "/sessions/s/stream", headers=headers) as stream:
            assert await stream.rest() == []
            assert [event["type"] for event in stream.unnumbered] == ["replay_lost"]

    async def test_to_events_that_are_no_longer_kept_says_so(self, start: Start) -> None:
        me = (await start(feed_events=4)).user()
        async with me.socket() as socket:
            await socket.turn(**ASK)
            await socket.turn(**ASK)
            headers = {"Last-Event-ID": f"{socket.hello['epoch']}:1"}
        async with me.sse("GET", "/sessions/s/stream", headers=headers) as stream:
            await stream.rest()
            assert [event["type"] for event in stream.unnumbered] == ["replay_lost"]

    async def test_to_an_unknown_session_is_404(self, me: User) -> None:
        assert (await me.chat("GET", "/sessions/nobody/stream")).status == 404


class TestWithoutStream:
    async def test_is_one_result_at_the_end(self, llm: ScriptedLlm, me: User) -> None:
        llm.answer(say("Look. ", asked := call(TOPOLOGY, {})), say("Done.", usage=(30, 3)))
        answer = await me.chat("POST", "/stream", {**ASK, "stream": False})
        result = answer.json
        assert (answer.status, result["outcome"], result["session_id"]) == (200, "completed", "s")
        assert result["message"]["content"] == "Done."
        assert told(result["messages"]) == told(await me.messages("s"))
        assert result["messages"][2]["tool_call_id"] == asked.id
        assert result["usage"]["llm_calls"] == 2
        assert result["run_id"]

    async def test_of_a_failed_run_says_why(self, llm: ScriptedLlm, me: User) -> None:
        llm.answer(fail(400, "no such thing"))
        result = (await me.chat("POST", "/stream", {**ASK, "stream": False})).json
        assert (result["outcome"], result["message"]) == ("failed", None)

    async def test_that_asks_a_person_returns_twice(self, llm: ScriptedLlm, me: User, socket: Socket) -> None:
        """Sent again after the decision it waits for what comes of it."""
        llm.answer(say(describe("R1", "wanted")), say(gate := Gate(), "Done."))
        sent = {**ASK, "stream": False, "client_message_id": "c-1"}
        result = (await me.chat("POST", "/stream", sent)).json
        assert (result["outcome"], result["hitl"]["status"]) == ("waiting", "waiting")
        await socket.command("hitl.confirm", session_id="s", confirm_all=True)
        await gate.reached()
        again = asyncio.create_task(me.chat("POST", "/stream", sent))
        await socket.command("ping")
        gate.open()
        result = (await again).json
        assert (result["outcome"], result["message"]["content"]) == ("completed", "Done.")

    async def test_the_run_goes_on_when_its_client_has_gone(self, llm: ScriptedLlm, me: User) -> None:
        llm.answer(say("First. ", gate := Gate(), "Last."))
        asking = asyncio.create_task(me.chat("POST", "/stream", {**ASK, "stream": False}))
        await gate.reached()
        asking.cancel()
        await asyncio.wait([asking])
        gate.open()
        await me.idle("s")
        assert (await me.messages("s"))[-1]["content"] == "First. Last."


@pytest.mark.parametrize(
    "body", [{}, {"message": ""}, {"message": "x", "more": 1}, {"message": "x", "max_iterations": 0}]
)
async def test_a_wrong_request_is_422(me: User, body: dict[str, object]) -> None:
    answer = await me.chat("POST", "/stream", body)
    assert (answer.status, answer.code) == (422, "invalid_argument")


async def test_the_other_prefix_is_the_same(me: User) -> None:
    path = f"/v3/copilot/projects/{me.project_id}/chat/stream"
    answer = await me.rest("POST", path, {"message": "Go", "stream": False})
    assert answer.json["message"]["content"] == "You said: Go"
