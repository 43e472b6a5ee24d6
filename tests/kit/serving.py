"""An aiohttp application of a test, at a free port on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ssl import SSLContext

from aiohttp import web


@asynccontextmanager
async def serving(app: web.Application, tls: SSLContext | None = None) -> AsyncIterator[int]:
    """Its port. A client that goes ends its handler; none that stays holds up the end."""
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()
