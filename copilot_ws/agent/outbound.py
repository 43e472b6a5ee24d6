"""The HTTP clients of the models: a person's own model is reached at checked addresses only."""

from __future__ import annotations

import asyncio
import functools
import os
import socket
import ssl
from typing import TYPE_CHECKING

import httpx2

from copilot_ws.agent.addresses import Address, AllowedHosts, plain
from copilot_ws.wire.errors import LlmError

if TYPE_CHECKING:
    from copilot_ws.agent.models import ModelConfig

# As the providers' own clients have them: no run waits for another's connection.
_LIMITS = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)


@functools.cache
def tls() -> ssl.SSLContext:
    """The TLS of all models. Loading the certificates takes 25 ms and 1 MiB each time."""
    return httpx2.create_ssl_context()


def no_client() -> httpx2.Client:
    """For the calls without a loop that providers' clients offer, and nobody makes: it reaches nothing."""
    return httpx2.Client(transport=httpx2.BaseTransport(), trust_env=False)


class AddressRefused(LlmError):
    """A person's own model is somewhere that this server must not reach on its users' behalf."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(
            "llm_not_configured",
            f"The model's server {host}:{port} is at an address that is not public, which your own configurations"
            " may not use here. The operator can allow it with COPILOT_WS_LLM_ALLOWED_HOSTS.",
        )


class CheckedTransport(httpx2.AsyncBaseTransport):
    """Resolves each request's host itself, checks every address of it, and connects to one of those it checked.

    Nothing else resolves the name again, so a name that changes its address cannot slip through. TLS still
    verifies the name: it travels as SNI, and in the Host header. Requests go through no proxy, which would
    resolve for itself.
    """

    def __init__(self, allowed: AllowedHosts) -> None:
        self._allowed = allowed
        self._tls = tls()  # now: the first request is made on the loop
        # One for each name: connections are reused by address, and each was verified for one name only.
        self._inner: dict[str, httpx2.AsyncHTTPTransport] = {}
        self._withheld = _operators_headers()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Raises `AddressRefused`, and what httpx2 raises."""
        if request.url.scheme not in ("http", "https") or not request.url.host:
            raise httpx2.UnsupportedProtocol(f"{request.url.scheme} is not HTTP", request=request)
        host = request.url.raw_host.decode("ascii")
        port = request.url.port or (443 if request.url.scheme == "https" else 80)
        inner = self._inner_for(host)
        refused: httpx2.ConnectError | None = None
        for address in await self._checked(host, port, request):
            try:
                return await inner.handle_async_request(self._towards(request, host, address))
            except httpx2.ConnectError as fault:  # nothing of the request has been sent: the next address may do
                refused = fault
        raise refused or httpx2.ConnectError(f"{host} has no address", request=request)

    async def _checked(self, host: str, port: int, request: httpx2.Request) -> list[Address]:
        try:
            addresses = await _resolve(host, port)
        except (socket.gaierror, UnicodeError) as fault:
            raise httpx2.ConnectError(f"{host} cannot be resolved", request=request) from fault
        if not all(self._allowed.allow(host, port, address) for address in addresses):
            raise AddressRefused(host, port)
        return addresses

    def _inner_for(self, host: str) -> httpx2.AsyncHTTPTransport:
        if host not in self._inner:
            self._inner[host] = httpx2.AsyncHTTPTransport(verify=self._tls, limits=_LIMITS)
        return self._inner[host]

    def _towards(self, request: httpx2.Request, host: str, address: Address) -> httpx2.Request:
        return httpx2.Request(
            request.method,
            request.url.copy_with(host=str(address)),
            headers=[pair for pair in request.headers.multi_items() if pair[0].lower() not in self._withheld],
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": host},
        )

    async def aclose(self) -> None:
        for inner in self._inner.values():
            await inner.aclose()


async def _resolve(host: str, port: int) -> list[Address]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    texts = [str(where[0]) for family, *_, where in found if family in (socket.AF_INET, socket.AF_INET6)]
    return [plain(text) for text in dict.fromkeys(texts)]


def _operators_headers() -> frozenset[str]:
    """The names of the headers that providers' clients add from the environment, which is the operator's."""
    given = (os.environ.get(f"{provider}_CUSTOM_HEADERS", "") for provider in ("OPENAI", "ANTHROPIC"))
    names = (line.partition(":")[0].strip().lower() for text in given for line in text.splitlines())
    return frozenset({"openai-organization", "openai-project", *names})


def async_client(config: ModelConfig) -> httpx2.AsyncClient:
    """The client of one model. A person's own follows no redirect and takes nothing from the environment."""
    if config.allowed is None:
        return httpx2.AsyncClient(verify=tls(), timeout=config.timeout, follow_redirects=True, limits=_LIMITS)
    transport = CheckedTransport(config.allowed)
    return httpx2.AsyncClient(transport=transport, timeout=config.timeout, follow_redirects=False, trust_env=False)
