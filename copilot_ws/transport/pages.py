"""What stands outside the API: the page, its files, health, and logging in."""

from __future__ import annotations

from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import BadHttpMessage
from yarl import URL

from copilot_ws import __version__
from copilot_ws.transport.auth import check_origin, forget_cookie, is_foreign, set_cookie
from copilot_ws.transport.keys import AUTHENTICATOR, SYSTEM
from copilot_ws.transport.rest import LOGIN, LOGOUT, body_of, json_response
from copilot_ws.transport.site import ASKED_FOR, KEPT, Edition, Site
from copilot_ws.wire.errors import BadRequest, NotFound, Unauthorized

SITE = web.AppKey("site", Site)


def _headers(edition: Edition, cache: str) -> dict[str, str]:
    """The import map is inline, as browsers demand: the policy allows this one text and no other inline script."""
    policy = (
        "default-src 'none'",
        f"script-src 'self' 'sha256-{edition.import_map}'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types dompurify",
    )
    return {
        "Content-Security-Policy": "; ".join(policy),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": cache,
    }


async def health(request: web.Request) -> web.Response:
    """`auth` says what a login has to ask for: GNS3's user name and password, or a token."""
    return json_response({"status": "ok", "version": __version__, "auth": request.app[SYSTEM].settings.auth})


async def page(request: web.Request) -> web.StreamResponse:
    """`/?token=T` sets the cookie and leads to the same address without the token."""
    edition = await request.app[SITE].look()
    headers = _headers(edition, ASKED_FOR)
    token = request.query.get("token")
    if token is None:
        return edition.page.answer(request, headers)
    query = {key: value for key, value in request.query.items() if key != "token"}
    response = web.Response(status=303, headers={"Location": str(URL("/").with_query(query)), **headers})
    try:
        identity = await request.app[AUTHENTICATOR].identify(token)
    except Unauthorized:
        return response  # the page asks for a token that is valid
    set_cookie(response, request, token, identity)
    return response


async def login(request: web.Request) -> web.Response:
    """GNS3's two shapes: a form, or JSON. A foreign page gets a token, but does not sign this browser in."""
    authenticator = request.app[AUTHENTICATOR]
    answer = await authenticator.login(await _credentials(request))
    identity = await authenticator.identify(answer["access_token"])
    response = json_response(answer)
    if not is_foreign(request, request.app[SYSTEM].settings.allowed_origins):
        set_cookie(response, request, answer["access_token"], identity)
    return response


async def _credentials(request: web.Request) -> dict[str, Any]:
    if request.content_type not in ("application/x-www-form-urlencoded", "multipart/form-data"):
        return await body_of(request)
    try:
        return dict(await request.post())
    except (ValueError, AssertionError, BadHttpMessage):
        raise BadRequest("The body is no form.") from None


async def logout(request: web.Request) -> web.Response:
    """The browser forgets the token, also one that has ended; no foreign page may make it do so."""
    check_origin(request, "cookie", request.app[SYSTEM].settings.allowed_origins, socket=False)
    response = web.Response(status=204)
    forget_cookie(response, request)
    return response


async def static_file(request: web.Request) -> web.Response:
    """A page from before an update asks for files of its own edition: it gets what there is now."""
    edition = await request.app[SITE].edition()
    found = edition.files.get(request.match_info["name"])
    if found is None:
        raise NotFound("There is no such file of the page.")
    return found.answer(
        request, _headers(edition, KEPT if request.match_info["version"] == edition.version else ASKED_FOR)
    )


def add_routes(app: web.Application) -> None:
    app[SITE] = Site()
    app.router.add_get("/healthz", health)
    app.router.add_get("/", page)
    for path in LOGIN:
        app.router.add_post(path, login)
    app.router.add_post(LOGOUT, logout)
    app.router.add_get("/static/{version}/{name:.+}", static_file)
