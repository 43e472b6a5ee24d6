"""A server's process, forked from one that has the packages loaded: that takes 2.3 of the 2.6 s of CPU of a start."""

from __future__ import annotations

import multiprocessing
import os
import sys
from multiprocessing.connection import Connection
from pathlib import Path

_METHODS = multiprocessing.get_all_start_methods()
FORKS = multiprocessing.get_context("forkserver" if "forkserver" in _METHODS else "spawn")
FORKS.set_forkserver_preload(["copilot_ws.serve", "copilot_ws.agent.providers.openai"])


def serve_in(data_dir: Path, environment: dict[str, str], announced: Connection) -> None:
    """The process, as `copilot-ws serve --port 0`: it sends its URL once it accepts connections, and logs to nobody."""
    os.environ.clear()
    os.environ.update(environment)
    from copilot_ws.serve import serve
    from copilot_ws.settings import load_settings

    with open(os.devnull, "w") as sys.stderr:
        sys.exit(serve(load_settings(port=0, data_dir=data_dir), announced.send))
