"""Runs the server as a process: the loop, the port, server.json, signals, and an orderly end."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import re
import signal
import sys
from collections.abc import Callable
from typing import Any

import filelock
from aiohttp import web
from aiohttp.abc import AbstractAccessLogger

from copilot_ws import __version__
from copilot_ws.app import create_app, local_token, prepare_data_dir
from copilot_ws.settings import Settings, WrongSetting
from copilot_ws.store.files import write_secret

log = logging.getLogger(__name__)

_SECRETS = re.compile(r"(\w*token=|Bearer\s+)[^\s&\"'<>]+", re.IGNORECASE)


class RedactingFormatter(logging.Formatter):
    """No token reaches the log, whoever writes the line."""

    def format(self, record: logging.LogRecord) -> str:
        return _SECRETS.sub(r"\1[hidden]", super().format(record))


class AccessLogger(AbstractAccessLogger):
    """One line a request, without its query."""

    @property
    def enabled(self) -> bool:
        return self.logger.isEnabledFor(logging.DEBUG)

    def log(self, request: web.BaseRequest, response: web.StreamResponse, time: float) -> None:
        self.logger.debug("%s %s %s %.3f s", request.method, request.path, response.status, time)


def set_up_logging(level: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(RedactingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("copilot_ws").setLevel(level.upper())
    logging.getLogger("aiohttp.access").setLevel(level.upper())


def serve(settings: Settings, announce: Callable[[str], None]) -> int:
    """Serves until SIGTERM or SIGINT; the exit code. `announce` gets the URL to open. Raises `WrongSetting`."""
    set_up_logging(settings.log_level)
    prepare_data_dir(settings)
    lock = filelock.FileLock(settings.lock_file)
    try:
        with lock.acquire(blocking=False), asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(_serve(settings, announce))
    except filelock.Timeout:
        raise WrongSetting(
            f"COPILOT_WS_DATA_DIR: a server uses {settings.data_dir} already{_running_at(settings)}"
        ) from None
    return 0


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def _running_at(settings: Settings) -> str:
    try:
        url = json.loads((settings.data_dir / "server.json").read_text())["url"]
    except (OSError, ValueError, KeyError):
        return ""
    return f", at {url}"


async def _serve(settings: Settings, announce: Callable[[str], None]) -> None:
    stop = _stop_signal()
    app = create_app(settings)
    runner = web.AppRunner(app, access_log_class=AccessLogger, shutdown_timeout=1.0, auto_decompress=False)
    ready = settings.data_dir / "server.json"
    try:
        await runner.setup()
        await _listen(runner, settings)
        url = _url(runner, settings)
        token = local_token(settings) if settings.auth == "local" else ""
        info = {"url": url, "token": token, "pid": os.getpid(), "version": __version__}
        write_secret(ready, json.dumps(info))
        _settle_memory()
        announce(f"{url}/?token={token}" if token else f"{url}/")
        await stop.wait()
        log.info("stopping")
    finally:
        await runner.cleanup()
        ready.unlink(missing_ok=True)


async def _listen(runner: web.AppRunner, settings: Settings) -> None:
    try:
        await web.TCPSite(runner, settings.host, settings.port).start()
    except OSError as fault:
        name = "PORT" if settings.port else "HOST"
        where = f"{settings.host}:{settings.port}"
        raise WrongSetting(f"COPILOT_WS_{name}: cannot listen on {where}: {os.strerror(fault.errno or 0)}") from None


def _url(runner: web.AppRunner, settings: Settings) -> str:
    port = runner.addresses[0][1]
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "": "127.0.0.1"}.get(settings.host, settings.host)
    return f"http://{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{port}"


def _stop_signal() -> asyncio.Event:
    """Set by the first SIGTERM or SIGINT; a further one does not hurry, the grace time is short."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def told(*_: Any) -> None:
        loop.call_soon_threadsafe(stop.set)

    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # Windows
            signal.signal(number, told)
    return stop


def _settle_memory() -> None:
    """Measured: a full collection takes 73 ms with everything imported, about none once that is frozen."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
