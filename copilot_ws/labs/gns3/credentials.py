"""Whose token GNS3 is asked with: the caller's own, or that of the server's account there."""

from __future__ import annotations

import asyncio
from typing import Protocol

from copilot_ws.labs.base import Caller
from copilot_ws.labs.gns3.http import Gns3Http
from copilot_ws.wire.errors import LabError, TokenExpired, Unauthorized


class Credentials(Protocol):
    async def token(self, caller: Caller) -> str:
        """The token for what `caller` does. Raises `TokenExpired` if there is none, `LabError`."""

    async def instead(self, refused: str) -> str | None:
        """A token instead of one that GNS3 has refused; None: there is no other. Raises `LabError`."""


class CallersOwn:
    """`--auth gns3`: GNS3 decides what each user may do."""

    async def token(self, caller: Caller) -> str:
        if not caller.token:
            raise TokenExpired("Your token has expired: log in again.")
        return caller.token

    async def instead(self, refused: str) -> None:
        return None


class Account:
    """The server's own user on GNS3. Logs in when a token is needed first, and again when it has expired."""

    def __init__(self, http: Gns3Http, username: str, password: str) -> None:
        self._http = http
        self._login = {"username": username, "password": password}
        self._token = ""
        self._one = asyncio.Lock()

    async def token(self, caller: Caller | None = None) -> str:
        return self._token or await self.instead("")

    async def instead(self, refused: str) -> str:
        async with self._one:
            if self._token == refused:
                self._token = await self._new()
            return self._token

    async def _new(self) -> str:
        try:
            answer = await self._http.json("POST", "access/users/authenticate", None, self._login)
        except Unauthorized:
            raise LabError("GNS3 does not accept the server's own account: its GNS3_USER or GNS3_PASSWORD.") from None
        token = answer.get("access_token") if isinstance(answer, dict) else None
        if not isinstance(token, str) or not token:
            raise LabError("What answers there is no GNS3 server.")
        return token
