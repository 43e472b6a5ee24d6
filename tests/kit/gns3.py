"""A scripted GNS3 server (API v3): for faults, users and fields that a real one cannot be brought to show at will."""

from __future__ import annotations

import asyncio
import ssl
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import jwt
from aiohttp import WSMsgType, web

from kit.server import GNS3_SECRET
from kit.waiting import eventually

Json = dict[str, Any]
PASSWORD = "secret-of-gns3"


def user_id_of(username: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, username))


def node(name: str, node_type: str = "vpcs", **fields: Any) -> Json:
    """A node as GNS3 3.0 shows it, with two Ethernet ports."""
    ports = [
        {
            "name": f"Ethernet{number}",
            "short_name": f"e{number}",
            "adapter_number": 0 if node_type == "vpcs" else number,
            "port_number": 0,
            "link_type": "ethernet",
            "data_link_types": {"Ethernet": "DLT_EN10MB"},
        }
        for number in range(1 if node_type == "vpcs" else 2)
    ]
    return {
        "name": name,
        "node_id": str(uuid.uuid4()),
        "node_type": node_type,
        "compute_id": "local",
        "template_id": None,
        "status": "stopped",
        "console": 5000,
        "console_type": "telnet",
        "console_host": "127.0.0.1",
        "command_line": "/usr/bin/thing --secret",
        "properties": {},
        "symbol": None,
        "x": 0,
        "y": 0,
        "ports": ports,
        **fields,
    }


@dataclass
class Project:
    """A project of the scripted server. `hidden_from`: users who get 403 on it."""

    shape: Json
    nodes: dict[str, Json] = field(default_factory=dict)
    links: dict[str, Json] = field(default_factory=dict)
    hidden_from: set[str] = field(default_factory=set)

    @property
    def id(self) -> str:
        return str(self.shape["project_id"])


@dataclass(frozen=True)
class Asked:
    """A request that came. `user` is None where there was no token that is known."""

    method: str
    path: str
    user: str | None
    body: Any


Fault = Callable[[web.Request], Awaitable[web.StreamResponse]]


class ScriptedGns3:
    """Users log in by any name, with PASSWORD. `faults["/v3/projects"] = refuse(409)`: that is the answer there."""

    def __init__(self) -> None:
        self.projects: dict[str, Project] = {}
        self.templates: list[Json] = []
        self.asked: list[Asked] = []
        self.faults: dict[str, Fault] = {}
        self.banned: set[str] = set()
        self.url = ""
        self.listeners: dict[str | None, set[web.WebSocketResponse]] = {}
        self._runner: web.AppRunner | None = None
        self._port = 0
        self._tls: ssl.SSLContext | None = None
        self.project = self.add_project("demo")

    # what is there

    def add_project(self, name: str, status: str = "opened", **fields: Any) -> Project:
        shape = {"name": name, "project_id": str(uuid.uuid4()), "status": status, "path": f"/srv/{name}", **fields}
        project = Project(shape)
        self.projects[project.id] = project
        return project

    def add_node(self, name: str, node_type: str = "vpcs", **fields: Any) -> Json:
        made = node(name, node_type, project_id=self.project.id, **fields)
        self.project.nodes[made["node_id"]] = made
        return made

    def token(self, username: str, seconds: float = 3600) -> str:
        return jwt.encode({"sub": username, "exp": time.time() + seconds}, GNS3_SECRET, "HS256")

    def of(self, method: str, path: str) -> list[Asked]:
        return [asked for asked in self.asked if (asked.method, asked.path) == (method, path)]

    # running

    @asynccontextmanager
    async def running(self, tls: ssl.SSLContext | None = None) -> AsyncIterator[ScriptedGns3]:
        self._tls = tls
        await self.come_back()
        try:
            yield self
        finally:
            await self.go_away()

    async def come_back(self) -> None:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port, ssl_context=self._tls).start()
        self._port = self._runner.addresses[0][1]
        self.url = f"{'https' if self._tls else 'http'}://127.0.0.1:{self._port}"

    async def go_away(self) -> None:
        """As if it was killed: every connection breaks."""
        for listeners in self.listeners.values():
            for socket in listeners.copy():
                await socket.close()
        if self._runner is not None:
            await self._runner.cleanup()
        self._runner = None

    async def tell(self, action: str, event: Json, project: Project | None = None) -> None:
        """A notification: on the controller's stream, or on a project's."""
        for socket in self.listeners.get(project.id if project else None, set()).copy():
            await socket.send_json({"action": action, "event": event})

    async def listened_to(self, project: Project | None = None) -> None:
        """Returns once somebody listens to the controller's stream, or to a project's."""
        key = project.id if project else None
        await eventually(lambda: self.listeners.get(key), "notifications are followed")

    # answering

    def _user(self, request: web.Request) -> str | None:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or request.query.get("token", "")
        try:
            name = jwt.decode(token, GNS3_SECRET, ["HS256"])["sub"]
        except jwt.InvalidTokenError:
            return None
        return None if name in self.banned else str(name)

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        user = self._user(request)
        body = await request.json() if request.can_read_body and request.content_type == "application/json" else None
        self.asked.append(Asked(request.method, request.path, user, body))
        if request.path in self.faults:
            return await self.faults[request.path](request)
        parts = request.path.strip("/").split("/")[1:]
        if parts == ["access", "users", "authenticate"]:
            return self._authenticate(body)
        if parts[-2:] == ["notifications", "ws"]:
            return await self._notify(request, user, parts[1] if parts[0] == "projects" else None)
        if user is None:
            return refusal(401, "Could not validate credentials")
        if parts == ["access", "users", "me"]:
            return web.json_response({"username": user, "user_id": user_id_of(user), "is_active": True})
        if parts[0] == "templates":
            return self._template(parts)
        return await self._project(request.method, parts, user, body)

    def _authenticate(self, body: Json) -> web.Response:
        if body["password"] != PASSWORD:
            return refusal(401, "Authentication was unsuccessful.")
        return web.json_response({"access_token": self.token(body["username"]), "token_type": "bearer"})

    async def _notify(self, request: web.Request, user: str | None, project_id: str | None) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        if user is None:
            await socket.close(code=1008)
            return socket
        listeners = self.listeners.setdefault(project_id, set())
        listeners.add(socket)
        try:
            await socket.send_json({"action": "ping", "event": {}})
            async for message in socket:
                assert message.type is WSMsgType.TEXT
        finally:
            listeners.discard(socket)
        return socket

    def _template(self, parts: list[str]) -> web.Response:
        if len(parts) == 1:
            return web.json_response(self.templates)
        found = [template for template in self.templates if template["template_id"] == parts[1]]
        return web.json_response(found[0]) if found else refusal(404, "Template not found")

    async def _project(self, method: str, parts: list[str], user: str, body: Any) -> web.Response:
        if len(parts) == 1 and method == "GET":
            return web.json_response([p.shape for p in self.projects.values() if user not in p.hidden_from])
        if len(parts) == 1:
            project = self.add_project(**body)
            return web.json_response(project.shape, status=201)
        project = self.projects.get(parts[1])
        if project is None:
            return refusal(404, f"Project ID {parts[1]} doesn't exist")
        if user in project.hidden_from:
            return refusal(403, "Permission denied (privilege Project.Audit is required)")
        if len(parts) == 2 and method == "DELETE":
            return await self._delete(project)
        if len(parts) == 3 and parts[2] in ("open", "close"):
            project.shape["status"] = "opened" if parts[2] == "open" else "closed"
            await self.tell(f"project.{project.shape['status']}", project.shape)
            return web.json_response(project.shape, status=201) if parts[2] == "open" else web.Response(status=204)
        if len(parts) == 2:
            return web.json_response(project.shape)
        return self._content(method, project, parts[2:], body)

    async def _delete(self, project: Project) -> web.Response:
        del self.projects[project.id]
        await self.tell("project.deleted", project.shape)
        return web.Response(status=204)

    def _content(self, method: str, project: Project, parts: list[str], body: Any) -> web.Response:
        kind = project.links if parts[0] == "links" else project.nodes
        if parts[0] == "snapshots":
            if any(found["status"] == "started" for found in project.nodes.values()):
                return refusal(409, "Nodes must be stopped before a snapshot is taken")
            made = {"snapshot_id": str(uuid.uuid4()), "project_id": project.id, "created_at": 1767225600, **body}
            return web.json_response(made, status=201)
        if parts[0] == "templates":
            template = next(t for t in self.templates if t["template_id"] == parts[1])
            made = node(f"{template['name']}-1", template["template_type"], project_id=project.id)
            project.nodes[made["node_id"]] = made
            return web.json_response(made, status=201)
        if len(parts) == 1 and method == "POST":
            link_id = str(uuid.uuid4())
            kind[link_id] = {**body, "link_id": link_id, "project_id": project.id, "link_type": "ethernet"}
            return web.json_response(kind[link_id], status=201)
        if len(parts) == 1:
            return web.json_response(list(kind.values()))
        found = kind.get(parts[1])
        if found is None:
            return refusal(404, f"{parts[0]} {parts[1]} not found")
        if len(parts) == 3:
            found["status"] = {"start": "started", "stop": "stopped", "suspend": "suspended"}[parts[2]]
            return web.Response(status=204)
        if method == "DELETE":
            del kind[parts[1]]
            return web.Response(status=204)
        found.update(body or {})
        return web.json_response(found)


def refusal(status: int, message: str) -> web.Response:
    return web.json_response({"message": message}, status=status)


def refuse(status: int, message: str = "refused for the test") -> Fault:
    async def answer(_: web.Request) -> web.StreamResponse:
        return refusal(status, message)

    return answer


def silence(seconds: float) -> Fault:
    async def answer(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return refusal(500, "too late")

    return answer


def says(text: str, status: int = 200, **headers: str) -> Fault:
    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(text=text, status=status, headers=headers)

    return answer
