"""Projects, nodes and links of the lab, in GNS3's own names and shapes; who am I."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field, StringConstraints

from copilot_ws.commands.registry import LabCommand, LabContext, Route
from copilot_ws.labs.base import Shape
from copilot_ws.wire.errors import NotFound
from copilot_ws.wire.models import Request


class Nothing(Request):
    pass


class OneProject(Request):
    project_id: str


class NewProject(Request):
    """GNS3 clients send more than the name: what this lab does not know is ignored."""

    model_config = ConfigDict(extra="ignore")

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=255)]


class NewSnapshot(OneProject):
    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=255)]


class Tail(OneProject):
    node_id: str
    lines: int = Field(50, ge=1, le=1000)


def _json(shape: Shape) -> dict[str, Any]:
    return shape.model_dump(mode="json")


async def list_projects(context: LabContext, _: Nothing) -> list[dict[str, Any]]:
    return [_json(project) for project in await context.system.lab.projects(context.caller)]


async def create(context: LabContext, arguments: NewProject) -> dict[str, Any]:
    return _json(await context.system.lab.create_project(context.caller, arguments.name))


async def get(context: LabContext, arguments: OneProject) -> dict[str, Any]:
    return _json(await context.system.lab.project(context.caller, arguments.project_id))


async def open_project(context: LabContext, arguments: OneProject) -> dict[str, Any]:
    return _json(await context.system.lab.open_project(context.caller, arguments.project_id))


async def close_project(context: LabContext, arguments: OneProject) -> dict[str, Any]:
    """Answers once the project's runs have ended and its database is closed."""
    found = await context.system.lab.close_project(context.caller, arguments.project_id)
    await context.system.workspaces.settled(found.project_id)
    return _json(found)


async def delete(context: LabContext, arguments: OneProject) -> None:
    """Closes the project first, so that nothing is in use when its files go."""
    system = context.system
    closed = await system.lab.close_project(context.caller, arguments.project_id)
    await system.workspaces.settled(closed.project_id)
    system.consoles.forget(node.node_id for node in await system.lab.nodes(context.caller, closed.project_id))
    await system.lab.delete_project(context.caller, closed.project_id)
    await system.workspaces.settled(closed.project_id)


async def nodes(context: LabContext, arguments: OneProject) -> list[dict[str, Any]]:
    return [_json(node) for node in await context.system.lab.nodes(context.caller, arguments.project_id)]


async def links(context: LabContext, arguments: OneProject) -> list[dict[str, Any]]:
    return [_json(link) for link in await context.system.lab.links(context.caller, arguments.project_id)]


async def topology(context: LabContext, arguments: OneProject) -> dict[str, Any]:
    project = await get(context, arguments)
    return {
        "project": project,
        "nodes": await nodes(context, arguments),
        "links": await links(context, arguments),
    }


async def snapshot(context: LabContext, arguments: NewSnapshot) -> dict[str, Any]:
    return _json(await context.system.lab.snapshot(context.caller, arguments.project_id, arguments.name))


async def console_tail(context: LabContext, arguments: Tail) -> dict[str, Any]:
    """`{node_id, lines}`: what the copilot's driver last saw on that console, oldest first."""
    found = await context.system.lab.nodes(context.caller, arguments.project_id)
    if all(node.node_id != arguments.node_id for node in found):
        raise NotFound("There is no such node.")
    return {
        "node_id": arguments.node_id,
        "lines": context.system.consoles.tail(arguments.node_id, arguments.lines),
    }


async def me(context: LabContext, _: Nothing) -> dict[str, Any]:
    return await context.system.users.me(context.caller)


ONE = "/v3/projects/{project_id}"
COMMANDS = (
    LabCommand(Nothing, me, Route("GET", "/v3/access/users/me")),
    LabCommand(Nothing, list_projects, Route("GET", "/v3/projects")),
    LabCommand(NewProject, create, Route("POST", "/v3/projects", 201)),
    LabCommand(OneProject, get, Route("GET", ONE)),
    LabCommand(OneProject, delete, Route("DELETE", ONE, 204)),
    LabCommand(OneProject, open_project, Route("POST", f"{ONE}/open")),
    LabCommand(OneProject, close_project, Route("POST", f"{ONE}/close")),
    LabCommand(OneProject, nodes, Route("GET", f"{ONE}/nodes")),
    LabCommand(OneProject, links, Route("GET", f"{ONE}/links")),
    LabCommand(OneProject, topology, Route("GET", f"{ONE}/topology")),
    LabCommand(NewSnapshot, snapshot, Route("POST", f"{ONE}/snapshots", 201)),
    LabCommand(Tail, console_tail, Route("GET", f"{ONE}/nodes/{{node_id}}/console-tail")),
)
