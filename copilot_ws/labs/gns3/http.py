"""One GNS3 server's API v3: JSON in and out, everything that goes wrong as an error of `wire.errors`."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import aiohttp
import orjson
from aiohttp import WSMsgType
from yarl import URL

from copilot_ws.wire.codecs import to_json
from copilot_ws.wire.errors import (
    Conflict,
    CopilotError,
    Forbidden,
    InvalidArgument,
    LabError,
    NotFound,
    Unauthorized,
)

SLOW_SECONDS: Final = 300.0
"""For what GNS3 itself gives minutes: opening and closing projects, creating, starting and stopping nodes."""
CONNECT_SECONDS: Final = 5.0
SILENCE_SECONDS: Final = 20.0
"""GNS3 sends a ping on each notification stream after 5 s without news."""
MESSAGE_MAX: Final = 500
CONNECTIONS_MAX: Final = 256

_REFUSALS: Final[dict[int, type[CopilotError]]] = {
    400: InvalidArgument,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    422: InvalidArgument,
}
_PATH: Final = re.compile(r"(?<![\w:/.])(?:[A-Za-z]:)?[/\\](?:[^\s'\"/\\:]+[/\\])+(?=[^\s'\"/\\]*)")
_ADDRESS: Final = re.compile(r"\b(?:https?|wss?)://[^\s'\"]+")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the server is. `timeout` are the seconds that an answer may take, but for what is slow by nature.

    `tls` is what an https server is checked against: True: the authorities that this machine trusts.
    """

    url: URL
    tls: ssl.SSLContext | aiohttp.Fingerprint | bool = True
    timeout: float = 15.0

    @property
    def host(self) -> str:
        return self.url.host or ""


class Gns3Http:
    """Every request carries the token that it is given and no other; redirects are not followed."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._session: aiohttp.ClientSession | None = None

    async def kept_open(self, _: Any = None) -> AsyncIterator[None]:
        """As an aiohttp `cleanup_ctx`: requests can be made until it goes on."""
        connector = aiohttp.TCPConnector(ssl=self.endpoint.tls, limit=CONNECTIONS_MAX)
        async with aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as self._session:
            yield

    async def json(self, method: str, path: str, token: str | None, body: Any = None, *, slow: bool = False) -> Any:
        """The JSON that GNS3 answers (None: nothing). `path` begins behind `/v3`.

        Raises `Unauthorized`, `Forbidden`, `NotFound`, `Conflict` and `InvalidArgument` with GNS3's own words, and
        `LabError` where there is no answer, or none that makes sense.
        """
        return await self._send(method, path, token, slow, json=body)

    async def form(self, path: str, fields: dict[str, str]) -> Any:
        """POSTs a form, without a token. Raises as `json` does."""
        return await self._send("POST", path, None, False, data=fields)

    async def _send(self, method: str, path: str, token: str | None, slow: bool, **content: Any) -> Any:
        seconds = max(SLOW_SECONDS, self.endpoint.timeout) if slow else self.endpoint.timeout
        timeout = aiohttp.ClientTimeout(total=seconds, sock_connect=min(CONNECT_SECONDS, seconds))
        headers = {"Authorization": f"Bearer {token}"} if token is not None else {}
        with _explained(seconds):
            async with self._open.request(
                method, self._url(path), headers=headers, timeout=timeout, allow_redirects=False, **content
            ) as answer:
                return _result(answer.status, await answer.read())

    @asynccontextmanager
    async def notifications(self, path: str, token: str) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
        """The events `{action, event}` of one of GNS3's notification sockets, until it closes.

        Raises `LabError` if it cannot be opened or falls silent.
        """
        limits = aiohttp.ClientWSTimeout(ws_receive=SILENCE_SECONDS, ws_close=1.0)
        with _explained(SILENCE_SECONDS):
            async with asyncio.timeout(CONNECT_SECONDS):
                socket = await self._open.ws_connect(
                    self._url(path).with_query(token=token), timeout=limits, max_msg_size=0
                )
            async with socket:
                yield _events(socket)

    @property
    def _open(self) -> aiohttp.ClientSession:
        assert self._session is not None, "it is not open"
        return self._session

    def _url(self, path: str) -> URL:
        return self.endpoint.url.joinpath("v3", path.lstrip("/"))


async def _events(socket: aiohttp.ClientWebSocketResponse) -> AsyncIterator[dict[str, Any]]:
    async for message in socket:
        if message.type is WSMsgType.TEXT:
            found = _parsed(message.data.encode())
            if isinstance(found, dict) and isinstance(found.get("event"), dict):
                yield found


class _explained:
    """Turns what the network does into a `LabError` with words for a person; no address and no token are in them."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        words = _words(fault, self._seconds) if fault is not None else None
        if words is not None:
            raise LabError(words) from None


def _words(fault: BaseException, seconds: float) -> str | None:
    """None: this is no fault of the network."""
    if isinstance(fault, aiohttp.ServerFingerprintMismatch):
        return "GNS3 shows another certificate than the pinned one: nothing was sent to it."
    if isinstance(fault, aiohttp.ClientConnectorCertificateError | aiohttp.ClientConnectorSSLError):
        return "GNS3's certificate is not trusted here: nothing was sent to it."
    if isinstance(fault, TimeoutError):
        return f"GNS3 did not answer within {seconds:.0f} s."
    if isinstance(fault, aiohttp.ClientConnectorError):
        return "GNS3 cannot be reached: it is stopped, starting, or away."
    if isinstance(fault, aiohttp.ClientError | ConnectionError):
        return "GNS3 broke the connection off: it was stopped or restarted."
    return None


def _result(status: int, data: bytes) -> Any:
    found = _parsed(data)
    if 200 <= status < 300:
        if found is None and data.strip():
            raise LabError("What answers there is no GNS3 server.")
        return found
    said = _message(found)
    if status in _REFUSALS:
        raise _REFUSALS[status](f"GNS3: {said}" if said else _PLAIN[status])
    if 300 <= status < 400:
        raise LabError("GNS3 answers with a redirect: its address is set wrong.")
    raise LabError(f"GNS3 failed at this ({status}){f': {said}' if said else '.'}")


_PLAIN: Final = {
    400: "GNS3 does not understand this request.",
    401: "GNS3 does not accept this token: log in again.",
    403: "GNS3 does not allow you this.",
    404: "GNS3 has no such thing.",
    409: "GNS3 cannot do this now.",
    422: "GNS3 does not take these arguments.",
}


def _parsed(data: bytes) -> Any:
    try:
        return orjson.loads(data) if data.strip() else None
    except orjson.JSONDecodeError:
        return None


def _message(found: Any) -> str:
    """GNS3's own words on one line, without the addresses and folders of its machine."""
    said = found.get("message", found.get("detail", "")) if isinstance(found, dict) else ""
    text = said if isinstance(said, str) else to_json(said).decode()
    line = " ".join(_PATH.sub("", _ADDRESS.sub("its compute", text.partition("\n\n")[0])).split())
    return line[:MESSAGE_MAX]
