"""What hangs on the aiohttp application and on its requests."""

from __future__ import annotations

from aiohttp import web

from copilot_ws.commands.registry import System
from copilot_ws.transport.auth import Authenticator, Identity
from copilot_ws.transport.connections import Connections

SYSTEM = web.AppKey("system", System)
AUTHENTICATOR = web.AppKey("authenticator", Authenticator)
CONNECTIONS = web.AppKey("connections", Connections)
IDENTITY = web.RequestKey("identity", Identity)


def identity_of(request: web.Request) -> Identity:
    return request[IDENTITY]
