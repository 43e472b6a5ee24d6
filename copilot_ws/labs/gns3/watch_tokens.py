"""Whose token GNS3's notifications are followed with."""

from __future__ import annotations

import asyncio
from typing import Protocol

from copilot_ws.labs.base import Caller
from copilot_ws.labs.gns3.credentials import Account


class WatchTokens(Protocol):
    """Whose token notifications are followed with; `project_id` None: those of all projects."""

    def offer(self, caller: Caller, project_id: str) -> None: ...

    async def take(self, project_id: str | None) -> str:
        """Returns when there is one. Raises `LabError`."""

    async def refuse(self, token: str) -> None:
        """GNS3 does not take this one."""

    def drop(self, project_id: str) -> None:
        """The project is not followed any more."""


class OfAccount:
    """The server's own account follows everything."""

    def __init__(self, account: Account) -> None:
        self._account = account

    def offer(self, caller: Caller, project_id: str) -> None:
        return None

    async def take(self, project_id: str | None) -> str:
        return await self._account.token()

    async def refuse(self, token: str) -> None:
        await self._account.instead(token)

    def drop(self, project_id: str) -> None:
        return None


class OfUsers:
    """Each project is followed with the token of whoever used it last; in memory only."""

    def __init__(self) -> None:
        self._offered: dict[tuple[str, str], str] = {}
        self._news = asyncio.Event()

    def offer(self, caller: Caller, project_id: str) -> None:
        self._offered.pop((project_id, caller.user_id), None)
        self._offered[project_id, caller.user_id] = caller.token
        self._news.set()

    async def take(self, project_id: str | None) -> str:
        while not (found := [t for (of, _), t in self._offered.items() if project_id in (None, of)]):
            self._news.clear()
            await self._news.wait()
        return found[-1]

    async def refuse(self, token: str) -> None:
        self._offered = {key: offered for key, offered in self._offered.items() if offered != token}

    def drop(self, project_id: str) -> None:
        self._offered = {key: offered for key, offered in self._offered.items() if key[0] != project_id}
