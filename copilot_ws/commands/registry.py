"""The one table of what a client can ask for: each command's schema, handler, and where REST has it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pydantic import BaseModel

from copilot_ws.agent.choice import ModelChoice
from copilot_ws.core.workspace import Workspace
from copilot_ws.core.workspaces import Workspaces
from copilot_ws.labs.base import Caller, Lab
from copilot_ws.labs.console import Consoles
from copilot_ws.settings import Settings
from copilot_ws.store.model_configs import ModelConfigStore
from copilot_ws.wire.models import Request

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]


class Users(Protocol):
    async def me(self, caller: Caller) -> dict[str, Any]:
        """`{user_id, username, ...}`."""


@dataclass(frozen=True, slots=True)
class System:
    """The running server, as commands see it."""

    settings: Settings
    users: Users
    lab: Lab
    consoles: Consoles
    workspaces: Workspaces
    model_configs: ModelConfigStore
    choice: ModelChoice


@dataclass(frozen=True, slots=True)
class ChatContext:
    """Who asks, and in which open project."""

    system: System
    caller: Caller
    workspace: Workspace

    @property
    def user_id(self) -> str:
        return self.caller.user_id


@dataclass(frozen=True, slots=True)
class LabContext:
    """Who asks, outside of any chat."""

    system: System
    caller: Caller


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer with headers that REST adds; the socket sends `value` as it is."""

    value: Any
    rest_value: Any
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Route:
    """Where REST has a command. `{name}` parts of the path become arguments, `fixed` ones are added.

    `status` 204 sends no body.
    """

    method: Method
    path: str
    status: int = 200
    fixed: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChatCommand:
    """A command of the socket; its routes stand below the chat prefix of a project."""

    name: str
    schema: type[BaseModel]
    handler: Callable[[ChatContext, Any], Awaitable[Any]]
    routes: tuple[Route, ...] = ()


@dataclass(frozen=True, slots=True)
class LabCommand:
    """A REST call outside of the chat (GNS3's own names and shapes)."""

    schema: type[Request]
    handler: Callable[[LabContext, Any], Awaitable[Any]]
    route: Route


def by_name(commands: Iterable[ChatCommand]) -> dict[str, ChatCommand]:
    found: dict[str, ChatCommand] = {}
    for command in commands:
        assert command.name not in found, f"two commands are named {command.name}"
        found[command.name] = command
    return found
