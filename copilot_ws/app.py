"""Puts the server together: the only module that knows every floor."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

from aiohttp import web
from yarl import URL

from copilot_ws.agent.addresses import AllowedHosts
from copilot_ws.agent.agent import LangGraphAgent
from copilot_ws.agent.choice import ModelChoice
from copilot_ws.agent.models import ModelConfig
from copilot_ws.agent.pool import Models
from copilot_ws.commands.registry import System
from copilot_ws.core.callers import Callers
from copilot_ws.core.parts import Parts
from copilot_ws.core.workspace import Limits
from copilot_ws.core.workspaces import Workspaces
from copilot_ws.labs.base import Caller, Lab, Project, ProjectChanged
from copilot_ws.labs.console import ConsoleLimits, Consoles
from copilot_ws.labs.gns3 import Account, CallersOwn, Endpoint, Gns3Http, Gns3Lab
from copilot_ws.labs.gns3.tls import checked_by
from copilot_ws.labs.gns3.watch_tokens import OfAccount, OfUsers
from copilot_ws.labs.local import LocalLab
from copilot_ws.settings import Settings, WrongSetting
from copilot_ws.store.audit import AuditStore
from copilot_ws.store.copies import CopyStore
from copilot_ws.store.database import NAME, Database, connect
from copilot_ws.store.files import write_secret
from copilot_ws.store.model_configs import ModelConfigStore
from copilot_ws.store.runs import RunStore
from copilot_ws.store.sessions import SessionStore
from copilot_ws.transport import export, pages, rest, sse, websocket
from copilot_ws.transport.auth import LOCAL_USER, Authenticator, JwtAuthenticator, LocalAuthenticator, Remembering
from copilot_ws.transport.connections import Connections
from copilot_ws.transport.gns3_users import Gns3Users
from copilot_ws.transport.keys import AUTHENTICATOR, CONNECTIONS, SYSTEM
from copilot_ws.wire.errors import LabError

CHAT_FOLDER = "gns3-copilot"

log = logging.getLogger(__name__)


def local_token(settings: Settings) -> str:
    """The token of `--auth local`, made once and kept in the data directory (mode 0600)."""
    path = settings.data_dir / "token"
    if path.exists() and (token := path.read_text().strip()):
        return token
    token = secrets.token_urlsafe(32)
    write_secret(path, token)
    return token


def prepare_data_dir(settings: Settings) -> None:
    """Raises `WrongSetting` if the data directory cannot be used."""
    try:
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        settings.projects_dir.mkdir(exist_ok=True)
    except OSError as fault:
        raise WrongSetting(f"COPILOT_WS_DATA_DIR: {fault.strerror}: {settings.data_dir}") from None
    if not os.access(settings.data_dir, os.W_OK):
        raise WrongSetting(f"COPILOT_WS_DATA_DIR: cannot be written: {settings.data_dir}")


def _chat_folders(settings: Settings, project: Project) -> list[Path]:
    """Where a project's chat data may live: beside its files, else in the data directory."""
    return [Path(project.path) / CHAT_FOLDER, settings.projects_dir / project.project_id / CHAT_FOLDER]


def _chat_folder(settings: Settings, project: Project) -> Path:
    beside, own = _chat_folders(settings, project)
    usable = beside.is_absolute() and beside.parent.is_dir() and os.access(beside.parent, os.W_OK)
    return beside if usable else own


def _remove_chat(settings: Settings, project: Project) -> None:
    for folder in _chat_folders(settings, project):
        if folder.is_absolute():
            shutil.rmtree(folder, ignore_errors=True)


class Server:
    """The parts of one server, and how a project's workspace is made of them."""

    def __init__(self, settings: Settings, lab: Lab) -> None:
        self.settings = settings
        self.lab = lab
        limits = ConsoleLimits(output=settings.max_tool_output)
        self.consoles = Consoles(limits, lab.console_host, lab.saw_prompt)
        self.connections = Connections()
        self._models = Models()
        own = ModelConfig(
            settings.llm_provider,
            settings.llm_model,
            settings.llm_base_url,
            settings.llm_api_key.get_secret_value(),
            settings.llm_temperature,
            settings.llm_max_tokens,
            settings.llm_timeout,
            context_tokens=settings.llm_context_tokens,
        )
        self.model_configs = ModelConfigStore(settings.data_dir, settings.secret_key.get_secret_value())
        self.choice = ModelChoice(own, self.model_configs, _allowed_hosts(settings))
        sizes = Limits(
            settings.feed_events,
            settings.feed_bytes,
            settings.max_runs_per_user,
            settings.hitl_timeout,
            settings.title == "llm",
        )
        self.callers = Callers()
        self.workspaces = Workspaces(lab, self._assemble, self._discard, sizes, self.callers)
        self.workspaces.watch(self._project_changed)
        self._models.warm(own)

    async def _assemble(self, project: Project) -> Parts:
        folder = await asyncio.to_thread(_chat_folder, self.settings, project)
        database = await Database.open(folder)
        try:
            connection = await connect(database.path)
        except BaseException:
            await database.close()
            raise
        agent = LangGraphAgent(
            connection, self.lab, self.consoles, self._models, self.choice, self.settings.max_tool_output
        )

        async def close() -> None:
            try:
                await agent.close()
            finally:
                await database.close()

        try:
            await agent.setup()
        except BaseException:
            await close()
            raise
        sessions = SessionStore(database, project.project_id)
        runs = RunStore(database, project.project_id)
        copies = CopyStore(database)
        return Parts(agent, sessions, runs, AuditStore(database), copies, database.owned, close)

    async def _has_chat(self, project: Project) -> bool:
        folder = await asyncio.to_thread(_chat_folder, self.settings, project)
        return await asyncio.to_thread((folder / NAME).exists)

    async def _discard(self, project: Project) -> None:
        await asyncio.to_thread(_remove_chat, self.settings, project)

    def _project_changed(self, change: ProjectChanged) -> None:
        if change.deleted or change.project.status != "opened":
            word = "deleted" if change.deleted else "closed"
            self.connections.end_project(change.project.project_id, f"the project was {word}")

    async def keep_model_configs(self, _: web.Application) -> AsyncIterator[None]:
        """Raises `WrongSetting` if the stored keys are encrypted with another key."""
        await self.model_configs.open()
        yield
        await self.model_configs.close()

    async def run(self, _: web.Application) -> AsyncIterator[None]:
        """The lab lives as long as the application; what the last one left open is taken up."""
        await self.lab.start()
        if self.settings.auth != "gns3":  # there only its user can speak for a run: it is taken up when they come
            await self._take_up()
        yield
        await self.lab.close()
        await self._models.close()

    async def _take_up(self) -> None:
        try:
            await self.workspaces.recover(Caller(LOCAL_USER), self._has_chat)
        except LabError as away:
            log.warning("what the last run of the server left open is taken up when it is used: %s", away.message)

    async def shut_down(self, _: web.Application) -> None:
        """Sockets first, then the runs: they drain for half of the grace time, then are stopped."""
        grace = self.settings.shutdown_grace
        await self.connections.end_all(min(2.0, grace / 4))
        await self.workspaces.close("shutdown", grace / 2)


def _allowed_hosts(settings: Settings) -> AllowedHosts:
    try:
        return AllowedHosts.parse(settings.llm_allowed_hosts)
    except ValueError as fault:
        raise WrongSetting(f"COPILOT_WS_LLM_ALLOWED_HOSTS: {fault}") from None


def _gns3(settings: Settings) -> Gns3Http:
    try:
        tls = checked_by(settings.gns3_ca, settings.gns3_fingerprint)
    except OSError as fault:
        raise WrongSetting(f"COPILOT_WS_GNS3_CA: cannot be read: {fault.strerror or fault}") from None
    return Gns3Http(Endpoint(URL(settings.gns3_url), tls, settings.gns3_timeout))


def _lab(settings: Settings, gns3: Gns3Http) -> Lab:
    """With `--auth gns3` callers speak for themselves there, else by the server's own account."""
    if settings.lab == "local":
        return LocalLab(settings.data_dir)
    account = Account(gns3, settings.gns3_user, settings.gns3_password.get_secret_value())
    watching = OfAccount(account) if settings.has_gns3_account else OfUsers()
    if settings.auth == "gns3":
        return Gns3Lab(gns3, CallersOwn(), watching, shared=False)
    return Gns3Lab(gns3, account, watching, shared=True)


def _authenticator(settings: Settings, gns3: Gns3Http) -> Authenticator:
    if settings.auth == "gns3":
        return Gns3Users(gns3)
    if settings.auth == "jwt":
        return JwtAuthenticator(settings.jwt_secret.get_secret_value())
    return LocalAuthenticator(local_token(settings))


def create_app(settings: Settings) -> web.Application:
    """The server as an aiohttp application, for serving and for embedding. Raises `WrongSetting`."""
    prepare_data_dir(settings)
    gns3 = _gns3(settings)
    server = Server(settings, _lab(settings, gns3))
    authenticator = Remembering(_authenticator(settings, gns3), server.callers)
    app = web.Application(middlewares=[rest.errors, rest.authentication], client_max_size=settings.max_frame)
    app[SYSTEM] = System(
        settings, authenticator, server.lab, server.consoles, server.workspaces, server.model_configs, server.choice
    )
    app[AUTHENTICATOR] = authenticator
    if settings.auth == "local":
        server.callers.note(Caller(LOCAL_USER, local_token(settings)), None)
    app[CONNECTIONS] = server.connections
    app.cleanup_ctx.append(gns3.kept_open)
    app.cleanup_ctx.append(server.keep_model_configs)
    app.cleanup_ctx.append(server.run)
    app.on_shutdown.append(server.shut_down)
    rest.add_routes(app)
    sse.add_routes(app)
    export.add_routes(app)
    pages.add_routes(app)
    app.router.add_get("/v3/projects/{project_id}/chat/ws", websocket.handle)
    app.router.add_get("/v3/copilot/projects/{project_id}/chat/ws", websocket.handle)
    return app
