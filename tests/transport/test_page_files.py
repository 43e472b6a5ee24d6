"""The page and its files: what a browser may keep, and what it gets when something has changed."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from aiohttp import ClientSession
from kit.server import Server

from copilot_ws.transport.site import Site, edit

FILES = {
    "index.html": b'<script type="importmap">{"imports": {"lib": "./static/lib.mjs"}}</script><!-- modules -->',
    "js/main.js": b'import { a } from "./a.js";\nimport lib from "lib";\nconst later = () => import("./later.js");\n',
    "js/a.js": b'export {\n  b,\n} from "../b.js";\n',
    "b.js": b'export const b = "./no.js";\n',
    "lib.mjs": b'export{x as y};import"./b.js"',
    "js/later.js": b"",
}


async def read(server: Server, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    async with (
        ClientSession(auto_decompress=False) as session,
        session.get(server.url + path, headers=headers) as answer,
    ):
        return answer.status, dict(answer.headers), await answer.read()


async def addresses(server: Server) -> list[str]:
    _, _, page = await read(server, "/", **{"Accept-Encoding": "identity"})
    return re.findall(r'(?:href|src)="([^"]+)"', page.decode())


async def test_a_browser_keeps_the_files_and_asks_for_the_page(server: Server) -> None:
    _, headers, _ = await read(server, "/")
    assert headers["Cache-Control"] == "no-cache"
    for address in await addresses(server):
        status, headers, body = await read(server, f"/{address}")
        assert (status, headers["Cache-Control"]) == (200, "public, max-age=31536000, immutable"), address
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert body


async def test_a_page_from_before_an_update_gets_what_there_is_and_keeps_it_not(server: Server) -> None:
    for version in ("000000000000", "x"):
        status, headers, _ = await read(server, f"/static/{version}/js/main.js")
        assert (status, headers["Cache-Control"]) == (200, "no-cache")


@pytest.mark.parametrize("path", ["/static/x/js/gone.js", "/static/x/", "/static/x/../index.html", "/static/js"])
async def test_there_is_nothing_else(server: Server, path: str) -> None:
    assert (await read(server, path))[0] == 404


async def test_files_are_sent_packed_to_whom_can_read_that(server: Server) -> None:
    path = "/" + next(address for address in await addresses(server) if address.endswith("main.js"))
    _, headers, plain = await read(server, path, **{"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in headers
    _, headers, packed = await read(server, path, **{"Accept-Encoding": "gzip, br"})
    assert (headers["Content-Encoding"], headers["Vary"]) == ("gzip", "Accept-Encoding")
    assert gzip.decompress(packed) == plain
    assert headers["Content-Type"].startswith("text/javascript")


def test_the_page_names_each_script_of_its_start_once() -> None:
    links = re.findall(r'href="static/\w{12}/([^"]+)"', edit(FILES).page.body.decode())
    assert links == ["js/main.js", "js/a.js", "lib.mjs", "b.js"]


async def test_a_change_shows_at_the_next_look(tmp_path: Path) -> None:
    for name, body in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(body)
    site = Site(tmp_path)
    before = await site.look()
    assert await site.look() is before
    (tmp_path / "b.js").write_text("export const b = 2;")
    after = await site.look()
    assert after.version != before.version
    assert after.files["b.js"].body == b"export const b = 2;"
    assert await site.edition() is after
