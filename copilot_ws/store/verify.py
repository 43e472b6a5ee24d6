"""Checks the audit logs of a data directory: every session's chain in every project's database."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from copilot_ws.store.audit import Verified, verify
from copilot_ws.store.database import NAME


def verify_all(projects: Path) -> Iterator[tuple[str, Verified | str]]:
    """(project id, what was found) for each project with chat data; a text says why it could not be read."""
    for path in sorted(projects.glob(f"*/*/{NAME}")):
        project_id = path.parent.parent.name
        try:
            with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
                yield project_id, verify(connection)
        except sqlite3.Error as fault:
            yield project_id, f"cannot be read: {fault}"
