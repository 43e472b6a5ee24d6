"""`--auth gns3`: the users of a GNS3 server, who log in there; their access tokens are checked by asking it."""

from __future__ import annotations

import hashlib
import time
from typing import Any, Final

import jwt

from copilot_ws.labs.base import Caller
from copilot_ws.labs.gns3 import Gns3Http
from copilot_ws.transport.auth import Identity
from copilot_ws.wire.errors import BadRequest, LabError, Unauthorized

KEPT_SECONDS: Final = 60.0
KEPT_MAX: Final = 10_000

Json = dict[str, Any]


class Gns3Users:
    """What GNS3 says of a token stands for `KEPT_SECONDS`; tokens are kept as their hashes."""

    def __init__(self, http: Gns3Http) -> None:
        self._http = http
        self._kept: dict[bytes, tuple[float, Json]] = {}

    async def identify(self, token: str) -> Identity:
        """Raises `Unauthorized`, or `LabError` while GNS3 is away."""
        expires = _expires(token)
        if expires is not None and expires <= time.time():
            raise Unauthorized("This token has expired: log in again.")
        user = await self._user(token)
        return Identity(Caller(str(user["user_id"]), token), expires)

    async def login(self, credentials: Json) -> Json:
        """GNS3's own answer `{access_token, token_type}`. Raises `Unauthorized`, `BadRequest`, `LabError`."""
        given = {name: credentials.get(name) for name in ("username", "password")}
        if not all(isinstance(value, str) and value for value in given.values()):
            raise BadRequest("Logging in takes a username and a password, those of GNS3.")
        answer = await self._http.json("POST", "access/users/authenticate", None, given)
        if not isinstance(answer, dict) or not isinstance(answer.get("access_token"), str):
            raise LabError("What answers there is no GNS3 server.")
        return {"access_token": answer["access_token"], "token_type": answer.get("token_type", "bearer")}

    async def me(self, caller: Caller) -> Json:
        """GNS3's own answer."""
        return dict(await self._user(caller.token))

    async def _user(self, token: str) -> Json:
        key = hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
        until, user = self._kept.get(key, (0.0, {}))
        if time.monotonic() < until:
            return user
        self._kept.pop(key, None)
        user = await self._ask(token)
        self._make_room()
        self._kept[key] = (time.monotonic() + KEPT_SECONDS, user)
        return user

    async def _ask(self, token: str) -> Json:
        if not token.isascii() or not token.isprintable():
            raise Unauthorized("This token is not valid.")
        user = await self._http.json("GET", "access/users/me", token)
        if not isinstance(user, dict) or not user.get("user_id"):
            raise LabError("What answers there is no GNS3 server.")
        if not user.get("is_active", True) and not user.get("is_superadmin", False):
            raise Unauthorized("This user is not active in GNS3.")
        return user

    def _make_room(self) -> None:
        if len(self._kept) >= KEPT_MAX:
            now = time.monotonic()
            self._kept = {key: kept for key, kept in self._kept.items() if now < kept[0]}
        while len(self._kept) >= KEPT_MAX:
            del self._kept[next(iter(self._kept))]


def _expires(token: str) -> float | None:
    """When GNS3 says the token ends; whether it is valid at all is GNS3's to say. None: it does not tell."""
    try:
        expires = jwt.decode(token, options={"verify_signature": False, "verify_exp": False}).get("exp")
        return float(expires) if isinstance(expires, int | float) else None
    except (jwt.InvalidTokenError, ValueError, OverflowError):
        return None
