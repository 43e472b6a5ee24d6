"""A real GNS3 server as a lab: projects, nodes and links by its API v3, on behalf of each caller."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from copilot_ws.labs.base import Caller, Link, Listener, Node, Plug, Project, Snapshot, Template
from copilot_ws.labs.gns3.api import Access, Gns3Api
from copilot_ws.labs.gns3.credentials import Credentials
from copilot_ws.labs.gns3.http import Gns3Http
from copilot_ws.labs.gns3.nodes import Nodes
from copilot_ws.labs.gns3.shapes import (
    Json,
    checked_id,
    label,
    link_of,
    made,
    made_all,
    project_of,
    snapshot_of,
    template_of,
)
from copilot_ws.labs.gns3.watch import Watch
from copilot_ws.labs.gns3.watch_tokens import WatchTokens
from copilot_ws.labs.ports import Place, free_port
from copilot_ws.wire.errors import Conflict, CopilotError, InvalidArgument, LabError, ProjectNotOpened
from copilot_ws.wire.tasks import TaskSet

CLOSE_SECONDS: Final = 5.0
NAME_MAX: Final = 255
EVERYWHERE: Final = ("", "0.0.0.0", "::", "0:0:0:0:0:0:0:0")
LOCAL_COMPUTE: Final = "local"

T = TypeVar("T")


class Gns3Lab:
    """Implements `Lab`. `shared`: all callers speak by one account, so that what one may see, all may see."""

    def __init__(self, http: Gns3Http, credentials: Credentials, watching: WatchTokens, *, shared: bool) -> None:
        self._http = http
        self._api = Gns3Api(http, credentials)
        self._access = Access(self._api)
        self._nodes = Nodes()
        self._watch = Watch(http, watching, self._nodes.of, self._access.forget)
        self._shared = shared
        self._changes = TaskSet()

    async def start(self) -> None:
        self._watch.start()

    async def close(self) -> None:
        """GNS3 and its devices go on; what was asked of it last gets some seconds to be done."""
        await self._changes.drain(CLOSE_SECONDS)
        await self._watch.close()

    def listen(self, listener: Listener) -> None:
        self._watch.listen(listener)

    def attend(self, caller: Caller, project: Project) -> None:
        self._watch.attend(caller, project)

    # consoles

    def console_host(self, node: Node) -> str:
        """Where the node's console is reached; a compute that listens everywhere is where the controller is."""
        return self._http.endpoint.host if node.console_host in EVERYWHERE else node.console_host

    def saw_prompt(self, node: Node, prompt: str) -> None:
        """What the node's console shows tells which command line it speaks."""
        self._nodes.saw_prompt(node.node_id, prompt)

    # projects

    async def projects(self, caller: Caller) -> list[Project]:
        return made_all(project_of, await self._api.ask(caller, "GET", "projects"))

    async def project(self, caller: Caller, project_id: str) -> Project:
        """While GNS3 is away, what is in use stays readable for those who all speak by one account."""
        try:
            return await self._access.project(caller, project_id)
        except LabError:
            known = self._watch.attended(project_id) if self._shared else None
            if known is None:
                raise
            return known

    async def create_project(self, caller: Caller, name: str) -> Project:
        """A new, empty, open project. Its runs need no listener, so it does not close when the last one goes."""
        _check_name(name)
        raw = await self._change(caller, "POST", "projects", {"name": name, "auto_close": False})
        project = made(project_of, raw)
        if project.status != "opened":
            project = await self.open_project(caller, project.project_id)
        self._watch.tell_project(project)
        return project

    async def open_project(self, caller: Caller, project_id: str) -> Project:
        raw = await self._change(caller, "POST", f"{_at(project_id)}/open", {})
        project = made(project_of, raw)
        self._watch.tell_project(project)
        return project

    async def close_project(self, caller: Caller, project_id: str) -> Project:
        await self._change(caller, "POST", f"{_at(project_id)}/close", {})
        project = made(project_of, await self._api.ask(caller, "GET", _at(project_id)))
        self._watch.tell_project(project)
        return project

    async def delete_project(self, caller: Caller, project_id: str) -> None:
        project = await self.project(caller, project_id)
        await self._change(caller, "DELETE", _at(project_id))
        self._watch.tell_project(project.model_copy(update={"status": "closed"}), deleted=True)

    # nodes and links

    async def nodes(self, caller: Caller, project_id: str) -> list[Node]:
        raw = await self._api.ask(caller, "GET", f"{_at(project_id)}/nodes")
        if made(self._nodes.unknown_templates, raw):
            await self._learn_templates(caller, raw)
        return made_all(self._nodes.of, raw)

    async def _learn_templates(self, caller: Caller, nodes: list[Json]) -> None:
        """Templates only help to guess a platform: who may not see them gets a coarser guess."""
        try:
            raw = await self._api.ask(caller, "GET", "templates")
        except CopilotError:
            raw = []
        self._nodes.learn_templates(raw or [], nodes)

    async def links(self, caller: Caller, project_id: str) -> list[Link]:
        return made_all(link_of, await self._api.ask(caller, "GET", f"{_at(project_id)}/links"))

    async def configuration(self, caller: Caller, project_id: str, node_id: str) -> None:
        return None

    async def templates(self, caller: Caller) -> list[Template]:
        return made_all(template_of, await self._api.ask(caller, "GET", "templates"))

    async def create_node(
        self, caller: Caller, project_id: str, template_id: str, name: str | None, x: int, y: int
    ) -> Node:
        """GNS3 3.0 makes the name itself whatever is asked: a wanted one is set by a second call."""
        return await self._carry(self._create_node(caller, project_id, template_id, name, x, y), "create node")

    async def _create_node(
        self, caller: Caller, project_id: str, template_id: str, name: str | None, x: int, y: int
    ) -> Node:
        await self._check_opened(caller, project_id)
        path = f"templates/{checked_id(template_id, 'template')}"
        template = made(template_of, await self._api.ask(caller, "GET", path))
        wanted: Json = {"x": x, "y": y}
        if getattr(template, "compute_id", None) is None:
            wanted["compute_id"] = LOCAL_COMPUTE
        if name is not None:
            wanted["name"] = name
        raw = await self._api.ask(caller, "POST", f"{_at(project_id)}/{path}", wanted, slow=True)
        node = made(self._nodes.of, raw)
        return node if name in (None, node.name) else await self._named(caller, node, name or "")

    async def _named(self, caller: Caller, node: Node, name: str) -> Node:
        """A name that is taken, or not allowed, leaves the node the name that it has."""
        try:
            return await self._rename(caller, node.project_id, node.node_id, name)
        except (Conflict, InvalidArgument):
            return node

    async def start_node(self, caller: Caller, project_id: str, node_id: str) -> Node:
        return await self._to(caller, project_id, node_id, "start", "started")

    async def stop_node(self, caller: Caller, project_id: str, node_id: str) -> Node:
        return await self._to(caller, project_id, node_id, "stop", "stopped")

    async def suspend_node(self, caller: Caller, project_id: str, node_id: str) -> Node:
        return await self._to(caller, project_id, node_id, "suspend", "suspended")

    async def rename_node(self, caller: Caller, project_id: str, node_id: str, name: str) -> Node:
        await self._check_opened(caller, project_id)
        return await self._carry(self._rename(caller, project_id, node_id, name), "rename node")

    async def _rename(self, caller: Caller, project_id: str, node_id: str, name: str) -> Node:
        raw = await self._api.ask(caller, "PUT", _node_at(project_id, node_id), {"name": name}, slow=True)
        return made(self._nodes.of, raw)

    async def delete_node(self, caller: Caller, project_id: str, node_id: str) -> None:
        await self._check_opened(caller, project_id)
        await self._change(caller, "DELETE", _node_at(project_id, node_id))

    async def create_link(self, caller: Caller, project_id: str, ends: tuple[Plug, Plug]) -> Link:
        await self._check_opened(caller, project_id)
        nodes = {node.node_id: node for node in await self.nodes(caller, project_id)}
        links = await self.links(caller, project_id)
        body = {"nodes": [_end(nodes, links, plug) for plug in ends]}
        return made(link_of, await self._change(caller, "POST", f"{_at(project_id)}/links", body))

    async def delete_link(self, caller: Caller, project_id: str, link_id: str) -> None:
        await self._check_opened(caller, project_id)
        await self._change(caller, "DELETE", f"{_at(project_id)}/links/{checked_id(link_id, 'link')}")

    async def snapshot(self, caller: Caller, project_id: str, name: str) -> Snapshot:
        """GNS3 takes one only while no node runs."""
        await self._check_opened(caller, project_id)
        raw = await self._change(caller, "POST", f"{_at(project_id)}/snapshots", {"name": name})
        return made(snapshot_of, raw)

    # details

    async def _check_opened(self, caller: Caller, project_id: str) -> None:
        project = await self._access.project(caller, project_id)
        if project.status != "opened":
            raise ProjectNotOpened(f"Project must be opened. Current status: {project.status}")

    async def _to(self, caller: Caller, project_id: str, node_id: str, verb: str, state: str) -> Node:
        """A node that is in this state already is left alone."""
        await self._check_opened(caller, project_id)
        path = _node_at(project_id, node_id)
        node = made(self._nodes.of, await self._api.ask(caller, "GET", path))
        if node.status == state:
            return node
        await self._change(caller, "POST", f"{path}/{verb}", {})
        return made(self._nodes.of, await self._api.ask(caller, "GET", path))

    async def _change(self, caller: Caller, method: str, path: str, body: Any = None) -> Any:
        """Goes to its end, also when its caller is cancelled: what GNS3 was asked for, it does."""
        return await self._carry(self._api.ask(caller, method, path, body, slow=True), f"{method} {path}")

    async def _carry(self, work: Coroutine[Any, Any, T], name: str) -> T:
        return await self._changes.carry(work, name=name)


def _at(project_id: str) -> str:
    return f"projects/{checked_id(project_id, 'project')}"


def _node_at(project_id: str, node_id: str) -> str:
    return f"{_at(project_id)}/nodes/{checked_id(node_id, 'node')}"


def _end(nodes: dict[str, Node], links: list[Link], plug: Plug) -> Json:
    node = nodes.get(checked_id(plug.node_id, "node"))
    if node is None:
        raise InvalidArgument("No such node.")
    used: set[Place] = {
        (end.adapter_number, end.port_number) for link in links for end in link.nodes if end.node_id == node.node_id
    }
    port = free_port(node.name, node.ports, used, plug.port)
    return {
        "node_id": node.node_id,
        "adapter_number": port.adapter_number,
        "port_number": port.port_number,
        "label": label(port),
    }


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > NAME_MAX or not name.isprintable():
        message = f"A project's name has 1 to {NAME_MAX} printable characters."
        raise InvalidArgument(message, {"field": "name"})
