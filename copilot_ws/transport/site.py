"""The page's files, held in memory, under addresses that change with their contents: a browser keeps each for good."""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import json
import mimetypes
import posixpath
import re
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

PACKAGE = Path(__file__).resolve().parent.parent
# In a checkout the page stands beside the package, in an installed one within it.
STATIC = next((p for p in (PACKAGE / "static", PACKAGE.parent / "static") if p.is_dir()), PACKAGE / "static")
mimetypes.add_type("text/javascript", ".mjs")  # some systems' tables lack it, and a browser runs nothing else

PAGE, START, MODULES = "index.html", "js/main.js", "<!-- modules -->"
KEPT, ASKED_FOR = "public, max-age=31536000, immutable", "no-cache"
_IMPORT_MAP = re.compile(r'<script type="importmap">(.*?)</script>', re.DOTALL)
_IMPORT = re.compile(r'^(?:import|export)\b(?:[^"\';]*\bfrom)?\s*"([^"]+)"', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class File:
    kind: str
    body: bytes
    packed: bytes

    @classmethod
    def of(cls, name: str, body: bytes) -> File:
        return cls(mimetypes.guess_type(name)[0] or "text/plain", body, gzip.compress(body, mtime=0))

    def answer(self, request: web.Request, headers: dict[str, str]) -> web.Response:
        response = web.Response(headers=headers)
        response.content_type = self.kind
        response.headers["Vary"] = "Accept-Encoding"
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            response.headers["Content-Encoding"] = "gzip"
            response.body = self.packed
        else:
            response.body = self.body
        return response


@dataclass(frozen=True, slots=True)
class Edition:
    """The files as they were at one time. `import_map`: the hash of the one inline script."""

    version: str
    import_map: str
    page: File
    files: dict[str, File]


class Site:
    """The newest edition: a file that changes on disk shows when the page is loaded the next time."""

    def __init__(self, root: Path = STATIC) -> None:
        self._root = root
        self._seen: list[tuple[str, int]] = []
        self._edition: Edition | None = None

    async def edition(self) -> Edition:
        """What the page was last made of."""
        return self._edition or await self.look()

    async def look(self) -> Edition:
        """What the page is made of now."""
        return await asyncio.to_thread(self._read)

    def _read(self) -> Edition:
        paths = sorted(path for path in self._root.rglob("*") if path.is_file())
        seen = [(str(path), path.stat().st_mtime_ns) for path in paths]
        if self._edition is None or seen != self._seen:
            self._edition = edit({path.relative_to(self._root).as_posix(): path.read_bytes() for path in paths})
            self._seen = seen
        return self._edition


def edit(bodies: dict[str, bytes]) -> Edition:
    """An edition of files by their names."""
    version = hashlib.sha256(b"\0".join(part for name in bodies for part in (name.encode(), bodies[name]))).hexdigest()[
        :12
    ]
    home = f"static/{version}/"
    text = bodies[PAGE].decode()
    links = [f'<link rel="modulepreload" href="{home}{name}">' for name in _needed(bodies, _imports_of(text))]
    text = text.replace("static/", home).replace(MODULES, "\n  ".join(links))
    found = _IMPORT_MAP.search(text)
    digest = hashlib.sha256(found[1].encode() if found else b"").digest()
    files = {name: File.of(name, body) for name, body in bodies.items()}
    return Edition(version, base64.b64encode(digest).decode(), File.of(PAGE, text.encode()), files)


def _imports_of(page: str) -> dict[str, str]:
    found = _IMPORT_MAP.search(page)
    imports: dict[str, str] = json.loads(found[1])["imports"] if found else {}
    return {name: address.removeprefix("./static/") for name, address in imports.items()}


def _needed(bodies: dict[str, bytes], named: dict[str, str]) -> list[str]:
    """All that the first script imports: a browser asks for it at once, not for one floor after the other."""
    found = [START]
    for name in found:
        for wanted in _IMPORT.findall(bodies[name].decode()):
            target = named.get(wanted) or posixpath.normpath(posixpath.join(posixpath.dirname(name), wanted))
            if target in bodies and target not in found:
                found.append(target)
    return found
