"""Where the server is, and which of its projects is meant."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
from yarl import URL

from copilot_ws.terminal.wording import program

DEFAULT_PROJECT = "demo"
REST_SECONDS = 15.0


class Problem(Exception):
    """What keeps the command from doing its work; the text is for the person who typed it."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server's address, which may have a path of its own behind a proxy, and the token for it."""

    url: URL
    token: str = field(repr=False)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def at(self, *parts: str) -> URL:
        return self.url.joinpath(*parts)


@dataclass(frozen=True, slots=True)
class Project:
    project_id: str
    name: str
    status: str

    @property
    def opened(self) -> bool:
        return self.status == "opened"


def locate(url: str | None, token: str | None, data_dir: Path) -> Endpoint:
    """The server that is meant. Raises `Problem`.

    The token that a server left in the data directory is only ever sent to that server.
    """
    kept = _kept(data_dir)
    if url is None:
        if kept is None:
            raise Problem(f"No server runs on {data_dir}. Start one with: {program()} serve")
        return _usable(kept.url, token or kept.token)
    given = _parsed(url)
    known = kept is not None and kept.url.origin() == given.url.origin()
    return _usable(given.url, token or given.token or (kept.token if kept is not None and known else ""))


def _kept(data_dir: Path) -> Endpoint | None:
    """What a running server wrote into its data directory."""
    try:
        found = json.loads((data_dir / "server.json").read_text(encoding="utf-8"))
        return Endpoint(_parsed(found["url"]).url, str(found["token"]))
    except (OSError, ValueError, KeyError, TypeError, Problem):
        return None


def _parsed(text: str) -> Endpoint:
    """`http://host:port/?token=T`, as the server prints it; the scheme may be missing."""
    try:
        url = URL(text if "://" in text else f"http://{text}")
        token = url.query.get("token", "")
        bare = url.with_query(None).with_fragment(None)
        good = url.scheme in ("http", "https") and bool(url.host)
    except ValueError:
        good = False
    if not good:
        shown = text.partition("?")[0]
        raise Problem(f"{shown!r} is no URL of a server. It looks like http://127.0.0.1:8765/?token=...")
    return Endpoint(bare, token)


def _usable(url: URL, token: str) -> Endpoint:
    if not token:
        raise Problem(f"There is no token for {url}. Give --url as the server prints it, with ?token=... in it.")
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise Problem("This token is not valid: it holds characters that no token has.")
    return Endpoint(url, token)


async def fetch_projects(http: aiohttp.ClientSession, endpoint: Endpoint) -> list[Project]:
    """The projects that this token may see. Raises `Problem`."""
    timeout = aiohttp.ClientTimeout(total=REST_SECONDS)
    try:
        address = endpoint.at("v3", "projects")
        async with http.get(address, headers=endpoint.headers, timeout=timeout) as answer:
            if answer.status == 200:
                return [_project(shape) for shape in await answer.json(content_type=None)]
            refused = answer.status
    except (aiohttp.ClientConnectionError, TimeoutError, OSError):
        raise Problem(f"No server answers at {endpoint.url}. Start it with: {program()} serve") from None
    except (aiohttp.ClientError, ValueError, KeyError, TypeError):
        refused = 200
    raise Problem(explain_refusal(refused, endpoint))


def explain_refusal(status: int, endpoint: Endpoint) -> str:
    if status == 401:
        return f"The server at {endpoint.url} does not accept this token. Its own output shows the right URL."
    if status == 403:
        return f"The server at {endpoint.url} does not let you in here: the project is closed, or not yours."
    if status == 503:
        return f"The server at {endpoint.url} is stopping. Try again when it is back."
    return f"What answers at {endpoint.url} is no copilot-ws server, or does not know the project (HTTP {status})."


def _project(shape: dict[str, Any]) -> Project:
    return Project(str(shape["project_id"]), str(shape["name"]), str(shape["status"]))


def choose_project(projects: Sequence[Project], wanted: str | None) -> Project:
    """The project by id or name; without a wish `demo`, else the first that is open. Raises `Problem`."""
    if wanted is None:
        opened = [project for project in projects if project.opened]
        preferred = [project for project in opened if project.name == DEFAULT_PROJECT]
        if not opened:
            raise Problem(f"No project is open. {_listing(projects)}")
        return (preferred or opened)[0]
    found = _matching(projects, wanted)
    if not found:
        raise Problem(f"There is no project {wanted!r}. {_listing(projects)}")
    opened = [project for project in found if project.opened]
    if not opened:
        raise Problem(f"The project {found[0].name!r} is closed: open it first. {_listing(projects)}")
    if len(opened) > 1:
        ids = ", ".join(project.project_id for project in opened)
        raise Problem(f"{len(opened)} open projects are named {wanted!r}. Say which by its id: {ids}")
    return opened[0]


def _matching(projects: Sequence[Project], wanted: str) -> list[Project]:
    """By id, else by name, else by a name that differs only in case."""
    by_id = [project for project in projects if project.project_id == wanted]
    by_name = [project for project in projects if project.name == wanted]
    alike = [project for project in projects if project.name.casefold() == wanted.casefold()]
    return by_id or by_name or alike


def _listing(projects: Sequence[Project]) -> str:
    if not projects:
        return "The server has no projects."
    return "There are: " + ", ".join(f"{project.name} ({project.status})" for project in projects)
