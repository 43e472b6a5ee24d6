"""The real GNS3 lab that start-lab.sh started: what is there, and a server of ours on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import aiohttp

from copilot_ws.settings import Settings
from kit.scripted_llm import ScriptedLlm
from kit.server import API_KEY
from kit.socket import Socket
from kit.waiting import eventually

Json = dict[str, Any]


class RealLab:
    """What start-lab.sh told, and GNS3's API as its admin."""

    def __init__(self, told: Json, http: aiohttp.ClientSession) -> None:
        self.url: str = told["url"]
        self.username: str = told["username"]
        self.password: str = told["password"]
        self.token: str = told["token"]
        self.project_id: str = told["project_id"]
        self._http = http

    async def api(self, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        """`path` begins behind /v3."""
        headers = {"Authorization": f"Bearer {token or self.token}"}
        async with self._http.request(method, f"{self.url}/v3{path}", json=body, headers=headers) as answer:
            text = await answer.text()
            assert answer.status < 400, f"{method} {path}: {answer.status} {text}"
            return json.loads(text) if text else None

    async def nodes(self, project_id: str | None = None) -> dict[str, Json]:
        found = await self.api("GET", f"/projects/{project_id or self.project_id}/nodes")
        return {node["name"]: node for node in found}

    async def node(self, name: str) -> Json:
        return (await self.nodes())[name]


def settings(lab: RealLab, llm: ScriptedLlm, tmp_path: Path, **more: Any) -> Settings:
    given: dict[str, Any] = {
        "data_dir": tmp_path / "data",
        "lab": "gns3",
        "gns3_url": lab.url,
        "gns3_user": lab.username,
        "gns3_password": lab.password,
        "llm_provider": "openai",
        "llm_base_url": llm.base_url,
        "llm_model": "scripted",
        "llm_api_key": API_KEY,
        "title": "off",
        "shutdown_grace": 0.5,
    }
    return Settings(**{**given, **more})


async def told_of(socket: Socket, name: str, **fields: Any) -> Json:
    """The node as a `topology_updated` shows it, once one shows it like this."""

    def found() -> Json | None:
        for event in reversed(socket.of("topology_updated")):
            for node in event["nodes"]:
                if node["name"] == name and fields.items() <= node.items():
                    return node
        return None

    return await eventually(found, f"{name} is told of with {fields}", 30)
