"""REST from the command tables: arguments from path, query and body, answers and errors as JSON."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from copilot_ws.commands import CHAT, LAB
from copilot_ws.commands.registry import Answered, ChatCommand, ChatContext, LabCommand, LabContext, Route
from copilot_ws.transport import websocket
from copilot_ws.transport.auth import check_origin, token_of
from copilot_ws.transport.keys import AUTHENTICATOR, IDENTITY, SYSTEM, identity_of
from copilot_ws.wire.codecs import JSON, BadFrame, decode_frame, to_json
from copilot_ws.wire.errors import BadRequest, CopilotError, NotFound, TooLarge, Unauthorized
from copilot_ws.wire.models import validated

log = logging.getLogger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
CHAT_PREFIXES = ("/v3/projects/{project_id}/chat", "/v3/copilot/projects/{project_id}/chat")
LOGIN = ("/v3/access/users/login", "/v3/access/users/authenticate")
LOGOUT = "/v3/access/users/logout"
PUBLIC = frozenset({"/", "/healthz", "/favicon.ico", *LOGIN, LOGOUT})


def json_response(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    return web.Response(body=to_json(value), status=status, headers=headers, content_type="application/json")


def refuse(refused: CopilotError) -> web.Response:
    headers = {}
    if isinstance(refused.details, dict) and "retry_after" in refused.details:
        headers["Retry-After"] = str(refused.details["retry_after"])
    if refused.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return json_response(refused.shape(), refused.status, headers)


@web.middleware
async def errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Every error leaves as `{message, code, details}`."""
    try:
        return await handler(request)
    except CopilotError as refused:
        return refuse(refused)
    except web.HTTPRequestEntityTooLarge:
        most = request.app[SYSTEM].settings.max_frame
        return refuse(TooLarge(f"A request has at most {most} bytes."))
    except web.HTTPNotFound:
        return refuse(NotFound("There is nothing at this address."))
    except web.HTTPException as other:
        if other.status < 400:
            raise
        shape = {"message": other.reason, "code": "bad_request", "details": None}
        return json_response(shape, other.status, {"Allow": other.headers["Allow"]} if "Allow" in other.headers else {})
    except ConnectionError:
        raise
    except Exception:
        log.exception("%s %s failed", request.method, request.path)
        return refuse(CopilotError("The server failed to do this; the fault is logged."))


@web.middleware
async def authentication(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Nothing is open but the page and its files; a socket may send its token in its first frame."""
    if request.path in PUBLIC or request.path.startswith("/static/"):
        return await handler(request)
    found = token_of(request)
    if found is None:
        if request.match_info.handler is websocket.handle:
            return await handler(request)
        raise Unauthorized("This needs a token: as a header Authorization: Bearer T, a cookie, or ?token=T.")
    token, source = found
    request[IDENTITY] = await request.app[AUTHENTICATOR].identify(token)
    check_origin(request, source, request.app[SYSTEM].settings.allowed_origins, socket=False)
    return await handler(request)


async def body_of(request: web.Request) -> dict[str, Any]:
    """The JSON object of the body, {} for none. Raises `BadRequest`."""
    data = await request.read()
    if not data.strip():
        return {}
    try:
        return decode_frame(JSON, data)
    except BadFrame as fault:
        raise BadRequest(f"The body is not one JSON object: {fault}.") from None


async def arguments_of(request: web.Request, route: Route) -> dict[str, Any]:
    query = {key: value for key, value in request.query.items() if key != "token"}
    body = await body_of(request) if request.method in ("POST", "PUT", "PATCH") else {}
    return {**query, **body, **request.match_info, **route.fixed}


async def chat_context(request: web.Request) -> ChatContext:
    """Raises in the order of the contract: unknown project, then closed project."""
    system, identity = request.app[SYSTEM], identity_of(request)
    workspace = await system.workspaces.of(identity.caller, request.match_info["project_id"])
    return ChatContext(system, identity.caller, workspace)


def _reply(answer: Any, route: Route) -> web.Response:
    if route.status == 204:
        return web.Response(status=204)
    if isinstance(answer, Answered):
        return json_response(answer.rest_value, route.status, answer.headers)
    return json_response(answer, route.status)


def _chat_handler(command: ChatCommand, route: Route) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        context = await chat_context(request)
        given = await arguments_of(request, route)
        del given["project_id"]
        strict = request.method not in ("GET", "DELETE")
        return _reply(await command.handler(context, validated(command.schema, given, strict=strict)), route)

    return handle


def _lab_handler(command: LabCommand) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        context = LabContext(request.app[SYSTEM], identity_of(request).caller)
        given = await arguments_of(request, command.route)
        return _reply(await command.handler(context, validated(command.schema, given, strict=False)), command.route)

    return handle


def add_routes(app: web.Application) -> None:
    """Every route of the two command tables."""
    for command in CHAT.values():
        for route in command.routes:
            for prefix in CHAT_PREFIXES:
                app.router.add_route(route.method, prefix + route.path, _chat_handler(command, route))
    for other in LAB:
        app.router.add_route(other.route.method, other.route.path, _lab_handler(other))
