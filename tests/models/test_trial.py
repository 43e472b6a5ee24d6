"""`POST .../test`: one short call, and in a person's words what is wrong."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from kit.model_configs import KEY, Configs
from kit.scripted_llm import Failure, Gate, ScriptedLlm, call, fail, say
from kit.server import Start
from kit.serving import serving

from copilot_ws.agent import trial

Json = dict[str, Any]


@pytest.fixture
async def mine(start: Start) -> Configs:
    return Configs((await start(llm_allowed_hosts=("127.0.0.0/8", "localhost"))).user())


async def tried(mine: Configs, base_url: str, **fields: Any) -> Json:
    return await mine.tried((await mine.post(base_url=base_url, **fields))["config_id"])


@asynccontextmanager
async def answering(handle: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    async with serving(app) as port:
        yield f"http://127.0.0.1:{port}"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def test_a_model_that_calls_tools(llm: ScriptedLlm, mine: Configs) -> None:
    llm.answer(say(call("ready", {})))
    found = await tried(mine, llm.base_url, temperature=0.4)
    latency = found.pop("latency_ms")
    assert found == {"ok": True, "message": "The model answers and calls tools.", "model": "gpt-test", "tools": True}
    assert 0 <= latency < 15_000
    (asked,) = llm.asked
    assert asked.tools == ["ready"]
    assert asked.authorization == f"Bearer {KEY}"
    assert asked.body["temperature"] == 0.4
    assert asked.body["max_tokens"] == trial.TOKENS


async def test_a_model_that_answers_without_a_tool(llm: ScriptedLlm, mine: Configs) -> None:
    llm.answer(say("Ready!"))
    found = await tried(mine, llm.base_url)
    assert (found["ok"], found["tools"]) == (True, None)


@pytest.mark.parametrize(
    ("failure", "code", "words"),
    [
        (fail(401, f"Incorrect API key provided: {KEY}"), "llm_auth", "key was not accepted"),
        (fail(403, "no access"), "llm_auth", "key was not accepted"),
        (
            fail(404, "The model `gpt-test` does not exist", "model_not_found"),
            "llm_unknown_model",
            "no model 'gpt-test'",
        ),
        (fail(404, 'model "gpt-test" not found, try pulling it first'), "llm_unknown_model", "no model 'gpt-test'"),
        (fail(400, "gpt-test does not support tools"), "llm_no_tools", "does not take tools"),
        (fail(404, "No endpoints found that support tool use"), "llm_no_tools", "does not take tools"),
        (fail(400, f"bad request of {KEY}"), "llm_bad_response", "It said: bad request of [hidden]"),
    ],
)
async def test_what_a_provider_refuses(
    llm: ScriptedLlm, mine: Configs, failure: Failure, code: str, words: str
) -> None:
    llm.answer(failure)
    found = await tried(mine, llm.base_url)
    assert (found["ok"], found["code"]) == (False, code)
    assert words in found["message"]
    assert found["tools"] is (False if code == "llm_no_tools" else None)


async def test_a_path_without_its_version(llm: ScriptedLlm, mine: Configs) -> None:
    found = await tried(mine, llm.base_url.removesuffix("/v1"))
    assert found["code"] == "llm_wrong_path"
    assert "Should it end with /v1?" in found["message"]


async def test_a_host_that_there_is_not(mine: Configs) -> None:
    found = await tried(mine, "https://llm.invalid/v1")
    assert found["code"] == "llm_unknown_host"
    assert "cannot be found" in found["message"]


async def test_a_port_where_nothing_listens(mine: Configs) -> None:
    found = await tried(mine, f"http://127.0.0.1:{free_port()}/v1")
    assert found["code"] == "llm_unavailable"
    assert "refuses connections" in found["message"]


async def test_tls_to_a_server_that_has_none(llm: ScriptedLlm, mine: Configs) -> None:
    found = await tried(mine, llm.base_url.replace("http:", "https:"))
    assert found["code"] == "llm_tls"
    assert "Is its address http://" in found["message"]


async def test_a_page_instead_of_an_api(mine: Configs) -> None:
    async def page(_: web.Request) -> web.Response:
        return web.Response(text="<h1>Welcome</h1>", content_type="text/html")

    async with answering(page) as url:
        found = await tried(mine, url)
    assert (found["ok"], found["code"]) == (False, "llm_bad_response")
    assert "base_url" in found["message"]


async def test_a_server_that_does_not_answer(llm: ScriptedLlm, mine: Configs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "SECONDS", 0.3)
    llm.answer(say(Gate(), "too late"))
    found = await tried(mine, llm.base_url)
    assert found["code"] == "llm_timeout"
    assert "within 0.3 seconds" in found["message"]
    await llm.disconnected()


async def test_a_connection_that_breaks(mine: Configs) -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    async with server:
        found = await tried(mine, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
    assert found["code"] == "llm_unavailable"


async def test_what_lacks(mine: Configs) -> None:
    found = await tried(mine, "", api_key="")
    assert found["code"] == "llm_not_configured"
    assert "`api_key`" in found["message"]


async def test_the_demo_needs_nothing(mine: Configs) -> None:
    assert (await tried(mine, "", provider="demo", model="demo"))["ok"] is True
