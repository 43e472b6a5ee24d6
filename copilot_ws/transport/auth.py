"""Who sends a request: tokens, where they may come from, and which browser origins may."""

from __future__ import annotations

import asyncio
import contextlib
import math
import secrets
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import jwt
from aiohttp import web
from yarl import URL

from copilot_ws.core.callers import Callers
from copilot_ws.labs.base import Caller
from copilot_ws.wire.errors import BadRequest, Forbidden, LabError, Unauthorized

CHECK_SECONDS = 60.0
COOKIE = "copilot_token"
LOCAL_USER = "local"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
Source = Literal["header", "cookie", "query", "frame"]


@dataclass(frozen=True, slots=True)
class Identity:
    """An authenticated user. `expires` is the token's end in seconds since the epoch, None: never."""

    caller: Caller
    expires: float | None = None

    @property
    def user_id(self) -> str:
        return self.caller.user_id


class Authenticator(Protocol):
    """Who is let in. `LabError` is raised where another server has to be asked, and is away."""

    async def identify(self, token: str) -> Identity:
        """Raises `Unauthorized`."""

    async def login(self, credentials: dict[str, Any]) -> dict[str, Any]:
        """`{access_token, token_type}` for what a login form sent. Raises `BadRequest`, `Unauthorized`."""

    async def me(self, caller: Caller) -> dict[str, Any]:
        """`{user_id, username, ...}`."""


class _Tokens(ABC):
    """Users who have a token and no password: the login form takes the token in its place."""

    @abstractmethod
    async def identify(self, token: str) -> Identity: ...

    async def login(self, credentials: dict[str, Any]) -> dict[str, Any]:
        token = credentials.get("password")
        if not isinstance(token, str) or not token:
            raise BadRequest("The password field takes a token.")
        await self.identify(token)
        return {"access_token": token, "token_type": "bearer"}

    async def me(self, caller: Caller) -> dict[str, Any]:
        return {"user_id": caller.user_id, "username": caller.user_id, "is_active": True}


class LocalAuthenticator(_Tokens):
    """One user, `local`, and the one token of this server."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()
        self._identity = Identity(Caller(LOCAL_USER, token))

    async def identify(self, token: str) -> Identity:
        if not secrets.compare_digest(token.encode("utf-8", "surrogateescape"), self._token):
            raise Unauthorized("This token is not valid.")
        return self._identity


class JwtAuthenticator(_Tokens):
    """Many users: HS256 tokens with `sub` and `exp`."""

    def __init__(self, secret: str) -> None:
        self._secret = secret

    async def identify(self, token: str) -> Identity:
        try:
            claims = jwt.decode(token, self._secret, algorithms=["HS256"], options={"require": ["sub", "exp"]})
        except (jwt.InvalidTokenError, ValueError):
            raise Unauthorized("This token is not valid, or has expired.") from None
        user_id = claims["sub"]
        if not user_id or len(user_id) > 255 or user_id == LOCAL_USER:  # `local` owns what --auth local made
            raise Unauthorized("This token names no user.")
        return Identity(Caller(user_id, token), float(claims["exp"]))


class Remembering:
    """An authenticator that notes each user's newest token, so that runs can go on."""

    def __init__(self, inner: Authenticator, callers: Callers) -> None:
        self._inner, self._callers = inner, callers

    async def identify(self, token: str) -> Identity:
        identity = await self._inner.identify(token)
        self._callers.note(identity.caller, identity.expires)
        return identity

    async def login(self, credentials: dict[str, Any]) -> dict[str, Any]:
        return await self._inner.login(credentials)

    async def me(self, caller: Caller) -> dict[str, Any]:
        return await self._inner.me(caller)


async def until_refused(authenticator: Authenticator, identity: Identity) -> None:
    """Returns when the token has ended, or is not accepted any more."""
    with contextlib.suppress(Unauthorized):
        while identity.expires is None or identity.expires > time.time():
            left = math.inf if identity.expires is None else identity.expires - time.time()
            await asyncio.sleep(max(0.0, min(left, CHECK_SECONDS)))
            with contextlib.suppress(LabError):  # whoever knows is away, and will be asked again
                await authenticator.identify(identity.caller.token)


def token_of(request: web.Request) -> tuple[str, Source] | None:
    """The request's token and where it stands: header, then cookie, then query."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip(), "header"
    if token := request.cookies.get(COOKIE, ""):
        return token, "cookie"
    if "token" in request.query:
        return request.query["token"], "query"
    return None


def check_origin(request: web.Request, source: Source | None, allowed: tuple[str, ...], *, socket: bool) -> None:
    """Refuses what a foreign page could have sent: its browser adds our cookie, but says where it comes from.

    Raises `Forbidden`.
    """
    origin = request.headers.get("Origin")
    if origin is None:
        if source == "cookie" and (socket or request.method not in SAFE_METHODS):
            raise Forbidden("A request that a cookie authenticates must say its Origin.")
        return
    changes = socket or (source == "cookie" and request.method not in SAFE_METHODS)
    if changes and is_foreign(request, allowed):
        raise Forbidden("Requests from this Origin are not allowed.")


def is_foreign(request: web.Request, allowed: tuple[str, ...]) -> bool:
    """A browser says that another site's page sends this; no browser, no foreign page."""
    origin = request.headers.get("Origin")
    if origin is None or origin.rstrip("/") in allowed:
        return False
    try:
        url = URL(origin)
        same = url.scheme in ("http", "https") and url.authority == URL(f"{url.scheme}://{request.host}").authority
    except ValueError:
        return True
    return not same


def forget_cookie(response: web.StreamResponse, request: web.Request) -> None:
    response.del_cookie(COOKIE, httponly=True, samesite="Strict", secure=request.secure, path="/")


def set_cookie(response: web.StreamResponse, request: web.Request, token: str, identity: Identity) -> None:
    lifetime = None if identity.expires is None else max(0, int(identity.expires - time.time()))
    response.set_cookie(
        COOKIE, token, httponly=True, samesite="Strict", secure=request.secure, max_age=lifetime, path="/"
    )
