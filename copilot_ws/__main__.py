"""The command line: `copilot-ws serve` and `copilot-ws chat`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from copilot_ws import __version__
from copilot_ws.settings import WrongSetting, default_data_dir, load_settings

if TYPE_CHECKING:
    from copilot_ws.store.audit import Verified


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="copilot-ws", description="An LLM copilot for GNS3 labs.")
    parser.add_argument("--version", action="version", version=f"copilot-ws {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", help="run the server and its page")
    serve.add_argument("--host", help="address to listen on (default 127.0.0.1)")
    serve.add_argument("--port", type=int, help="port to listen on, 0: a free one (default 8765)")
    serve.add_argument("--data-dir", type=Path, help="where everything is kept (default ~/.copilot-ws)")
    serve.add_argument("--lab", help="local: the embedded lab (default); gns3: a GNS3 server")
    serve.add_argument("--gns3-url", help="the GNS3 server (default http://127.0.0.1:3080)")
    serve.add_argument("--auth", help="local: one user (default); jwt: many, by HS256 tokens; gns3: GNS3's users")
    chat = commands.add_parser("chat", help="ask the copilot from a terminal")
    chat.add_argument("--url", help="the server's URL, as it prints it (default: the one in the data directory)")
    chat.add_argument("--project", metavar="ID|NAME", help="the project (default: demo)")
    chat.add_argument("--session", metavar="ID", help="the conversation to go on with (default: a new one)")
    chat.add_argument("--undo", metavar="RUN", help="a run of --session: take back what it changed")
    chat.add_argument("--data-dir", type=Path, help="the server's data directory (default ~/.copilot-ws)")
    words = "what to ask; - reads it from standard input; none: follow what runs or waits in the conversation"
    chat.add_argument("message", nargs="*", metavar="MESSAGE", help=words)
    audit = commands.add_parser("audit", help="check the log of what was asked, decided and done")
    audit.add_argument("action", choices=["verify"], help="verify: follow every chain of hashes")
    audit.add_argument("--data-dir", type=Path, help="the server's data directory (default ~/.copilot-ws)")
    beside = "a folder of projects instead: GNS3's, where conversations lie beside them"
    audit.add_argument("--projects", type=Path, metavar="DIR", help=beside)
    rotate = commands.add_parser("rotate-key", help="encrypt the stored API keys with a new key; the server is stopped")
    rotate.add_argument("--data-dir", type=Path, help="the server's data directory (default ~/.copilot-ws)")
    return parser


def _rotate(options: argparse.Namespace) -> int:
    """The new key is COPILOT_WS_SECRET_KEY, else a new one of its own. Raises `WrongSetting`."""
    from copilot_ws.store.keys import rotate

    settings = load_settings(data_dir=options.data_dir)
    count = rotate(settings)
    where = "COPILOT_WS_SECRET_KEY" if settings.secret_key.get_secret_value() else "a new key in secret.key"
    print(f"{count} stored API {'key is' if count == 1 else 'keys are'} now encrypted with {where}.")
    return 0


def _audit(options: argparse.Namespace) -> int:
    """0: every chain is whole; 1: one is not, or could not be read. Raises `WrongSetting`."""
    from copilot_ws.store.verify import verify_all

    projects = _projects_of(options)
    broken = [_tell_state(project_id, found) for project_id, found in verify_all(projects)]
    if not broken:
        print(f"There are no conversations below {projects}. Those of GNS3's projects may lie beside them: --projects")
    return 1 if any(broken) else 0


def _tell_state(project_id: str, found: Verified | str) -> bool:
    """Whether something is wrong."""
    faults = [found] if isinstance(found, str) else found.faults
    if not isinstance(found, str):
        counted = f"sessions: {found.sessions}, rows: {found.rows}, deleted sessions: {found.deletions}"
        print(f"{project_id}: {'whole' if not faults else 'BROKEN'} ({counted})")
    for fault in faults:
        print(f"{project_id}: {fault}")
    return bool(faults)


def _projects_of(options: argparse.Namespace) -> Path:
    """Raises `WrongSetting` where there is no such folder: a mistyped one is not a clean bill of health."""
    if options.projects is not None and not options.projects.is_dir():
        raise WrongSetting(f"--projects: there is no folder {options.projects}")
    kept: Path = (options.data_dir or default_data_dir()) / "projects"
    if options.projects is None and not kept.is_dir():
        raise WrongSetting(f"COPILOT_WS_DATA_DIR: no server has kept anything in {kept.parent}")
    return options.projects or kept


def _serve(options: argparse.Namespace) -> int:
    names = ("host", "port", "data_dir", "lab", "gns3_url", "auth")
    settings = load_settings(**{name: getattr(options, name) for name in names})
    from copilot_ws.serve import serve  # after the settings: a wrong one is told at once

    return serve(settings, lambda url: print(url, flush=True))


def _chat(options: argparse.Namespace) -> int:
    from copilot_ws.terminal.chat import ChatOptions, run_chat

    data_dir = options.data_dir or default_data_dir()
    message = " ".join(options.message) if options.message else None
    where = (options.url, options.project, options.session)
    return run_chat(ChatOptions(message, *where, None, data_dir, options.undo))


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return {"serve": _serve, "chat": _chat, "audit": _audit, "rotate-key": _rotate}[options.command](options)
    except WrongSetting as wrong:
        print(wrong, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
