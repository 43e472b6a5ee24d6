"""Fixtures of the whole suite: a scripted model, the server under test, its user, and a guard of the loop."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from blockbuster import blockbuster_ctx
from kit.gns3 import PASSWORD, ScriptedGns3
from kit.golden import Golden, folding
from kit.process import KillableServer
from kit.scripted_llm import ScriptedLlm
from kit.server import API_KEY, JWT_SECRET, Server, Start, User
from kit.socket import Socket

from copilot_ws.settings import PREFIX, Settings

TALLY = "golden"
"""The property of a test's report that counts the conversations of its clients."""

# How long an example takes says how busy the machine is.
hypothesis.settings.register_profile("suite", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("suite")


@pytest.fixture(scope="session", autouse=True)
def page_agrees() -> Iterator[Golden | None]:
    """Each conversation that a test's client got is folded by the page's reducer and compared with REST."""
    with folding() as golden:
        User.golden = golden
        yield golden
        User.golden = None


@pytest.fixture(autouse=True)
def tally(page_agrees: Golden | None, request: pytest.FixtureRequest) -> Iterator[None]:
    """Says with the test how many conversations were compared, and why others were not."""
    yield
    if page_agrees is not None:
        request.node.user_properties.append((TALLY, dict(page_agrees.tallied())))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = itertools.chain.from_iterable(terminalreporter.stats.values())
    ended = [report for report in reports if getattr(report, "when", None) == "teardown"]
    tally = sum((Counter(dict(report.user_properties).get(TALLY, {})) for report in ended), Counter[str]())
    terminalreporter.write_sep("-", "conversations as the page shows them and as REST tells them")
    for what, number in tally.most_common():
        terminalreporter.write_line(f"{number:6} {what}")


@pytest.fixture(autouse=True)
def nothing_blocks_the_loop() -> Iterator[None]:
    """A call of the product that blocks the event loop raises. What tests themselves do is not looked at."""
    with blockbuster_ctx("copilot_ws"):
        yield


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    providers = ("OPENAI_", "ANTHROPIC_", "GOOGLE_", "GEMINI_", "OLLAMA_", "LANGSMITH_", "LANGCHAIN_")
    for name in [name for name in os.environ if name.startswith((PREFIX, *providers))]:
        monkeypatch.delenv(name)


@pytest.fixture
async def llm() -> AsyncIterator[ScriptedLlm]:
    """The model: `llm.answer(...)` scripts it."""
    async with ScriptedLlm().listening() as llm:
        yield llm


@pytest.fixture
async def start(llm: ScriptedLlm, tmp_path: Path) -> AsyncIterator[Start]:
    """Starts a server with these settings; again after `stop`, it finds what it left."""
    started: list[Server] = []

    async def start(**settings: Any) -> Server:
        given: dict[str, Any] = {
            "data_dir": tmp_path / "data",
            "llm_provider": "openai",
            "llm_base_url": llm.base_url,
            "llm_model": "scripted",
            "llm_api_key": API_KEY,
            "jwt_secret": JWT_SECRET,
            "title": "off",
            "shutdown_grace": 0.2,
        }
        server = await Server.start(Settings(**{**given, **settings}), port=settings.get("port"))
        started.append(server)
        return server

    yield start
    for server in started:
        await server.stop()


@pytest.fixture
async def process(llm: ScriptedLlm, tmp_path: Path) -> AsyncIterator[KillableServer]:
    """A server in a process of its own, which can be killed."""
    async with KillableServer.running(tmp_path / "data", llm) as process:
        yield process


@pytest.fixture
async def gns3() -> AsyncIterator[ScriptedGns3]:
    """A scripted GNS3 server with a project `demo`."""
    async with ScriptedGns3().running() as gns3:
        yield gns3


@pytest.fixture
async def start_on_gns3(start: Start, gns3: ScriptedGns3) -> Start:
    """Starts a server with `--lab gns3` and an account there."""

    async def start_on_gns3(**settings: Any) -> Server:
        account = {"gns3_user": "server", "gns3_password": PASSWORD}
        return await start(**{"lab": "gns3", "gns3_url": gns3.url, **account, **settings})

    return start_on_gns3


@pytest.fixture
async def server(start: Start) -> Server:
    """One user, no titles."""
    return await start()


@pytest.fixture
def me(server: Server) -> User:
    return server.user()


@pytest.fixture
async def socket(me: User) -> AsyncIterator[Socket]:
    async with me.socket() as socket:
        yield socket
