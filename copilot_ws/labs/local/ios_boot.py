"""How an IOS-like router starts: from its saved configuration."""

from __future__ import annotations

from copilot_ws.labs.cli.ios_config import INTERFACE
from copilot_ws.labs.cli.tree import Fault
from copilot_ws.labs.local.ios_configure import Configurator
from copilot_ws.labs.local.render import configuration
from copilot_ws.labs.local.router import Refused, Router, bare_router


def power_on_state(node_id: str, number: int, startup: str) -> tuple[Router, list[str]]:
    """A router as it boots from `startup`, and the lines of it that it does not know.

    `number`, unique in its project, gives the hardware addresses.
    """
    router = bare_router(node_id, number)
    router.startup = startup
    unknown = _load(router, startup)
    router.saved = configuration(router)
    return router, unknown


def _load(router: Router, text: str) -> list[str]:
    """Applies a saved configuration; a saved interface without `shutdown` is up: so it is written."""
    editor = Configurator(router, method="NVRAM")
    unknown: list[str] = []
    for raw in text.splitlines():
        line = raw.strip()
        if editor.wants_text:
            editor.add_text(raw)
        elif line and not line.startswith("!") and line != "end" and not _applied(editor, line):
            unknown.append(line)
        elif editor.place.mode == INTERFACE and line.startswith("interface "):
            router.stack.interfaces[editor.place.interface].enabled = True
    return unknown


def _applied(editor: Configurator, line: str) -> bool:
    try:
        editor.apply(line)
    except (Fault, Refused):
        return False
    return True
