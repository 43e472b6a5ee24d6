"""An OpenAI-compatible server that answers what a test tells it to, part by part.

    llm.answer(say("Let me look.", show("R1", "show version")), say("It is up."))

An answer is a row of parts: text, `Think`, `Call`, a `Gate` where the model waits for the test, `DROP` where
its connection breaks. Answers are used in order; without one the model says "You said: ..." and the message.
Like the real API, and like the stricter ones of its kind, it refuses histories that are not well formed.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from aiohttp import web

from kit.serving import serving
from kit.waiting import soon

Json = dict[str, Any]
READ, VPCS, TOPOLOGY = "execute_multiple_device_commands", "execute_vpcs_commands", "gns3_topology_reader"
_numbers = itertools.count(1)


class Gate:
    """A place in an answer where the model waits until the test opens it; one never opened is a model that hangs."""

    def __init__(self) -> None:
        self._reached, self._opened = asyncio.Event(), asyncio.Event()

    async def reached(self) -> None:
        await soon(self._reached.wait(), "the model has come to the gate")

    def open(self) -> None:
        self._opened.set()

    async def pass_through(self) -> None:
        self._reached.set()
        await self._opened.wait()


class _Drop:
    pass


DROP = _Drop()


@dataclass(frozen=True)
class Think:
    """Thoughts, sent as `reasoning_content`."""

    text: str


@dataclass(frozen=True)
class Call:
    """A tool call. `pieces` are its arguments as they are streamed; a Gate or DROP may stand among them."""

    name: str
    pieces: tuple[str | Gate | _Drop, ...]
    id: str

    @property
    def arguments(self) -> str:
        return "".join(piece for piece in self.pieces if isinstance(piece, str))


Part = str | Think | Call | Gate | _Drop


@dataclass(frozen=True)
class Failure:
    """The provider answers with an HTTP error."""

    status: int
    message: str
    code: str | None = None
    headers: tuple[tuple[str, str], ...] = (("retry-after-ms", "1"),)


@dataclass(frozen=True)
class Answer:
    """One answer of the model and the habits of the provider that sends it."""

    parts: tuple[Part, ...]
    chunk: int = 16
    delay: float = 0
    usage: tuple[int, int] | Callable[[Asked], tuple[int, int]] | None = (100, 10)
    finish: str | None = None
    parallel: Literal["in turn", "interleaved", "all index 0"] = "in turn"
    ids: bool = True
    mute: bool = False
    """Whether nothing at all is sent before its first part, a Gate, has been opened."""

    @property
    def calls(self) -> list[Call]:
        return [part for part in self.parts if isinstance(part, Call)]

    @property
    def text(self) -> str:
        return "".join(part for part in self.parts if isinstance(part, str))

    @property
    def finish_reason(self) -> str:
        return self.finish or ("tool_calls" if self.calls else "stop")

    def deltas(self) -> Iterator[Json | Gate | _Drop]:
        """The answer as OpenAI's `delta` objects, with what happens between them."""
        yield {"role": "assistant", "content": ""}
        for is_call, parts in itertools.groupby(self.parts, lambda part: isinstance(part, Call)):
            if is_call:
                yield from self._in_parallel([part for part in parts if isinstance(part, Call)])
                continue
            for part in parts:
                if isinstance(part, str):
                    yield from ({"content": piece} for piece in _cut(part, self.chunk))
                elif isinstance(part, Think):
                    yield from ({"reasoning_content": piece} for piece in _cut(part.text, self.chunk))
                elif isinstance(part, Gate | _Drop):
                    yield part

    def _in_parallel(self, calls: list[Call]) -> Iterator[Json | Gate | _Drop]:
        lanes = [list(self._fragments(call, number)) for number, call in enumerate(calls)]
        if self.parallel == "interleaved":
            rounds = itertools.zip_longest(*lanes)
            return (fragment for fragments in rounds for fragment in fragments if fragment is not None)
        return itertools.chain(*lanes)

    def _fragments(self, call: Call, number: int) -> Iterator[Json | Gate | _Drop]:
        place: Json = {"index": 0 if self.parallel == "all index 0" else number}
        identity = {"id": call.id, "type": "function"} if self.ids else {}
        yield {"tool_calls": [{**place, **identity, "function": {"name": call.name, "arguments": ""}}]}
        for piece in call.pieces:
            yield {"tool_calls": [{**place, "function": {"arguments": piece}}]} if isinstance(piece, str) else piece


def _cut(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def say(*parts: Part, **habits: Any) -> Answer:
    """An answer of these parts."""
    return Answer(parts, **habits)


def call(name: str, arguments: Json | str | Sequence[str | Gate | _Drop], call_id: str | None = None) -> Call:
    """Arguments may be an object, the text that the model writes, or that text in pieces."""
    if isinstance(arguments, dict):
        arguments = json.dumps(arguments)
    pieces = tuple(_cut(arguments, 12)) if isinstance(arguments, str) else tuple(arguments)
    return Call(name, pieces, call_id or f"call_{next(_numbers)}")


def on_device(tool: str, device: str, *commands: str) -> Call:
    return call(tool, {"device_configs": [{"device_name": device, "commands": list(commands)}]})


def show(device: str, *commands: str) -> Call:
    """Commands for a router."""
    return on_device(READ, device, *commands)


def host(device: str, *commands: str) -> Call:
    """Commands for a VPCS host."""
    return on_device(VPCS, device, *commands)


def sleep(seconds: int, device: str = "PC1") -> Call:
    """A tool that runs for so long, unless it is stopped."""
    return host(device, f"sleep {seconds}")


def fail(
    status: int, message: str = "scripted failure", code: str | None = None, headers: dict[str, str] | None = None
) -> Failure:
    """By default one that may be tried again at once, so that no test waits for it."""
    failure = Failure(status, message, code)
    return failure if headers is None else replace(failure, headers=tuple(headers.items()))


@dataclass(frozen=True)
class Asked:
    """One request that the model got."""

    body: Json
    authorization: str

    @property
    def messages(self) -> list[Json]:
        return list(self.body["messages"])

    @property
    def tools(self) -> list[str]:
        return [tool["function"]["name"] for tool in self.body.get("tools", [])]

    @property
    def last_user_text(self) -> str:
        return next(str(m["content"]) for m in reversed(self.messages) if m["role"] == "user")

    @property
    def is_title(self) -> bool:
        return not self.tools and "title" in self.last_user_text


def refusal(messages: Sequence[Json]) -> str | None:
    """Why a provider would answer this history with 400; None: it takes it."""
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                return f"tool_call_id {message['tool_call_id']} answers no call"
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            break
        for asked in message.get("tool_calls") or ():
            waiting.append(asked["id"])
            if not _is_object(asked["function"]["arguments"]):
                return f"arguments of {asked['id']} are not a JSON object"
    return f"tool_call_ids did not have response messages: {', '.join(waiting)}" if waiting else None


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


@dataclass
class ScriptedLlm:
    """`title` answers the calls that name a conversation; all others use up `answer`'s."""

    base_url: str = ""
    title: Answer | Failure = field(default_factory=lambda: say("A scripted title", usage=(50, 5)))
    asked: list[Asked] = field(default_factory=list)
    disconnects: int = 0
    _script: deque[Answer | Failure] = field(default_factory=deque)
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)

    def answer(self, *answers: Answer | Failure) -> None:
        self._script.extend(answers)

    @property
    def turns(self) -> list[Asked]:
        """The requests that were made to answer people, oldest first."""
        return [asked for asked in self.asked if not asked.is_title]

    async def disconnected(self, times: int = 1) -> None:
        """Returns when so many clients have left in the middle of an answer."""
        async with self._news:
            await soon(self._news.wait_for(lambda: self.disconnects >= times), "the provider sees the disconnect")

    async def complete(self, request: web.Request) -> web.StreamResponse:
        asked = Asked(await request.json(), request.headers.get("Authorization", ""))
        self.asked.append(asked)
        if (why := refusal(asked.messages)) is not None:
            return _error(Failure(400, why))
        answer = self._next(asked)
        if isinstance(answer, Failure):
            return _error(answer)
        try:
            return await (_stream(request, asked, answer) if asked.body.get("stream") else _whole(asked, answer))
        except (ConnectionError, asyncio.CancelledError):
            self.disconnects += 1
            async with self._news:
                self._news.notify_all()
            raise

    def _next(self, asked: Asked) -> Answer | Failure:
        if asked.is_title:
            return self.title
        return self._script.popleft() if self._script else say(f"You said: {asked.last_user_text}")

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[ScriptedLlm]:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", self.complete)
        async with serving(app) as port:
            self.base_url = f"http://127.0.0.1:{port}/v1"
            yield self


def _error(failure: Failure) -> web.Response:
    body = {"error": {"message": failure.message, "type": "scripted", "code": failure.code}}
    return web.json_response(body, status=failure.status, headers=dict(failure.headers))


def _frame(asked: Asked, kind: str, **more: Any) -> Json:
    return {"id": "chatcmpl-scripted", "created": 1, "model": asked.body["model"], "object": kind, **more}


def _usage(asked: Asked, answer: Answer) -> Json:
    given = answer.usage(asked) if callable(answer.usage) else answer.usage
    read, written = given or (0, 0)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


async def _whole(asked: Asked, answer: Answer) -> web.Response:
    for part in answer.parts:
        if isinstance(part, Gate):
            await part.pass_through()
    choice = {"index": 0, "message": {"role": "assistant", "content": answer.text}, "finish_reason": "stop"}
    return web.json_response(_frame(asked, "chat.completion", choices=[choice], usage=_usage(asked, answer)))


async def _stream(request: web.Request, asked: Asked, answer: Answer) -> web.StreamResponse:
    if answer.mute and isinstance(answer.parts[0], Gate):
        await answer.parts[0].pass_through()
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)

    async def send(choices: list[Json], **more: Any) -> None:
        frame = _frame(asked, "chat.completion.chunk", choices=choices, **more)
        await response.write(b"data: " + json.dumps(frame).encode() + b"\n\n")

    for delta in answer.deltas():
        if isinstance(delta, Gate):
            await delta.pass_through()
        elif isinstance(delta, _Drop):
            assert request.transport is not None
            request.transport.abort()
            return response
        else:
            await send([{"index": 0, "delta": delta, "finish_reason": None}])
            if answer.delay:
                await asyncio.sleep(answer.delay)
    await send([{"index": 0, "delta": {}, "finish_reason": answer.finish_reason}])
    if answer.usage is not None and asked.body.get("stream_options", {}).get("include_usage"):
        await send([], usage=_usage(asked, answer))
    await response.write(b"data: [DONE]\n\n")
    return response
