"""What stands outside the API: the page, its files, health, and logging in."""

from __future__ import annotations

import base64
import hashlib
import mimetypes
import re
from pathlib import Path
from typing import Any

from aiohttp import web
from yarl import URL

from copilot_ws import __version__
from copilot_ws.transport.auth import set_cookie
from copilot_ws.transport.keys import AUTHENTICATOR, SYSTEM
from copilot_ws.transport.rest import LOGIN, body_of, json_response
from copilot_ws.wire.errors import Unauthorized

PACKAGE = Path(__file__).resolve().parent.parent
# In a checkout the page stands beside the package, in an installed one within it.
STATIC = next((p for p in (PACKAGE / "static", PACKAGE.parent / "static") if p.is_dir()), PACKAGE / "static")
mimetypes.add_type("text/javascript", ".mjs")  # some systems' tables lack it, and a browser runs nothing else


def _import_map_hash() -> str:
    """The import map is inline, as browsers demand: the policy allows this one text and no other inline script."""
    found = re.search(r'<script type="importmap">(.*?)</script>', (STATIC / "index.html").read_text("utf-8"), re.DOTALL)
    return base64.b64encode(hashlib.sha256(found[1].encode() if found else b"").digest()).decode()


def _page_headers() -> dict[str, str]:
    policy = (
        "default-src 'none'",
        f"script-src 'self' 'sha256-{_import_map_hash()}'",
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
        "Cache-Control": "no-cache",
    }


PAGE_HEADERS = _page_headers()


async def health(request: web.Request) -> web.Response:
    """`auth` says what a login has to ask for: GNS3's user name and password, or a token."""
    return json_response({"status": "ok", "version": __version__, "auth": request.app[SYSTEM].settings.auth})


async def page(request: web.Request) -> web.StreamResponse:
    """`/?token=T` sets the cookie and leads to the same address without the token."""
    token = request.query.get("token")
    if token is None:
        return web.FileResponse(STATIC / "index.html", headers=PAGE_HEADERS)
    query = {key: value for key, value in request.query.items() if key != "token"}
    response = web.Response(status=303, headers={"Location": str(URL("/").with_query(query)), **PAGE_HEADERS})
    try:
        identity = await request.app[AUTHENTICATOR].identify(token)
    except Unauthorized:
        return response  # the page asks for a token that is valid
    set_cookie(response, request, token, identity)
    return response


async def login(request: web.Request) -> web.Response:
    """GNS3's two shapes: a form, or JSON."""
    authenticator = request.app[AUTHENTICATOR]
    answer = await authenticator.login(await _credentials(request))
    identity = await authenticator.identify(answer["access_token"])
    response = json_response(answer)
    set_cookie(response, request, answer["access_token"], identity)
    return response


async def _credentials(request: web.Request) -> dict[str, Any]:
    if request.content_type in ("application/x-www-form-urlencoded", "multipart/form-data"):
        return dict(await request.post())
    return await body_of(request)


@web.middleware
async def guard_static(request: web.Request, handler: Any) -> web.StreamResponse:
    """The page's files carry the page's headers."""
    response: web.StreamResponse = await handler(request)
    if request.path.startswith("/static/") and not response.prepared:
        response.headers.update(PAGE_HEADERS)
    return response


def add_routes(app: web.Application) -> None:
    app.router.add_get("/healthz", health)
    app.router.add_get("/", page)
    for path in LOGIN:
        app.router.add_post(path, login)
    app.router.add_static("/static/", STATIC)
