"""GNS3's API on behalf of a caller, and which projects a caller may see."""

from __future__ import annotations

import time
from typing import Any, Final

from copilot_ws.labs.base import Caller, Project
from copilot_ws.labs.gns3.credentials import Credentials
from copilot_ws.labs.gns3.http import Gns3Http
from copilot_ws.labs.gns3.shapes import checked_id, made, project_of
from copilot_ws.wire.errors import Forbidden, LabError, NotFound, Unauthorized

ACCESS_SECONDS: Final = 5.0
"""How long GNS3's answer whether a caller may see a project stands; the contract allows 10 s."""
ACCESS_MAX: Final = 1000


class Gns3Api:
    """A token that GNS3 refuses is renewed once, where there is another."""

    def __init__(self, http: Gns3Http, credentials: Credentials) -> None:
        self._http, self._credentials = http, credentials

    async def ask(self, caller: Caller, method: str, path: str, body: Any = None, *, slow: bool = False) -> Any:
        """See `Gns3Http.json`; also raises `TokenExpired`."""
        token = await self._credentials.token(caller)
        try:
            return await self._http.json(method, path, token, body, slow=slow)
        except Unauthorized:
            other = await self._credentials.instead(token)
            if other is None:
                raise
        try:
            return await self._http.json(method, path, other, body, slow=slow)
        except Unauthorized:
            raise LabError("GNS3 does not accept the token that it gave the server's own account.") from None


class Access:
    """The projects as each caller may see them, each answer kept for `ACCESS_SECONDS`."""

    def __init__(self, api: Gns3Api) -> None:
        self._api = api
        self._kept: dict[tuple[str, str, str], tuple[float, Project]] = {}

    async def project(self, caller: Caller, project_id: str) -> Project:
        """Raises `NotFound`, also for what the caller may not see."""
        key = (checked_id(project_id, "project"), caller.user_id, caller.token)
        until, known = self._kept.get(key, (0.0, None))
        if known is not None and time.monotonic() < until:
            return known
        self._kept.pop(key, None)
        try:
            raw = await self._api.ask(caller, "GET", f"projects/{key[0]}")
        except Forbidden:
            raise NotFound("No such project.") from None
        found = made(project_of, raw)
        self._make_room()
        self._kept[key] = (time.monotonic() + ACCESS_SECONDS, found)
        return found

    def forget(self, project_id: str) -> None:
        """The project has changed: the next question goes to GNS3."""
        for key in [key for key in self._kept if key[0] == project_id]:
            del self._kept[key]

    def _make_room(self) -> None:
        if len(self._kept) >= ACCESS_MAX:
            now = time.monotonic()
            self._kept = {key: kept for key, kept in self._kept.items() if now < kept[0]}
        while len(self._kept) >= ACCESS_MAX:
            del self._kept[next(iter(self._kept))]
