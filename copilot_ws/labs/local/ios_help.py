"""What `?` and Tab show at an IOS-like prompt."""

from __future__ import annotations

import re

from copilot_ws.labs.cli.ios_exec import EXEC
from copilot_ws.labs.cli.tree import PRIVILEGED, Ambiguous, Fault, Node, complete, help_rows
from copilot_ws.labs.local.ios_configure import Configurator

_DO = re.compile(r"\s*do\s+", re.I)
_UNKNOWN = "% Unrecognized command\n"


def help_text(config: Configurator | None, level: int, line: str) -> str:
    """What may come next, or what the unfinished last word of `line` may become."""
    tree, level, start = _grammar(config, level, line)
    try:
        rows = help_rows(tree, line[start:], level)
    except Ambiguous:
        return f'% Ambiguous command:  "{line}"\n'
    except Fault:
        return _UNKNOWN
    if not rows:
        return _UNKNOWN
    if line and not line[-1].isspace():
        return "  ".join(word for word, _ in rows) + "\n\n"
    width = max(len(word) for word, _ in rows)
    return "".join(f"  {word:<{width}}  {text}".rstrip() + "\n" for word, text in rows) + "\n"


def completed(config: Configurator | None, level: int, line: str) -> str:
    """`line` with its last word spelled out, if that is one keyword."""
    tree, level, start = _grammar(config, level, line)
    return line[:start] + complete(tree, line[start:], level)


def _grammar(config: Configurator | None, level: int, line: str) -> tuple[tuple[Node, ...], int, int]:
    """The commands that `line` is one of, the level they are seen with, and where they begin in it."""
    if config is None:
        return EXEC, level, 0
    if (do := _DO.match(line)) is not None:
        return EXEC, PRIVILEGED, do.end()
    return config.tree, PRIVILEGED, 0
