"""A user's model configurations, as a client sees them."""

from __future__ import annotations

from typing import Any

from kit.server import Reply, User

Json = dict[str, Any]
KEY = "sk-person-9f3b77aa21"


class Configs:
    """The routes of one user; `of` names another one's."""

    def __init__(self, user: User, user_id: str = "local", of: str | None = None) -> None:
        self._user, self._path = user, f"/v3/access/users/{of or user_id}/llm-model-configs"

    async def call(self, method: str, path: str = "", body: Json | None = None) -> Reply:
        return await self._user.rest(method, self._path + path, body)

    async def post(self, name: str = "mine", **fields: Any) -> Json:
        """A configuration that has to be accepted."""
        answer = await self.call("POST", "", new(name, **fields))
        assert answer.status == 201, answer.text
        return dict(answer.json)

    async def put(self, config_id: str, **changes: Any) -> Json:
        answer = await self.call("PUT", f"/{config_id}", changes)
        assert answer.status == 200, answer.text
        return dict(answer.json)

    async def all(self) -> list[Json]:
        answer = await self.call("GET")
        assert answer.status == 200, answer.text
        return list(answer.json["configs"])

    async def tried(self, config_id: str) -> Json:
        answer = await self.call("POST", f"/{config_id}/test")
        assert answer.status == 200, answer.text
        assert KEY not in answer.text
        return dict(answer.json)


def new(name: str = "mine", **fields: Any) -> Json:
    given = {"name": name, "model_type": "text", "provider": "openai", "model": "gpt-test", "api_key": KEY}
    return {**given, "base_url": "https://llm.example.org/v1", "context_limit": 128, **fields}
