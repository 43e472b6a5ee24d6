"""The real GNS3 lab: its server, and its project with PC1 and PC2 on SW1, and the routers R1 and R2."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from kit.real_lab import RealLab, settings
from kit.scripted_llm import ScriptedLlm
from kit.server import Server, User, http_session

VARIABLE = "GNS3_LAB"
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.gns3)
            item.add_marker(pytest.mark.timeout(180))
            item.add_marker(pytest.mark.xdist_group("gns3"))  # there is one lab
            if VARIABLE not in os.environ:
                item.add_marker(pytest.mark.skip(reason=f"no real GNS3 lab: {VARIABLE} is not set"))


@pytest.fixture
async def lab() -> AsyncIterator[RealLab]:
    told = json.loads(await asyncio.to_thread(Path(os.environ[VARIABLE]).read_text))
    async with http_session() as http:
        lab = RealLab(told, http)
        await lab.api("POST", f"/projects/{lab.project_id}/open", {})
        await lab.api("POST", f"/projects/{lab.project_id}/nodes/start", {})
        yield lab


@pytest.fixture
async def server(lab: RealLab, llm: ScriptedLlm, tmp_path: Path) -> AsyncIterator[Server]:
    server = await Server.start(settings(lab, llm, tmp_path), "demo-lab")
    yield server
    await server.stop()


@pytest.fixture
async def project(lab: RealLab, me: User) -> AsyncIterator[User]:
    """The same user in an empty project of its own, which is deleted in the end."""
    made = (await me.rest("POST", "/v3/projects", {"name": f"made-{os.urandom(4).hex()}"})).json
    yield me.but(project_id=made["project_id"])
    async with http_session() as http:
        headers = {"Authorization": f"Bearer {lab.token}"}
        await (await http.delete(f"{lab.url}/v3/projects/{made['project_id']}", headers=headers)).release()
